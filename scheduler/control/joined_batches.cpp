#include "scheduler/control/joined_batches.hpp"

#include <cstddef>

namespace weir {

std::optional<joined_batches::joined> joined_batches::add(const observation& seen, double cost) {
  constexpr double kept = 0.95;  // of the weight, after another invocation
  constexpr double nearly = 0.9;
  const double records = seen.records;
  first_ = kept * first_ + records;
  second_ = kept * second_ + records * records;
  if (!(together() > 1) || seen.after_move) return joined{seen, cost};
  if (waiting_ && waiting_->seen.cores != seen.cores) waiting_.reset();
  joined next{seen, cost};
  if (waiting_) {
    const observation& with = waiting_->seen;
    const double before = with.records, all = before + records;
    const auto mean = [&](double of, double now) { return before * of / all + records * now / all; };
    next.cost = mean(waiting_->cost, cost);
    next.seen.records += with.records;
    next.seen.x = mean(with.x, seen.x);
    for (std::size_t j = 0; j < seen.further.size(); ++j) next.seen.further[j] = mean(with.further[j], seen.further[j]);
    next.seen.seconds = mean(with.seconds, seen.seconds);
    next.seen.cpu_seconds = mean(with.cpu_seconds, seen.cpu_seconds);
    next.seen.delayed_seconds = mean(with.delayed_seconds, seen.delayed_seconds);
  }
  if (!(next.seen.records < nearly * together())) {
    waiting_.reset();
    return next;
  }
  waiting_ = std::make_unique<joined>(next);
  return std::nullopt;
}

}  // namespace weir
