#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weir/record/label.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

struct [[gnu::visibility("hidden")]] expression_node;

// The operands that are ours; integers are operands, too, but only next to one of these.
template <class T>
concept names_tag = std::same_as<T, tag> || std::same_as<T, btag> || std::same_as<T, expression>;

template <class T>
concept expression_operand = names_tag<T> || integer<T>;

// Two operands, at least one of them ours: operators on plain integers keep their meaning.
template <class X, class Y>
concept expression_operands = expression_operand<X> && expression_operand<Y> &&(names_tag<X> || names_tag<Y>);

}  // namespace detail

// An integer expression over tags and binding tags, for guards and filters. It is written with C++ operators:
// `pattern{n, k}.where(n > 0 && n % k == 0)`, `filter(takes(n)).emit(n = choose(n < 0, -n, 3 * n + 1))`.
//
// An immutable value that prints itself; copies share its parts. Any thread may use it.
//
// Arithmetic: values are std::int64_t and wrap around; `/` and `%` truncate towards zero. Division by zero is an error
// at run time: it ends the record that the expression is evaluated for, with failure_kind::division_by_zero.
//
// Conditions: comparisons are conditions, and so are the results of `&&`, `||`, `!` and choose on conditions.
// Everything else is a number. Where a number is needed, a condition counts as 1 or 0, as in `(n > k) + 1`. The other
// way round there is none: guards, and operators that take conditions, throw type_error for a number.
//
// Size: the operators throw type_error beyond 100,000 operations in all, or 1,000 inside each other. Those of a row, as
// in `a + b + c`, are not inside each other.
class expression {
 public:
  // A constant. Unsigned values of 64 bits and floating-point values do not compile.
  template <detail::integer T>
  expression(T value) : expression(constant(static_cast<std::int64_t>(value))) {
    static_assert(!detail::loses<T, std::int64_t>,
                  "weir::expression: an unsigned value of 64 bits may not fit; convert it, as in std::int64_t(x)");
  }
  expression(const tag& t) : expression(variable(t.info())) {}
  expression(const btag& t) : expression(variable(t.info())) {}

  bool is_condition() const;  // true: it may be a guard

  // The tags and binding tags that it names, each once, in the order of their first use from left to right.
  std::vector<const detail::label_info*> tags() const;

  // For the runtime.
  explicit expression(std::shared_ptr<const detail::expression_node> root) : root_(std::move(root)) {}
  const std::shared_ptr<const detail::expression_node>& root() const { return root_; }

 private:
  static expression constant(std::int64_t value);
  static expression variable(const detail::label_info* label);

  std::shared_ptr<const detail::expression_node> root_;
};

// Numbers from numbers.
expression operator+(const expression& x, const expression& y);
expression operator-(const expression& x, const expression& y);
expression operator*(const expression& x, const expression& y);
expression operator/(const expression& x, const expression& y);
expression operator%(const expression& x, const expression& y);
expression operator-(const expression& x);

// Conditions from numbers.
expression operator==(const expression& x, const expression& y);
expression operator!=(const expression& x, const expression& y);
expression operator<(const expression& x, const expression& y);
expression operator<=(const expression& x, const expression& y);
expression operator>(const expression& x, const expression& y);
expression operator>=(const expression& x, const expression& y);

// Conditions from conditions. The right side is not evaluated when the left one decides, so `k != 0 && n / k > 1` never
// divides by zero.
expression operator&&(const expression& x, const expression& y);
expression operator||(const expression& x, const expression& y);
expression operator!(const expression& x);

// x where the guard holds, else y; the other one is not evaluated. S-Net writes `guard ? x : y`. It is a condition if
// x and y both are. Throws type_error if the guard is no condition.
expression choose(const expression& guard, const expression& x, const expression& y);

expression abs(const expression& x);  // of the smallest std::int64_t: itself, by wrap-around

namespace detail {
expression least(const expression& x, const expression& y);
expression largest(const expression& x, const expression& y);
}  // namespace detail

// The smaller and the larger of two numbers; both are evaluated. Each has two overloads because of `using namespace
// std`. As std::min takes any two operands of one type, C++ prefers ours only if it has the same parameters and more
// constraints.
template <class X, class Y>
requires detail::expression_operands<X, Y> expression min(const X& x, const Y& y) { return detail::least(x, y); }
template <class T>
requires detail::names_tag<T> expression min(const T& x, const T& y) { return detail::least(x, y); }
template <class X, class Y>
requires detail::expression_operands<X, Y> expression max(const X& x, const Y& y) { return detail::largest(x, y); }
template <class T>
requires detail::names_tag<T> expression max(const T& x, const T& y) { return detail::largest(x, y); }

// S-Net's notation, with no more parentheses than it needs: `n%2==0`, `3*n+1`, `(n+1)*k`, `n<0?-n:n`, `min(n,#b)`.
std::string to_string(const expression& e);

namespace detail {

// The value of `tag = expression`: in a filter, a tag of an output with its value. A condition counts as 1 or 0.
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
