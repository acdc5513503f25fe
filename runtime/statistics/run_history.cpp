#include "runtime/statistics/run_history.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace weir::detail {

namespace {

// The mean of two values, weighted by the times that they held; if only one is known, that one.
double weighted(double a, double of_a, double b, double of_b) {
  if (std::isnan(a) || of_a <= 0) return b;
  if (std::isnan(b) || of_b <= 0) return a;
  return (a * of_a + b * of_b) / (of_a + of_b);
}

// Threads read numbers at two moments, and may come to the lock in another order: no number becomes less.
run_history::moment not_less(run_history::moment now, const run_history::moment& before) {
  now.sent = std::max(now.sent, before.sent);
  now.results = std::max(now.results, before.results);
  now.failed = std::max(now.failed, before.failed);
  now.emitted = std::max(now.emitted, before.emitted);
  now.ended = std::max(now.ended, before.ended);
  if (now.held_back < before.held_back) now.held_back = before.held_back;  // else it is not known
  return now;
}

history_row joined(const history_row& a, const history_row& b) {
  history_row both = b;
  both.seconds += a.seconds;
  both.sent += a.sent;
  both.results += a.results;
  both.failed += a.failed;
  both.followed += a.followed;
  both.predicted = weighted(a.predicted, a.seconds, b.predicted, b.seconds);
  both.waiting = weighted(a.waiting, a.seconds, b.waiting, b.seconds);
  both.latency_p50 =
      weighted(a.latency_p50, static_cast<double>(a.followed), b.latency_p50, static_cast<double>(b.followed));
  both.latency_p99 = std::fmax(a.latency_p99, b.latency_p99);
  both.foreign = weighted(a.foreign, a.seconds, b.foreign, b.seconds);
  both.emitted += a.emitted;
  both.ended += a.ended;
  both.judged_seconds += a.judged_seconds;
  both.met_seconds += a.met_seconds;
  both.late_seconds += a.late_seconds;
  return both;
}

}  // namespace

bool run_history::is_due(double time) const {
  const lock_guard lock(mutex_);
  return time >= before_.time + interval_;
}

history_row run_history::row_until(const moment& now, const latency_probe& probe) const {
  const latency_probe::summary since = probe.since(followed_);
  history_row row{.time = now.time,
                  .seconds = now.time - before_.time,
                  .sent = now.sent - before_.sent,
                  .results = now.results - before_.results,
                  .failed = now.failed - before_.failed,
                  .predicted = now.predicted,
                  .followed = since.followed - followed_,
                  .latency_p50 = since.p50,
                  .latency_p99 = since.p99,
                  .waiting = static_cast<double>(now.waiting),
                  .foreign = now.foreign,
                  .emitted = now.emitted - before_.emitted,
                  .ended = now.ended - before_.ended};
  if (demanded_) judge(row, now);
  return row;
}

// Comparisons with unknown values are false.
void run_history::judge(history_row& row, const moment& now) const {
  const double limit = demanded_->p99.count();
  const bool asks_p99 = std::isfinite(limit);
  const double stuck = row.followed == 0 && stuck_since_ ? now.time - *stuck_since_ : 0;
  const bool is_late = row.latency_p99 > limit || stuck > limit;

  const auto entered = static_cast<double>(row.sent + row.emitted);
  const double with_room = row.seconds - (now.held_back - before_.held_back);
  const bool came = entered >= demanded_->rate * row.seconds;
  const bool is_held_back = !came && entered >= demanded_->rate * with_room;

  const bool is_rate_known = came || !std::isnan(with_room);
  if (!is_late && !is_held_back && !(asks_p99 ? row.followed > 0 : entered > 0 && is_rate_known)) return;
  row.judged_seconds = row.seconds;
  row.met_seconds = is_late || is_held_back ? 0 : row.seconds;
  row.late_seconds = is_late ? row.seconds : 0;
}

void run_history::take(const moment& seen, const latency_probe& probe) noexcept try {
  const lock_guard lock(mutex_);
  if (seen.time < before_.time + interval_) return;
  const moment now = not_less(seen, before_);
  const history_row row = row_until(now, probe);
  const bool any_inside = probe.inside() > 0;
  rows_.push_back(row);
  followed_ += row.followed;
  if (!any_inside)
    stuck_since_.reset();
  else if (row.followed > 0 || !stuck_since_)
    stuck_since_ = now.time;
  before_ = now;
  if (rows_.size() < most) return;
  for (std::size_t i = 0; i < most / 2; ++i) rows_[i] = joined(rows_[2 * i], rows_[2 * i + 1]);
  rows_.resize(most / 2);
  interval_ *= 2;
} catch (const std::bad_alloc&) {
}

std::vector<history_row> run_history::rows(const moment* last, const latency_probe& probe) const {
  const lock_guard lock(mutex_);
  std::vector<history_row> all = rows_;
  if (!last) return all;
  const moment now = not_less(*last, before_);
  if (now.has_moved_since(before_)) all.push_back(row_until(now, probe));
  return all;
}

std::optional<goal_report> run_history::verdict(const std::vector<history_row>& rows) const {
  if (!demanded_) return std::nullopt;
  goal_report all{.words = to_string(*demanded_), .latency_p99 = demanded_->p99.count(), .rate = demanded_->rate};
  for (const history_row& r : rows) {
    all.seconds += r.judged_seconds;
    all.seconds_met += r.met_seconds;
    all.seconds_late += r.late_seconds;
  }
  return all;
}

double run_history::foreign_load() const {
  const lock_guard lock(mutex_);
  double sum = 0, known = 0;  // seconds
  for (const history_row& row : rows_)
    if (!std::isnan(row.foreign)) sum += row.foreign * row.seconds, known += row.seconds;
  return sum / known;
}

}  // namespace weir::detail
