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

// One operation of an expression and its operands. Immutable and shared by whatever expressions it is part of, from any
// thread. Trees may be as deep as they are large: everything that walks over one keeps its own stack.
struct expression_node {
  // Operations of one expression at most, counted as often as they are written: far beyond any that is meant, and
  // little enough that `e = e + e` in a loop, which shares its halves, is refused before printing or compiling it takes
  // long.
  static constexpr std::uint32_t largest = 1'000'000;

  // Intermediate results that evaluation keeps at most. Of two operands that are no leaves the one that keeps more is
  // evaluated first, so an expression that keeps k has 2^k others of two operations or more inside.
  static constexpr int most_kept = 18;
  static_assert((std::uint32_t{2} << (most_kept + 1)) > largest);

  operation what;
  bool is_condition = false;
  std::uint8_t kept = 0;
  std::uint32_t size = 1;
  std::int64_t value = 0;             // of a constant
  const label_info* label = nullptr;  // of a variable
  std::array<std::shared_ptr<const expression_node>, 3> operands{};
  mutable const expression_node* next_dead = nullptr;  // once no one has it: the one to be deleted after it

  bool is_leaf() const { return what == operation::constant || what == operation::variable; }
};

}  // namespace weir::detail
