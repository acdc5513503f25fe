#include "scheduler/control/joined_batches.hpp"

#include <cmath>

namespace weir {

std::optional<joined_batches::joined> joined_batches::add(const observation& seen, double cost) {
  constexpr double kept = 0.95;  // of the weight, after another invocation
  constexpr double nearly = 0.9;
  const double records = seen.records;
  first_ = kept * first_ + records;
  second_ = kept * second_ + records * records;
  if (!(together() > 1) || seen.after_move) return joined{seen, cost};
  if (has_some_ && waiting_.seen.cores != seen.cores) has_some_ = false;
  const double before = has_some_ ? waiting_.seen.records : 0, all = before + records;
  const auto mean = [&](double of, double with) { return (before > 0 ? before * of : 0) / all + records * with / all; };
  joined next{seen, mean(waiting_.cost, cost)};
  next.seen.records += static_cast<std::uint32_t>(before);
  next.seen.x = mean(waiting_.seen.x, seen.x);
  next.seen.seconds = mean(waiting_.seen.seconds, seen.seconds);
  next.seen.cpu_seconds = mean(waiting_.seen.cpu_seconds, seen.cpu_seconds);
  next.seen.delayed_seconds = mean(waiting_.seen.delayed_seconds, seen.delayed_seconds);
  waiting_ = next;
  has_some_ = all < nearly * together();
  if (has_some_) return std::nullopt;
  return next;
}

}  // namespace weir
