#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/snet/syntax.hpp"
#include "runtime/snet/token_reader.hpp"

namespace weir::detail::snet {

// Parses tag expressions, those of C and `min`, `max`, `abs`.
class expression_parser {
 public:
  explicit expression_parser(token_reader& in) : in_(in) {}

  // The expression that begins here, behind this pattern, at this depth of nets.
  term expression(const record_syntax& pattern, std::uint32_t depth);

  std::int64_t number(bool negative);

 private:
  std::vector<word> prefixes(const record_syntax& pattern);
  term leaf();
  term prefixed(term inner, const std::vector<word>& prefixes) const;
  bool begins_operand(const token& t) const;
  bool is_prefix_abs(const record_syntax& pattern) const;
  int binds_here() const;
  term combined(term made) const;

  token_reader& in_;
  std::size_t operands_ = 0;
};

}  // namespace weir::detail::snet
