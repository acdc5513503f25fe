#include "runtime/statistics/run_history.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace weir::detail {

namespace {

// The mean of two values that held for so long; of the one that is known, if only one is.
double weighted(double a, double of_a, double b, double of_b) {
  if (std::isnan(a) || of_a <= 0) return b;
  if (std::isnan(b) || of_b <= 0) return a;
  return (a * of_a + b * of_b) / (of_a + of_b);
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
  return both;
}

}  // namespace

bool run_history::is_due(double time) const {
  const lock_guard lock(mutex_);
  return time >= before_.time + interval_;
}

history_row run_history::row_until(const moment& now, const latency_probe& probe) const {
  const latency_probe::summary since = probe.since(followed_);
  return {.time = now.time,
          .seconds = now.time - before_.time,
          .sent = now.sent - before_.sent,
          .results = now.results - before_.results,
          .failed = now.failed - before_.failed,
          .predicted = now.predicted,
          .followed = since.followed - followed_,
          .latency_p50 = since.p50,
          .latency_p99 = since.p99,
          .waiting = static_cast<double>(now.waiting),
          .foreign = now.foreign};
}

void run_history::take(const moment& now, const latency_probe& probe) noexcept try {
  const lock_guard lock(mutex_);
  if (now.time < before_.time + interval_) return;
  const history_row row = row_until(now, probe);
  rows_.reserve(most);
  rows_.push_back(row);
  followed_ += row.followed;
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
  if (last && (last->sent != before_.sent || last->results != before_.results || last->failed != before_.failed))
    all.push_back(row_until(*last, probe));
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
