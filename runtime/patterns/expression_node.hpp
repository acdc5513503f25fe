#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <weir/record/label.hpp>

namespace weir::detail {

enum class operation : std::uint8_t {
  constant,
  variable,
  negate,
  invert,  // !
  absolute,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  minimum,
  maximum,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  both,    // &&
  either,  // ||
  choose,
};

// One operation of an expression and its operands. Immutable; expressions of any thread share the nodes that they have
// in common.
struct expression_node {
  // The bounds of one expression, far beyond what anyone writes on purpose. A shared node counts each time it is
  // written: `e = e + e` in a loop is refused before printing it takes long.
  //
  // Code that walks over an expression may recurse, but not where goes_on() is true. Rows such as `a + b + c` and `a ?
  // x : b ? y : z` are not nested, and may be as long as an expression is large.
  static constexpr std::uint32_t deepest = 1'000, largest = 100'000;

  // The most intermediate results that an evaluation keeps. If neither operand is a leaf, the one that keeps more is
  // evaluated first. An expression that keeps k results therefore has at least 2^(k + 1) operations.
  static constexpr int most_kept = 15;
  static_assert((std::uint32_t{2} << (most_kept + 1)) - 1 > largest);

  operation what;
  bool is_condition = false;
  std::uint8_t kept = 0;              // intermediate results that its evaluation keeps
  std::uint32_t size = 0;             // operations, shared nodes counted each time
  std::uint32_t depth = 1;            // operations inside each other, a leaf included
  std::int64_t value = 0;             // of a constant
  const label_info* label = nullptr;  // of a variable
  std::array<std::shared_ptr<const expression_node>, 3> operands{};

  bool is_leaf() const { return what == operation::constant || what == operation::variable; }

  // The operand that is written in front of a row's last operator, `a + b` of `a + b + c`, or behind the last `:`;
  // null: a leaf. It may be as deep as an expression is large.
  const std::shared_ptr<const expression_node>& goes_on() const { return operands[what == operation::choose ? 2 : 0]; }

  // Destroys the nodes of a row one by one, since by default their destructors would recurse.
  ~expression_node() {
    auto next = std::move(operands[what == operation::choose ? 2 : 0]);
    while (next && next.use_count() == 1) {
      auto behind = next->goes_on();
      next = std::move(behind);
    }
  }
};

}  // namespace weir::detail
