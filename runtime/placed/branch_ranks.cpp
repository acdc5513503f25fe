#include "runtime/placed/branch_ranks.hpp"

#include <utility>

#include "runtime/remote/cut_plan.hpp"

namespace weir::detail {

branch_ranks::branch_ranks(int home, std::vector<int> cores, bool by_load, bool can_move)
    : home_(home), can_move_(can_move), is_lost_(cores.size()) {
  if (by_load) loads_.emplace(std::move(cores));
}

int branch_ranks::by_value(std::int64_t value) const {
  return remote::rank_of(value, static_cast<int>(is_lost_.size()));
}

int branch_ranks::substitute_of(int rank) const {
  while (is_lost(rank)) rank = (rank + 1) % static_cast<int>(is_lost_.size());
  return rank;
}

void branch_ranks::lose(int rank) {
  if (loads_) loads_->is_lost(rank);
  is_lost_[static_cast<std::size_t>(rank)].store(true, std::memory_order_release);  // pairs with is_lost()
}

int branch_ranks::place_new() {
  const int rank = loads_->least();
  loads_->gets_branch(rank);
  return rank;
}

int branch_ranks::place_again(branch& b, bool is_alone) {
  if (can_move_ && is_alone && !b.moves_to && !is_lost(b.rank))
    if (const int to = loads_->better_than(b.rank, 0); to >= 0) move(b, to);
  return b.rank;
}

void branch_ranks::move(branch& b, int to) {
  loads_->loses_branch(b.rank);
  loads_->gets_branch(to);
  b.rank = to;
}

// Never the home itself: later records would pass the call by, and overtake those that wait for it.
std::optional<int> branch_ranks::better_for(const branch& b) const {
  if (!can_move_ || is_lost(b.rank)) return std::nullopt;
  const int to = loads_->better_than(b.rank, b.under_way);
  return to < 0 || to == home_ ? std::nullopt : std::optional(to);
}

std::optional<int> branch_ranks::rank_for(branch& b) {
  if (!b.moves_to) b.moves_to = better_for(b);
  if (b.moves_to && b.under_way > 0) {
    makes_wait_.store(true, std::memory_order_relaxed);
    return std::nullopt;
  }
  if (const auto to = std::exchange(b.moves_to, std::nullopt)) move(b, *to);
  return substitute_of(b.rank);
}

bool branch_ranks::may_join(const branch& b, int rank) const {
  return substitute_of(b.rank) == rank && !b.moves_to && !better_for(b);
}

void branch_ranks::begin(branch& b, int rank, double now) {
  ++b.under_way;
  loads_->begins(rank, now);
}

bool branch_ranks::end(branch& b, int rank, double now) {
  loads_->ends(rank, now);
  return --b.under_way == 0 && b.moves_to && makes_wait_.exchange(false, std::memory_order_relaxed);
}

}  // namespace weir::detail
