#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "scheduler/policies/policy.hpp"

namespace [[gnu::visibility("default")]] weir {

// One line of a fixed_shares rule: so many cores for the component of this name, in so many lanes.
struct fixed_share {
  std::string component;
  int cores = 1;
  int lanes = 1;
};

// The allotment as the user wrote it: fixed_shares{{"multiply", 6}, {"generate", 1}} or, with two lanes of three cores,
// fixed_shares{{"multiply", 6, 2}}; from shares that are known at run time only, fixed_shares(std::move(shares)). A
// value.
//
// Components that are not named form the shared group, on the cores that are left over, but for those that run outside
// the cores (`.blocking(max)`): they need none. When none is left the group
// lies on the first core of the owner with the most cores: that owner loses the smallest part of its time to it.
class fixed_shares : public allocation_rule {
 public:
  // Both throw std::invalid_argument naming the component when it is listed twice, has less than one core, less than
  // one lane, or more lanes than cores. No shares at all: every component is in the shared group.
  fixed_shares(std::initializer_list<fixed_share> shares);
  explicit fixed_shares(std::vector<fixed_share> shares);

  std::string name() const override { return "fixed shares"; }

  // Throws std::invalid_argument when a named component does not exist (the message lists those that do), when it runs
  // outside the cores, when its number of cores or lanes is outside the bounds of its box, or when there are fewer
  // cores than were given away.
  allotment decide(const system_view& view) const override;

  const std::vector<fixed_share>& shares() const { return shares_; }

 private:
  std::vector<fixed_share> shares_;
};

}  // namespace weir
