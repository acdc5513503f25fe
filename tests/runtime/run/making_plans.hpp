#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/language/label_flow.hpp"
#include "tests/runtime/language/plan.hpp"

// The labels that the makers of random plans use.
namespace weir::testing::language {

inline const std::vector<std::string> all_tags{"<n>", "<k>", "<t>", "<x>", "<a>"};  // <a>, in addition to a field a
inline const std::vector<std::string> all_numbers{"a", "b", "c"};
inline const std::vector<std::string> all_texts{"s", "s2"};
inline const std::string number_label = "<id>";  // a record's own number; no box names it
inline const std::string mark_label = "<#k>";

inline bool is_data(const std::string& label) {
  for (const auto* all : {&all_tags, &all_numbers, &all_texts})
    if (std::find(all->begin(), all->end(), label) != all->end()) return true;
  return false;
}
inline std::vector<std::string> among(const std::vector<std::string>& all, const label_set& known) {
  std::vector<std::string> there;
  for (const std::string& l : all)
    if (known.count(l)) there.push_back(l);
  return there;
}
inline label_set common(const types& in) {
  label_set all = *in.begin();
  for (const label_set& v : in)
    for (auto at = all.begin(); at != all.end();) at = v.count(*at) ? std::next(at) : all.erase(at);
  return all;
}
inline bool has_binding(const label_set& v) { return !v.empty() && is_binding(*v.rbegin()); }

inline plan_ptr make(plan p) { return std::make_shared<const plan>(std::move(p)); }
inline plan_ptr in_series(std::vector<plan_ptr> parts) {
  if (parts.size() == 1) return parts[0];
  plan p;
  p.what = plan::serial;
  p.parts = std::move(parts);
  return make(std::move(p));
}
inline plan_ptr made_of(plan::form what, plan_ptr body, std::vector<plain_pattern> patterns, bool is_ordered) {
  plan p;
  p.what = what;
  p.parts = {std::move(body)};
  p.patterns = std::move(patterns);
  p.ordered = is_ordered;
  return make(std::move(p));
}
inline plan_ptr filter_of(label_set pattern, std::vector<plain_clause> clauses) {
  plan p;
  p.what = plan::filter;
  p.pattern = std::move(pattern);
  p.clauses = std::move(clauses);
  return make(std::move(p));
}
inline output_item copied(const std::string& l) { return {l}; }
inline output_item computed(const std::string& l, term t) { return {l, output_item::computed, {}, std::move(t)}; }
inline term remainder(const std::string& tag, std::int64_t by) {
  return made(term::rest, {made(term::absolute, {value_of(tag)}), constant(by)});
}
inline plan_ptr bypass_plan() { return make(plan{}); }

}  // namespace weir::testing::language
