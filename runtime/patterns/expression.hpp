#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/record/label.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {

struct [[gnu::visibility("hidden")]] expression_node;

template <class T>
concept names_tag = std::same_as<T, tag> || std::same_as<T, btag> || std::same_as<T, expression>;

template <class T>
concept expression_operand = names_tag<T> || integer<T>;

// Two operands at least one of which is ours: the operators on plain integers stay what they are.
template <class X, class Y>
concept expression_operands = expression_operand<X> && expression_operand<Y> &&(names_tag<X> || names_tag<Y>);

}  // namespace detail

// An integer expression over tags and binding tags, for guards and filters: `n % 2 == 0`, `3 * n + 1`. An immutable
// value that prints itself; copies share. Safe to use from any thread.
//
// Values are 64-bit and wrap around; `/` and `%` truncate. Comparisons and what `&& || !` and choose make of them are
// conditions, nothing else is. Where a condition is needed and something else is given, or the other way round, the
// operator throws type_error naming both.
class expression {
 public:
  template <detail::integer T>
  expression(T value) : expression(constant(static_cast<std::int64_t>(value))) {
    static_assert(!detail::loses<T, std::int64_t>,
                  "weir::expression: an unsigned value of 64 bits may not fit; convert it, as in std::int64_t(x)");
  }
  expression(const tag& t) : expression(variable(t.info())) {}
  expression(const btag& t) : expression(variable(t.info())) {}

  bool is_condition() const;

  // The tags it names, each once, as they come first from left to right.
  std::vector<const detail::label_info*> tags() const;

  // For the runtime.
  explicit expression(std::shared_ptr<const detail::expression_node> root) : root_(std::move(root)) {}
  const std::shared_ptr<const detail::expression_node>& root() const { return root_; }

 private:
  static expression constant(std::int64_t value);
  static expression variable(const detail::label_info* label);

  std::shared_ptr<const detail::expression_node> root_;
};

expression operator+(const expression& x, const expression& y);
expression operator-(const expression& x, const expression& y);
expression operator*(const expression& x, const expression& y);
expression operator/(const expression& x, const expression& y);
expression operator%(const expression& x, const expression& y);
expression operator-(const expression& x);

expression operator==(const expression& x, const expression& y);
expression operator!=(const expression& x, const expression& y);
expression operator<(const expression& x, const expression& y);
expression operator<=(const expression& x, const expression& y);
expression operator>(const expression& x, const expression& y);
expression operator>=(const expression& x, const expression& y);

// The right side is not evaluated when the left decides: `k != 0 && n / k > 1` divides by no zero.
expression operator&&(const expression& x, const expression& y);
expression operator||(const expression& x, const expression& y);
expression operator!(const expression& x);

// x where the guard holds, else y, S-Net's `guard ? x : y`; the other one is not evaluated.
expression choose(const expression& guard, const expression& x, const expression& y);

expression abs(const expression& x);

namespace detail {
expression least(const expression& x, const expression& y);
expression largest(const expression& x, const expression& y);
}  // namespace detail

// Two overloads each: std::min takes any two of one type, and under `using namespace std` only a more constrained
// function of the same parameters is preferred to it.
template <class X, class Y>
requires detail::expression_operands<X, Y> expression min(const X& x, const Y& y) { return detail::least(x, y); }
template <class T>
requires detail::names_tag<T> expression min(const T& x, const T& y) { return detail::least(x, y); }
template <class X, class Y>
requires detail::expression_operands<X, Y> expression max(const X& x, const Y& y) { return detail::largest(x, y); }
template <class T>
requires detail::names_tag<T> expression max(const T& x, const T& y) { return detail::largest(x, y); }

// `n%2==0`, `3*n+1`, `(n+1)*k`, `n<0?-n:n`, `min(n,#b)`: S-Net's notation, with the parentheses that are needed.
std::string to_string(const expression& e);

namespace detail {

// What `tag = expression` gives: in a filter the value of a tag of an output. A condition counts as 1 or 0.
struct computed_tag {
  const label_info* label;
  expression value;
};

}  // namespace detail

inline detail::computed_tag tag::operator=(const expression& value) const { return {info(), value}; }
inline detail::computed_tag tag::operator=(const tag& value) const { return {info(), value}; }
inline detail::computed_tag btag::operator=(const expression& value) const { return {info(), value}; }
inline detail::computed_tag btag::operator=(const btag& value) const { return {info(), value}; }

}  // namespace weir
