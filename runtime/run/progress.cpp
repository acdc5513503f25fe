#include "runtime/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/machine/log.hpp"
#include "runtime/record/cut_text.hpp"

namespace weir::detail {

void progress::log(const run_report& now) {
  const std::uint64_t through = now.results + now.records_ended;
  std::string line = fmt::format("{:.1f} s: {} records in, {} out", now.seconds, now.sent + now.emitted, now.results);
  if (now.records_ended > 0) line += fmt::format(", {} ended", now.records_ended);
  line += fmt::format(" ({:.3g}/s), {} failed", static_cast<double>(through - through_) / (now.seconds - last_),
                      now.failed);
  const auto less_busy = [](const component_report& a, const component_report& b) {
    return (std::isnan(a.busy) ? 0 : a.busy) < (std::isnan(b.busy) ? 0 : b.busy);
  };
  if (const auto busiest = std::max_element(now.components.begin(), now.components.end(), less_busy);
      busiest != now.components.end() && busiest->busy > 0)
    line += fmt::format("; busiest: {}, {:.0f} %", visible_text(busiest->name, false), 100 * busiest->busy);
  last_ = now.seconds;
  through_ = through;
  log_info(line);
}

}  // namespace weir::detail
