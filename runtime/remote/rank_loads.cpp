#include "runtime/remote/rank_loads.hpp"

#include <algorithm>

namespace weir::detail::remote {

namespace {

constexpr double few = 8;        // fewer records than this say nothing yet
constexpr double enough = 1024;  // records; then the sums are halved, so that older records count less
constexpr double much_sooner = 1.5;

}  // namespace

void rank_loads::pass(one& r, double now) {
  if (r.under_way > 0) r.core_seconds += std::min(static_cast<double>(r.under_way), r.cores) * (now - r.since);
  r.since = now;
}

void rank_loads::begins(int rank, double now) {
  one& r = at(rank);
  pass(r, now);
  ++r.under_way;
}

void rank_loads::ends(int rank, double now) {
  one& r = at(rank);
  pass(r, now);
  --r.under_way;
  if (++r.records < enough) return;
  r.records /= 2;
  r.core_seconds /= 2;
}

double rank_loads::per_record(const one& r) const {
  if (r.records >= few) return r.core_seconds / r.records;
  double core_seconds = 0, records = 0;
  for (const one& other : ranks_)
    if (other.records >= few) core_seconds += other.core_seconds, records += other.records;
  return records > 0 ? core_seconds / records : 1;
}

double rank_loads::expected(int rank, std::size_t more) const {
  const one& r = ranks_[static_cast<std::size_t>(rank)];
  return std::max(1.0, static_cast<double>(r.under_way + more) / r.cores) * per_record(r);
}

int rank_loads::least() const {
  int best = -1;
  double least_time = 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const one& r = ranks_[i];
    if (r.is_lost) continue;
    const double time = static_cast<double>(r.under_way + r.branches + 1) / r.cores * per_record(r);
    if (best < 0 || time < least_time) best = static_cast<int>(i), least_time = time;
  }
  return best;
}

int rank_loads::better_than(int rank, std::size_t under_way) const {
  int best = -1;
  double least_time = expected(rank, 0) / much_sooner;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].is_lost || static_cast<int>(i) == rank) continue;
    const double time = expected(static_cast<int>(i), std::max<std::size_t>(under_way, 1));
    if (time < least_time) best = static_cast<int>(i), least_time = time;
  }
  return best;
}

}  // namespace weir::detail::remote
