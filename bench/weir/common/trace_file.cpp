#include "bench/weir/common/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace weir::program {

std::optional<tracer> trace_file::of_run(const std::string& name) {
  if (std::any_of(runs_.begin(), runs_.end(), [&](const named_trace& known) { return known.name == name; })) return {};
  if (runs_.size() == most_runs) {
    left_out_.insert(name);
    return {};
  }
  runs_.push_back({name, tracer(most_events, most_events_a_second)});
  return runs_.back().events;
}

std::string trace_file::write() const {
  file_.write(chrome_json(runs_));
  std::uint64_t dropped = 0;
  for (const named_trace& run : runs_) dropped += run.events.dropped();
  std::string text;
  if (!left_out_.empty()) text = fmt::format("trace: runs of {} are not in the file\n", fmt::join(left_out_, ", "));
  if (dropped == 0) return text;
  return text +
         fmt::format("trace: {} more events are not in the file: it has {} a second and {} in all of a run at most\n",
                     dropped, most_events_a_second, most_events);
}

}  // namespace weir::program
