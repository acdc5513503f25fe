#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/language/oracle.hpp"

// The oracle's states, and its operations on the groups of records that networks give.
namespace weir::testing::language {

struct oracle::fold_state {
  std::int64_t made_as = 0;
  std::int64_t first = 0;
  std::vector<std::int64_t> others{};            // the least of each
  std::string text{};                            // lasting
  std::vector<std::vector<std::int64_t>> all{};  // gathering, recalling
};

// The state of a network at its place.
struct oracle::place {
  std::map<std::int64_t, std::unique_ptr<place>> inner;  // by part, depth or value
  std::vector<std::optional<plain_record>> slots;
  std::int64_t kept = 0;
  bool spent = false;
  std::optional<fold_state> state;
  bool has_finished = false;

  place& operator[](std::int64_t i) {
    auto& there = inner[i];
    if (!there) there = std::make_unique<place>();
    return *there;
  }
  place& part(std::size_t i) { return (*this)[static_cast<std::int64_t>(i)]; }
};

inline std::vector<group> each_alone(std::vector<plain_record> records) {
  std::vector<group> all;
  for (plain_record& r : records) all.push_back({std::move(r)});
  return all;
}

inline std::vector<group> all_together(std::vector<group> groups) {
  group all;
  for (group& g : groups)
    for (plain_record& r : g) all.push_back(std::move(r));
  if (all.empty()) return {};
  return {std::move(all)};
}

inline void append(std::vector<group>& to, std::vector<group> more) {
  for (group& g : more) to.push_back(std::move(g));
}

inline std::int64_t count_of(const std::vector<group>& groups) {
  std::int64_t count = 0;
  for (const group& g : groups) count += static_cast<std::int64_t>(g.size());
  return count;
}

// The outputs of a network for one cause, as it leaves the network. taken_by: the part of a choice.
inline std::vector<group> in_order(const plan& p, const plan* taken_by, std::vector<group> out) {
  if (!p.ordered) return out;
  order within = order::sequence;
  if (p.what == plan::star || p.what == plan::feedback)
    within = order::none;
  else if (taken_by)
    within = order_of(*taken_by);
  else
    for (const plan_ptr& q : p.parts) within = std::max(within, order_of(*q));
  return within == order::none ? all_together(std::move(out)) : out;
}

// The outputs of a fold of tags: the first, then the others.
inline plain_record as_given(const plain_fold& f, std::int64_t first, const std::vector<std::int64_t>& others) {
  const std::size_t count = f.labels.size() / 2;
  plain_record r{{f.labels[count], first}};
  for (std::size_t i = 1; i < count; ++i) r[f.labels[count + i]] = others[i - 1];
  return r;
}

}  // namespace weir::testing::language
