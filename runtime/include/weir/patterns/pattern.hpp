#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weir/patterns/expression.hpp>
#include <weir/record/record.hpp>
#include <weir/record/record_type.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// An element of a list of labels such as `{a, n}`.
struct label_ref {
  template <class L>
  requires is_label<L> label_ref(const L& label) : info(label.info()) {}
  const label_info* info;
};

}  // namespace detail

// A pattern selects records: star, feedback and sync take patterns. `{a, n}` and `pattern{a, n}` are the pattern of two
// labels; `pattern{n}.where(n >= 3)` is one with a guard.
//
// A record matches when it has all fields and tags of the pattern, perhaps more, and exactly its binding tags. A field
// must have the pattern's C++ type. If the pattern has a guard, the guard must hold as well. `pattern{}` matches every
// record without binding tags.
//
// A guard that divides by zero ends the record that is matched, with failure_kind::division_by_zero.
//
// An immutable value. Any thread may use it.
class pattern {
 public:
  // Throws type_error when a label stands twice or one field name has two types.
  pattern(std::initializer_list<detail::label_ref> labels);
  explicit pattern(variant_type labels);

  // The same pattern with a further guard; all guards must hold. Throws type_error when the guard is no condition, or
  // names a tag that the pattern does not name.
  pattern where(const expression& guard) const;

  const variant_type& labels() const { return labels_; }             // that a record must have
  const std::optional<expression>& guard() const { return guard_; }  // of several: all of them, joined by `&&`

 private:
  variant_type labels_;
  std::optional<expression> guard_;
};

namespace detail {
// The most patterns of one synchrocell, which has one bit for each of its slots in a word of 32.
inline constexpr std::size_t most_patterns = 32;
}  // namespace detail

class pattern_list;

// The list with one pattern more, for `pattern{a} | pattern{b}`.
pattern_list operator|(pattern_list left, const pattern& right);

// One pattern or several, as an exit of a star or the way back of a feedback: `pattern{a} | pattern{b}`. A record
// matches the list when it matches at least one of them. A pattern, or a list of labels, is a pattern_list as well.
class pattern_list {
 public:
  // Implicit, so that a pattern or its labels can be given for a list. Throws type_error as pattern does.
  pattern_list(pattern one);
  pattern_list(std::initializer_list<detail::label_ref> labels);

  const std::vector<pattern>& patterns() const { return patterns_; }  // in the order in which they were written

 private:
  std::vector<pattern> patterns_;
  friend pattern_list operator|(pattern_list left, const pattern& right);
};

// S-Net's notation: `{a, <n>}`, `{<n>} if <n==1>`. Several patterns are joined by `, `.
std::string to_string(const pattern& p);
std::string to_string(const pattern_list& list);

namespace detail {

// A synchrocell of these patterns in S-Net's notation: `[|{a}, {b, <t>}|]`.
std::string notation_of_cell(const std::vector<pattern>& patterns);

// Why records of this shape do not match a pattern of these labels, as a sentence that starts with "it" or "the
// record". "" when they match.
std::string mismatch(std::span<const label_info* const> labels, const shape& s);

// Why this expression, or this guard, cannot be used with a pattern of these labels, in words. "" when it can.
std::string wrong_tags(const expression& e, std::span<const label_info* const> labels);
std::string wrong_guard(const expression& guard, std::span<const label_info* const> labels);

}  // namespace detail
}  // namespace weir
