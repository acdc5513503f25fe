#pragma once

#include <weir/process/serve.hpp>
#include <weir/process/worker.hpp>
#include <weir/weir.hpp>
