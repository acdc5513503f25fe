#include "bench/weir/matmul/observations_csv.hpp"

#include <fmt/format.h>

#include <iterator>

#include <weir/scheduler/machine/core_set.hpp>

namespace weir::program {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string observations_csv(const std::vector<timed_run>& runs) {
  std::string text =
      "component,x,cores,seconds,start,cpu_seconds,width,core_set,queue,after_move,switches,delayed_seconds\n";
  for (const timed_run& run : runs)
    for (const observation& o : run.observations) {
      // {} prints the shortest text that reads back as the same double.
      const std::string cores = to_string(core_set::range(static_cast<int>(o.first_core), o.cores));
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     quoted(run.report.names[o.component]), o.x, o.cores, o.seconds, run.began + o.start, o.cpu_seconds,
                     o.width, quoted(cores), o.queue, o.after_move ? 1 : 0, o.switches, o.delayed_seconds);
    }
  return text;
}

}  // namespace weir::program
