#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/patterns/expression.hpp"
#include "runtime/record/record.hpp"
#include "runtime/record/record_type.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// Any label, where a list of them is written: `{a, n}`.
struct label_ref {
  template <class L>
  requires is_label<L> label_ref(const L& label) : info(label.info()) {}
  const label_info* info;
};

}  // namespace detail

// The records that have these fields and tags, maybe more, and exactly these binding tags; and for which the guard, if
// there is one, holds. An immutable value: `{a, n}`, `pattern{a, n}`, `pattern{n}.where(n >= 3)`. Safe to use from any
// thread.
class pattern {
 public:
  // Throws type_error when a label stands twice or one field name has two types.
  pattern(std::initializer_list<detail::label_ref> labels);

  // The same pattern with a guard over its tags, beside the guard that it has. Throws type_error when the guard is no
  // condition or names a tag that the pattern does not.
  pattern where(const expression& guard) const;

  const variant_type& labels() const { return labels_; }
  const std::optional<expression>& guard() const { return guard_; }

 private:
  variant_type labels_;
  std::optional<expression> guard_;
};

namespace detail {
// A synchrocell remembers which of its slots are full in the bits of one word.
inline constexpr std::size_t most_patterns = 32;
}  // namespace detail

class pattern_list;
pattern_list operator|(pattern_list left, const pattern& right);

// One pattern or several, any of which will do: `pattern{a} | pattern{b}`. A value.
class pattern_list {
 public:
  pattern_list(pattern one);
  pattern_list(std::initializer_list<detail::label_ref> labels);

  const std::vector<pattern>& patterns() const { return patterns_; }

 private:
  std::vector<pattern> patterns_;
  friend pattern_list operator|(pattern_list left, const pattern& right);
};

// `{a, <n>}`, `{<n>} if <n==1>`, and several joined by ` | `.
std::string to_string(const pattern& p);
std::string to_string(const pattern_list& list);

namespace detail {

// `[|{a}, {b, <t>}|]`: a synchrocell of these patterns.
std::string notation_of_cell(const std::vector<pattern>& patterns);

// Why records of this shape do not match a pattern of these labels, as a sentence that starts with "it" or "the
// record"; "" when they do.
std::string mismatch(std::span<const label_info* const> labels, const shape& s);

// What is wrong with an expression, or a guard, over the tags among these labels, in words; "" when nothing is.
std::string wrong_tags(const expression& e, std::span<const label_info* const> labels);
std::string wrong_guard(const expression& guard, std::span<const label_info* const> labels);

}  // namespace detail
}  // namespace weir
