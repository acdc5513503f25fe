#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <weir/engine/trace.hpp>
#include "bench/support/output_file.hpp"

namespace weir::program {

// Where `--trace FILE` puts the events of runs, for a timeline viewer. A run has a tracer of its own.
class trace_file {
 public:
  // Throws bad_input if the file cannot be written.
  explicit trace_file(const std::string& path) : file_("--trace", path) {}

  // For the first run of that name; for others of it nothing, and when `most_runs` have one, which bounds memory and
  // file to some 200 MB.
  std::optional<tracer> of_run(const std::string& name);

  // Throws as output_file::write() does. Returns a line about what was left out; empty if nothing was.
  std::string write() const;

  static constexpr std::size_t most_runs = 4;
  static constexpr std::size_t most_events = std::size_t{1} << 18, most_events_a_second = 10'000;

 private:
  output_file file_;
  std::vector<named_trace> runs_;
  std::set<std::string> left_out_;
};

inline const std::string trace_help =
    "Every invocation and move of the first run of each policy, for Perfetto (ui.perfetto.dev) or `weir view` (JSON): "
    "of "
    "four policies, 10,000 a second and 262,144 in all of each at most";

}  // namespace weir::program
