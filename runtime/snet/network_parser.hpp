#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/snet/expression_parser.hpp"
#include "runtime/snet/syntax.hpp"
#include "runtime/snet/token_reader.hpp"
#include "runtime/threads/stack_room.hpp"

namespace weir::detail::snet {

// Parses network expressions, with what stands in them: records, patterns and filters.
class network_parser {
 public:
  explicit network_parser(token_reader& in) : in_(in), expressions_(in) {}

  net_syntax network();

  // Filters that end without `else`, which S-Net does not have. Networks in C++ may, and print so.
  const std::vector<remark>& without_else() const { return without_else_; }

  record_syntax record(std::string_view open, std::string_view close);  // `{a, <t>}` or `(a, <t>)`

  // Whether a network begins here, and not a definition with a fault in its first word.
  bool begins_network() const;

  // Counts a level of nesting while it exists: a net within another.
  class nested {
   public:
    explicit nested(network_parser& in) : in_(in) {
      if (++in_.depth_ > deepest || !stack_room::has(stack_kept)) {
        --in_.depth_;
        token_reader::fail_too_deep(in_.in_.now().begin);
      }
    }
    ~nested() { --in_.depth_; }
    nested(const nested&) = delete;

   private:
    network_parser& in_;
  };

 private:
  net_syntax ended(net_syntax& row) const;
  net_syntax with_postfixes(net_syntax net);
  net_syntax primary();
  net_syntax filter(const opened& from);
  net_syntax cell();
  clause_syntax clause(bool is_guarded);
  void outputs(clause_syntax& into);
  output_syntax output();
  item_syntax item();
  std::vector<pattern_syntax> patterns();
  pattern_syntax pattern();
  term guard();  // `if <..>`
  label_syntax label(const char* what);
  label_syntax tag();  // `<t>` or `<#t>`
  net_syntax around(net_syntax inner, net_syntax::form what, offset place) const;
  postfix_syntax postfix();
  bool begins_postfix() const;
  void count_network(offset place);
  void refuse_inner_forms() const;
  term expression() { return expressions_.expression(*pattern_, depth_); }

  token_reader& in_;
  expression_parser expressions_;
  const record_syntax* pattern_ = nullptr;  // whose tags an expression may name
  std::uint32_t depth_ = 0;
  std::size_t networks_ = 0;
  std::vector<remark> without_else_;
};

}  // namespace weir::detail::snet
