#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/patterns/expression.hpp"

namespace weir {

class pattern;  // runtime/patterns/pattern.hpp

namespace detail {

// Thrown by the evaluation of an expression that divides by zero.
struct division_by_zero {
  const pattern* guarded = nullptr;  // whose guard it is
};

class program;

// Throws std::invalid_argument naming a tag of the expression that is not among the variables.
program compile(const expression& e, std::span<const label_info* const> variables);

// An expression made ready to be evaluated for many records: steps of an accumulator machine. Immutable; an evaluation
// takes constant space and no allocation. Any number of threads may evaluate at once.
class program {
 public:
  // The value of the expression, of a condition 1 or 0, for these values of its variables, in the order in which they
  // were given to compile. Throws division_by_zero.
  std::int64_t operator()(const std::int64_t* values) const;

 private:
  enum class source : std::uint8_t { given, variable, kept };
  struct step {
    std::uint8_t code;
    source from;           // of the right operand
    bool swapped = false;  // the accumulator is the right operand instead
    std::int64_t given;    // the operand itself, the number of a variable, or where to jump
  };
  class compiler;

  program() = default;

  std::vector<step> steps_;

  friend program compile(const expression& e, std::span<const label_info* const> variables);
};

}  // namespace detail
}  // namespace weir
