#include "scheduler/simulate/member_order.hpp"

#include <algorithm>

namespace weir::simulation {
namespace {

// As in runtime/engine/work_list.cpp.
constexpr double longest_lag = 50e-3;  // seconds
constexpr int most_in_a_row = 4;
constexpr double much_longer = 2, short_turn = 250e-6;  // a factor; seconds

}  // namespace

member_order::member_order(const scenario& of) : accounts_(of.components.size()) {
  const std::size_t n = accounts_.size();
  for (std::size_t i = 0; i < n; ++i) {
    accounts_[i].priority = of.components[i].priority;
    accounts_[i].behind.resize(n, false);
    has_priorities_ = has_priorities_ || of.components[i].priority != of.components[0].priority;
    heaviest_ = std::max(heaviest_, accounts_[i].priority);
  }
  const std::vector<link> links = of.all_links();
  for (std::size_t from = n; from-- > 0;)
    for (const link& l : links)
      if (l.from == static_cast<int>(from) && l.to > l.from) {
        const auto to = static_cast<std::size_t>(l.to);
        accounts_[from].behind[to] = true;
        for (std::size_t k = to; k < n; ++k)
          if (accounts_[to].behind[k]) accounts_[from].behind[k] = true;
      }
}

std::optional<std::size_t> member_order::in_turn(const std::vector<std::size_t>& members,
                                                 const std::function<bool(std::size_t)>& can_run) {
  for (std::size_t tried = 0; tried < members.size(); ++tried)
    if (const std::size_t k = (next_ + tried) % members.size(); can_run(members[k])) {
      next_ = (k + 1) % members.size();
      return members[k];
    }
  return std::nullopt;
}

std::optional<std::size_t> member_order::take_next(const std::vector<std::size_t>& members,
                                                   const std::function<bool(std::size_t)>& can_run) {
  if (!has_priorities_) return in_turn(members, can_run);
  std::vector<std::size_t> waiting;
  for (const std::size_t m : members) {
    if (!can_run(m)) continue;
    account& a = accounts_[m];
    const double most_ahead = longest_lag * heaviest_ + a.last_turn * (heaviest_ - 1);
    a.virtual_time = std::clamp(a.virtual_time, virtual_time_, virtual_time_ + most_ahead);
    waiting.push_back(m);
  }
  if (waiting.empty()) return std::nullopt;
  const std::size_t due =
      *std::ranges::min_element(waiting, {}, [&](std::size_t m) { return accounts_[m].virtual_time; });
  const double longest = std::max(much_longer * accounts_[due].last_turn, short_turn);
  std::size_t chosen = due;
  for (const std::size_t m : waiting)
    if (passed_over_ < most_in_a_row && accounts_[chosen].behind[m] && accounts_[m].last_turn <= longest) chosen = m;
  passed_over_ = chosen == due ? 0 : passed_over_ + 1;
  virtual_time_ = std::max(virtual_time_, accounts_[due].virtual_time);
  return chosen;
}

void member_order::charge(std::size_t component, double seconds) {
  accounts_[component].virtual_time += seconds / accounts_[component].priority;
  accounts_[component].last_turn = seconds;
}

}  // namespace weir::simulation
