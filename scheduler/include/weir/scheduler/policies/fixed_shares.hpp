#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>

namespace [[gnu::visibility("default")]] weir {

// One line of a fixed_shares rule: the cores and lanes of the component with this name. Plain data.
struct fixed_share {
  std::string component;  // its name
  int cores = 1;          // of its own, 1 or more
  int lanes = 1;          // 1 to cores
};

// The allotment as the user wrote it. fixed_shares{{"multiply", 6}, {"generate", 1}} gives cores; with
// fixed_shares{{"multiply", 6, 2}} they are in two lanes of three cores. Use fixed_shares(std::move(shares)) for shares
// that are known only at run time. A value.
//
// Components that are not named form the shared group, on the remaining cores. Components outside the cores
// (`.blocking(max)`) need none and are no members. If no core remains, the group lies on the first core of the owner
// with the most cores, since that owner loses the smallest part of its time.
class fixed_shares : public allocation_rule {
 public:
  // Both throw std::invalid_argument naming the component when it is listed twice, has less than one core or one lane,
  // or has more lanes than cores. Without any shares every component is in the shared group.
  fixed_shares(std::initializer_list<fixed_share> shares);
  explicit fixed_shares(std::vector<fixed_share> shares);

  std::string name() const override { return "fixed shares"; }

  // The written shares, placed on the cores of the view. Throws std::invalid_argument when a named component does not
  // exist (the message lists the existing ones) or runs outside the cores. It also throws when a component's cores or
  // lanes are outside the bounds of its box, and when there are fewer cores than were given away.
  allotment decide(const system_view& view) const override;

  const std::vector<fixed_share>& shares() const { return shares_; }  // as written

 private:
  std::vector<fixed_share> shares_;
};

}  // namespace weir
