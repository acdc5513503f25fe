#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::field_bench::slow_writer {

// Events that are made fast, worked on by several threads, and written by a few that are slow. Plain data.
struct setting {
  int events = 150;
  std::size_t event_bytes = 9'000'000;
  int workers = 8, writers = 4;  // concurrent invocations
  double work_seconds = 0.02, write_seconds = 0.1;
  int most_in_flight = 16;  // for the ways that have such a limit
};

// One run. Plain data.
struct outcome {
  int written = 0;
  double seconds = 0;
  double peak_mb = 0;               // of events that are alive
  double peak_resident_mb = 0;      // of the process
  std::vector<double> resident_mb;  // at ten moments, evenly over the run
};

// The names of the ways: weir, weir max_in_flight, weir max_bytes_in_flight, flow graph, flow graph limiter, pipeline.
std::vector<std::string> way_names();

// Runs one in a process of its own, so that memory of other runs does not count. Throws std::runtime_error when that
// process fails. REQUIRES: the calling process has one thread.
outcome run_alone(const std::string& name, const setting& what);

// The same in this process; the resident memory includes what was there before.
outcome run_here(const std::string& name, const setting& what);

// One run of weir max_in_flight in this process: its report, as JSON.
std::string weir_report(const setting& what);

}  // namespace weir::field_bench::slow_writer
