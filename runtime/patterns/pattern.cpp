#include <weir/patterns/pattern.hpp>

#include <algorithm>
#include <utility>

#include <weir/record/errors.hpp>

namespace weir {
namespace detail {

std::string mismatch(std::span<const label_info* const> labels, const shape& s) {
  for (const label_info* l : labels) {
    const int at = s.find(l->key);
    if (at < 0) return "it takes " + weir::to_string(*l) + ", which the record does not have";
    if (!agree(&s[at], l))
      return "it takes field '" + l->name + "' as " + type_name(*l->type) + ", the record has it as " +
             type_name(*s[at].type);
  }
  for (int i = s.first_binding_tag(); i < s.size(); ++i)
    if (std::find(labels.begin(), labels.end(), &s[i]) == labels.end())
      return "the record has the binding tag " + weir::to_string(s[i]) + ", which it does not take";
  return "";
}

namespace {

std::string joined(const std::vector<pattern>& patterns) {
  std::string text;
  for (const pattern& p : patterns) text += (text.empty() ? "" : ", ") + to_string(p);
  return text;
}

std::vector<const label_info*> infos(std::initializer_list<label_ref> labels) {
  std::vector<const label_info*> all;
  for (const label_ref& l : labels) all.push_back(l.info);
  return all;
}

}  // namespace

std::string notation_of_cell(const std::vector<pattern>& patterns) { return "[|" + joined(patterns) + "|]"; }

std::string wrong_tags(const expression& e, std::span<const label_info* const> labels) {
  for (const label_info* tag : e.tags())
    if (std::find(labels.begin(), labels.end(), tag) == labels.end())
      return to_string(e) + " names " + weir::to_string(*tag) + ", which is not in the pattern";
  return "";
}

std::string wrong_guard(const expression& guard, std::span<const label_info* const> labels) {
  if (!guard.is_condition())
    return "a guard that is no condition: " + to_string(guard) +
           "\n  expected a comparison, or what &&, || and ! make of comparisons";
  const std::string tags = wrong_tags(guard, labels);
  return tags.empty() ? "" : "the guard " + tags;
}

}  // namespace detail

pattern::pattern(std::initializer_list<detail::label_ref> labels) : labels_(detail::infos(labels)) {}

pattern::pattern(variant_type labels) : labels_(std::move(labels)) {}

pattern pattern::where(const expression& guard) const {
  pattern guarded = *this;
  guarded.guard_ = guard;
  const std::string wrong = detail::wrong_guard(guard, labels_.labels());
  if (!wrong.empty()) throw type_error("pattern " + to_string(guarded) + ": " + wrong);
  if (guard_) guarded.guard_ = *guard_ && guard;
  return guarded;
}

pattern_list::pattern_list(pattern one) { patterns_.push_back(std::move(one)); }
pattern_list::pattern_list(std::initializer_list<detail::label_ref> labels) : pattern_list(pattern(labels)) {}

pattern_list operator|(pattern_list left, const pattern& right) {
  left.patterns_.push_back(right);
  return left;
}

std::string to_string(const pattern& p) {
  return to_string(p.labels()) + (p.guard() ? " if <" + to_string(*p.guard()) + ">" : "");
}

std::string to_string(const pattern_list& list) { return detail::joined(list.patterns()); }

}  // namespace weir
