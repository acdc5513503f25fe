#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "runtime/record/label.hpp"

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
  // The bounds of one expression, far beyond what anyone writes on purpose. Code that walks over one may recurse. A
  // shared node counts each time it is written: `e = e + e` in a loop is refused before printing it takes long.
  static constexpr std::uint32_t deepest = 1'000, largest = 100'000;

  // The most intermediate results that an evaluation keeps. If neither operand is a leaf, the one that keeps more is
  // evaluated first. An expression that keeps k results therefore has at least 2^(k + 1) operations.
  static constexpr int most_kept = 15;
  static_assert((std::uint32_t{2} << (most_kept + 1)) > largest);

  operation what;
  bool is_condition = false;
  std::uint8_t kept = 0;              // intermediate results that its evaluation keeps
  std::uint32_t size = 1;             // operations, shared nodes counted each time
  std::uint32_t depth = 1;            // operations inside each other
  std::int64_t value = 0;             // of a constant
  const label_info* label = nullptr;  // of a variable
  std::array<std::shared_ptr<const expression_node>, 3> operands{};

  bool is_leaf() const { return what == operation::constant || what == operation::variable; }
};

}  // namespace weir::detail
