#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weir/patterns/expression.hpp>

namespace weir {

class pattern;  // <weir/patterns/pattern.hpp>

namespace detail {

// Thrown by the evaluation of an expression that divides by zero.
struct division_by_zero {
  const pattern* guarded = nullptr;  // the pattern, if the expression is a guard of one
};

class program;

// Compiles an expression for records with these labels. Throws std::invalid_argument, naming the tag, when the
// expression names a tag that is not among the variables.
program compile(const expression& e, std::span<const label_info* const> variables);

// A compiled expression: the steps of an accumulator machine. Immutable. An evaluation allocates no memory, and any
// number of threads may evaluate at the same time.
class program {
 public:
  // Evaluates the expression; a condition gives 1 or 0. `values` are those of the variables, in the order that
  // compile() was given. Throws division_by_zero.
  std::int64_t operator()(const std::int64_t* values) const;

 private:
  enum class source : std::uint8_t { given, variable, kept };
  struct step {
    std::uint8_t code;
    source from;           // where the right operand comes from; the left one is the accumulator
    bool swapped = false;  // exchanges both operands
    std::int64_t given;    // the operand itself, the index of a variable, or the step to jump to
  };
  class compiler;

  program() = default;

  std::vector<step> steps_;

  friend program compile(const expression& e, std::span<const label_info* const> variables);
};

}  // namespace detail
}  // namespace weir
