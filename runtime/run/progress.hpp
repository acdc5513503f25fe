#pragma once

#include <cstdint>

#include <weir/report/report.hpp>

namespace weir::detail {

// The lines that a run logs about itself now and then (option progress). Not thread-safe: the controller's thread alone
// uses it.
class progress {
 public:
  explicit progress(double every) : every_(every) {}

  // Whether the next line is due at `time`, in seconds after the start.
  bool is_due(double time) const { return every_ > 0 && time >= last_ + every_; }

  // Logs a line such as "12.0 s: 2000 records in, 1950 out (162/s), 0 failed; busiest: multiply, 93 %". Where records
  // end in sinks and folds it has "0 out, 1950 ended (162/s)": the rate is that of both.
  void log(const run_report& now);

 private:
  const double every_;  // 0: never
  double last_ = 0;
  std::uint64_t through_ = 0;  // records that came out or ended until then
};

}  // namespace weir::detail
