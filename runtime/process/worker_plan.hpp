#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/network/box_spec.hpp>
#include "runtime/process/greeting.hpp"
#include "runtime/process/launch.hpp"
#include "runtime/process/start_failures.hpp"

namespace weir::detail::processes {

// How the worker of a box is started, and how it is bounded. Plain data.
struct worker_plan {
  std::vector<std::string> arguments;  // [0] is the program
  std::optional<own_program> program;  // of isolated(): this program; none: it is sought
  std::vector<std::pair<std::string, std::string>> environment;
  std::string code;  // of isolated(): what the callable is, so that the host's is compared

  std::string device;                         // where the box has a second implementation; empty: it has none
  std::vector<std::string> device_arguments;  // of the workers there

  std::chrono::nanoseconds within{0};  // of an invocation; 0: no bound
  // The least bound of a start: to load a large model takes a minute, and twice that on a busy machine.
  std::chrono::nanoseconds start = std::chrono::minutes{2};
  std::uint64_t memory = 0;  // bytes; 0: no bound
  int retries = 0;
  bool in_batches = false;  // a call may be for several records
  bool restarts_for_cores = false;
  bool prints_to_error_stream = false;  // its standard output is the error stream, and not that of this program
};

// A box whose invocations run in workers, as all its lanes share it. Thread-safe.
struct worker_box {
  worker_box(std::string n, wire_labels l, worker_plan p)
      : name(std::move(n)), labels(std::move(l)), plan(std::move(p)) {}

  const std::string name;
  const wire_labels labels;
  const worker_plan plan;
  mutable start_failures starts;
};

bool runs_in_workers(const box_spec& box);

// The place of a box's code, as a text that is the same in each process of one program; empty: not known.
std::string code_place(const box_spec& box);

}  // namespace weir::detail::processes
