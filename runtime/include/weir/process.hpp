// <weir/process.hpp>: boxes that are processes of their own, which can be bounded, ended and measured. A program that
// includes it links weir::process.
#pragma once

#include <weir/macros_off.hpp>

#include <weir/process/command.hpp>
#include <weir/process/scratch_file.hpp>
#include <weir/process/serve.hpp>
#include <weir/process/shared_array.hpp>
#include <weir/process/worker.hpp>

#include <weir/macros_back.hpp>
