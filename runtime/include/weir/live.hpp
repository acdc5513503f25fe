// <weir/live.hpp>: a web page that shows a run while it goes on, and its metrics for Prometheus. A program that
// includes it links weir::live.
#pragma once

#include <weir/macros_off.hpp>

#include <weir/live/live_page.hpp>

#include <weir/macros_back.hpp>
