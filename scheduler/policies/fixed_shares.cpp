#include <weir/scheduler/policies/fixed_shares.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <weir/scheduler/place/placement.hpp>

namespace weir {
namespace {

std::string number_of(long long n, const char* noun) { return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s"); }

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("fixed_shares: " + why); }

std::vector<fixed_share> checked(std::vector<fixed_share> shares) {
  std::set<std::string> seen;
  for (const fixed_share& s : shares) {
    const std::string who = "\"" + s.component + "\"";
    if (!seen.insert(s.component).second) refuse(who + " is listed twice");
    if (s.cores < 1) refuse(who + " is given " + number_of(s.cores, "core") + "; the least is 1");
    if (s.lanes < 1) refuse(who + " is given " + number_of(s.lanes, "lane") + "; the least is 1");
    if (s.lanes > s.cores)
      refuse(who + " is given " + number_of(s.lanes, "lane") + " on " + number_of(s.cores, "core"));
  }
  return shares;
}

std::string listed(const system_view& view) {
  std::string text;
  for (const component_view& c : view.components) text += (text.empty() ? "" : ", ") + c.name;
  return text;
}

}  // namespace

fixed_shares::fixed_shares(std::initializer_list<fixed_share> shares) : shares_(checked(shares)) {}

fixed_shares::fixed_shares(std::vector<fixed_share> shares) : shares_(checked(std::move(shares))) {}

allotment fixed_shares::decide(const system_view& view) const {
  core_counts counts;
  counts.components.resize(view.components.size());
  long long total = 0;
  for (const fixed_share& s : shares_) {
    const auto found = std::find_if(view.components.begin(), view.components.end(),
                                    [&](const component_view& c) { return c.name == s.component; });
    if (found == view.components.end())
      refuse("there is no component \"" + s.component + "\"; there are: " + listed(view));
    if (is_outside(*found))
      refuse("\"" + s.component + "\" runs on threads outside the cores and is given " + number_of(s.cores, "core") +
             "; leave it out");
    if (s.cores < found->min_cores)
      refuse("\"" + s.component + "\" needs " + number_of(found->min_cores, "core") + " and is given " +
             std::to_string(s.cores));
    if (s.cores > found->max_cores)
      refuse("\"" + s.component + "\" may have " + number_of(found->max_cores, "core") + " and is given " +
             std::to_string(s.cores));
    if (s.lanes > found->max_width && found->limited_by.empty())  // what a resource does not allow waits
      refuse("\"" + s.component + "\" may have " + number_of(found->max_width, "lane") + " and is given " +
             std::to_string(s.lanes));
    counts.components[static_cast<std::size_t>(found - view.components.begin())] = {s.cores, s.lanes};
    total += s.cores;
  }
  const int present = view.cores.size();
  if (total > present)
    refuse(number_of(total, "core") + " are given away and there " + (present == 1 ? "is " : "are ") +
           std::to_string(present));
  const auto outside = std::count_if(view.components.begin(), view.components.end(), is_outside);
  if (shares_.size() + static_cast<std::size_t>(outside) < view.components.size()) {
    counts.shared = present - static_cast<int>(total);
    if (counts.shared == 0) counts.host = largest_owner(counts);
  }
  return place(counts, view);
}

}  // namespace weir
