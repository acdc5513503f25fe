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
// in common. A tree may be as deep as it is large, so all code that walks over one keeps its own stack.
struct expression_node {
  // The most operations of one expression; a shared node counts each time it is written. It is far more than anyone
  // writes on purpose. `e = e + e` in a loop shares its halves, and is refused before printing or compiling it takes
  // long.
  static constexpr std::uint32_t largest = 1'000'000;

  // The most intermediate results that an evaluation keeps. If neither operand is a leaf, the one that keeps more is
  // evaluated first. An expression that keeps k results therefore has at least 2^(k + 1) operations.
  static constexpr int most_kept = 18;
  static_assert((std::uint32_t{2} << (most_kept + 1)) > largest);

  operation what;
  bool is_condition = false;
  std::uint8_t kept = 0;              // intermediate results that its evaluation keeps
  std::uint32_t size = 1;             // operations, shared nodes counted each time
  std::int64_t value = 0;             // of a constant
  const label_info* label = nullptr;  // of a variable
  std::array<std::shared_ptr<const expression_node>, 3> operands{};
  mutable const expression_node* next_dead = nullptr;  // without holders: the node to delete after this one

  bool is_leaf() const { return what == operation::constant || what == operation::variable; }
};

}  // namespace weir::detail
