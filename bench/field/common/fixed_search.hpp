#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/fixed_shares.hpp>

namespace weir::field_bench {

// Fixed shares that a climb found, and how many were run for it. Plain data.
struct found_shares {
  std::vector<fixed_share> best;
  double rate = 0;
  int tried = 0;
};

// The best fixed shares by a climb on real runs. It begins with all components in the shared group and with one core
// for each pair of components, and goes on from the best. Then a core, in a lane of its own, goes to one component or
// moves between two, as long as that makes the rate more than 2 % higher. `rate_of` runs them. A component named in
// `serial` gets one core at most.
found_shares searched_shares(const std::vector<std::string>& components, const std::vector<std::string>& serial,
                             int cores, const std::function<double(const std::vector<fixed_share>&)>& rate_of);

// "cut=1, bzip2=2x2"; "all shared" where none is given.
std::string to_string(const std::vector<fixed_share>& shares);

}  // namespace weir::field_bench
