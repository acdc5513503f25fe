#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <weir/report/report.hpp>
#include <weir/scheduler/view/objective.hpp>
#include "runtime/streams/latency_probe.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// How a run did over time, in constant memory: rows of the same length. When there are `most` of them, each two become
// one, and later rows take twice as long. So the rows of an hour are some ten seconds long. Each row is held against
// what the policy's objective demands (goal_report). Thread-safe.
class run_history {
 public:
  explicit run_history(std::optional<stream_demand> demanded = std::nullopt) : demanded_(demanded) {}

  static constexpr std::size_t most = 600;           // as many as a chart has points for
  static constexpr double shortest_interval = 0.05;  // a row costs some microseconds

  // The state of a run at one moment. The numbers of records are since its start.
  struct moment {
    double time = 0;  // seconds since the start
    std::uint64_t sent = 0, results = 0, failed = 0;
    double predicted = 0;  // records a second that could enter; NaN: unknown
    std::uint64_t waiting = 0;
    double foreign = std::numeric_limits<double>::quiet_NaN();  // history_row::foreign
    std::uint64_t emitted = 0, ended = 0;                       // as sent and results
    // Seconds in which records waited for room to enter; NaN: unknown.
    double held_back = std::numeric_limits<double>::quiet_NaN();

    bool has_moved_since(const moment& before) const {  // whether any record came, left or failed
      return sent != before.sent || results != before.results || failed != before.failed || emitted != before.emitted ||
             ended != before.ended;
    }
  };

  // Whether a row is over by then, so that take() makes one.
  bool is_due(double time) const;

  // Ends a row. Latencies are those of the records that `probe` followed since the row before. Without memory the row
  // is left out, and the next one is longer.
  void take(const moment& seen, const latency_probe& probe) noexcept;

  // All rows; with `last`, one more that ends there, when anything happened since.
  std::vector<history_row> rows(const moment* last, const latency_probe& probe) const;

  // The mean of the known values of history_row::foreign. NaN: none is known.
  double foreign_load() const;
  // The demand and, over these rows, for how long it was met; nothing without a demand.
  std::optional<goal_report> verdict(const std::vector<history_row>& rows) const;

 private:
  history_row row_until(const moment& now, const latency_probe& probe) const WEIR_REQUIRES(mutex_);
  void judge(history_row& row, const moment& now) const WEIR_REQUIRES(mutex_);

  const std::optional<stream_demand> demanded_;

  mutable WEIR_LOCK(history) mutex_;
  std::vector<history_row> rows_ WEIR_GUARDED_BY(mutex_);
  double interval_ WEIR_GUARDED_BY(mutex_) = shortest_interval;
  moment before_ WEIR_GUARDED_BY(mutex_) = {.held_back = 0};
  std::uint64_t followed_ WEIR_GUARDED_BY(mutex_) = 0;
  // While followed records are inside and none comes to its end: since when, so that all of them are older.
  std::optional<double> stuck_since_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::detail
