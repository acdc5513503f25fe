#include "runtime/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/machine/log.hpp"

namespace weir::detail {

void progress::log(const run_report& now) {
  std::string line =
      fmt::format("{:.1f} s: {} records in, {} out ({:.3g}/s), {} failed", now.seconds, now.sent, now.results,
                  static_cast<double>(now.results - results_) / (now.seconds - last_), now.failed);
  const auto less_busy = [](const component_report& a, const component_report& b) {
    return (std::isnan(a.busy) ? 0 : a.busy) < (std::isnan(b.busy) ? 0 : b.busy);
  };
  if (const auto busiest = std::max_element(now.components.begin(), now.components.end(), less_busy);
      busiest != now.components.end() && busiest->busy > 0)
    line += fmt::format("; busiest: {}, {:.0f} %", busiest->name, 100 * busiest->busy);
  last_ = now.seconds;
  results_ = now.results;
  log_info(line);
}

}  // namespace weir::detail
