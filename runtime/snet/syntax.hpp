#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <weir/record/label.hpp>
#include "runtime/snet/source_text.hpp"

// A text of S-Net as the parser understands it, before names have a meaning. Names refer to the text.
namespace weir::detail::snet {

// The deepest nesting of nets and parentheses in the text, and of rows and operations in the result. It bounds the
// recursion of the parser over nets and of others over the result. With two kilobytes of stack for each level they use
// a quarter of the usual 8 MB. A row is not nested: operands of one combinator, postfix forms one behind the other,
// terms of a sum.
inline constexpr std::uint32_t deepest = 1000;

// Bytes of the stack that are left where the text goes a level deeper: on smaller stacks it is refused earlier.
inline constexpr std::size_t stack_kept = std::size_t{32} << 10;

// The most operands of combinators and postfix forms, operands of tag expressions, and labels of one record. They bound
// memory: 10 MB of text may have three million networks in it.
inline constexpr std::size_t most_networks = 1'000'000, most_operands = 1'000'000, most_labels = 1'000;

struct word {
  std::string_view text;
  offset place = 0;
};

struct label_syntax {
  label_kind kind = label_kind::field;
  std::string_view name;
  offset place = 0;  // of `a`, or of the `<` of `<t>`
};

struct record_syntax {
  std::vector<label_syntax> labels;
  offset place = 0;
};

// A tag expression. Operations are named as C++ writes them: "min" and "abs" of calls, "!", and "neg", the prefix
// minus. "?" stands for `a ? x : b ? y : z` with all its operands, in order. "" is a leaf, or with operands a row of
// operators that bind alike, such as `a + b - c`.
struct term {
  std::string_view operation;
  offset place = 0;  // of the operator, or of the leaf
  std::int64_t value = 0;
  std::optional<label_syntax> variable{};
  std::vector<term> operands{};
  std::vector<word> signs{};  // of a row: between its operands; of "?": each `?`
  std::uint32_t depth = 1;    // operations inside each other, as weir::expression counts them
  int binds = closed;         // how tightly it binds

  static constexpr int loosest = 1, prefixed = 8, closed = 9;
};

struct pattern_syntax {
  record_syntax labels;
  std::optional<term> guard;
};

struct item_syntax {
  label_syntax to;
  std::optional<word> from;  // of a field
  std::optional<term> value;
};
struct output_syntax {
  std::vector<item_syntax> items;
  offset place = 0;
};
struct clause_syntax {
  std::optional<term> guard;
  std::vector<output_syntax> outputs;
  offset place = 0;
};
struct filter_syntax {
  record_syntax pattern;
  std::vector<clause_syntax> clauses;
};

// `*`, `!`, `\`, `@` and what belongs to it, behind a network.
struct postfix_syntax {
  enum form { star, split, feedback, placed };
  form what;
  bool in_order = false;  // `**`, `!!`, `!!@`
  offset place = 0;
  std::vector<pattern_syntax> patterns{};  // star, feedback; split: where a branch ends
  label_syntax by{};                       // split; placed, if not by number
  std::optional<int> node{};               // placed
};

// A network expression.
struct net_syntax {
  enum form { name, bypass, filter, cell, serial, choice, ordered, postfixed };
  form what = bypass;
  bool in_order = false;                   // `||`
  offset place = 0;                        // of the operator, or of the whole if it has none
  std::string_view called{};               // name
  std::vector<net_syntax> parts{};         // serial, choice, and the one of ordered and postfixed
  std::vector<offset> signs{};             // serial, choice: of the operators between the parts
  std::vector<postfix_syntax> forms{};     // postfixed: from left to right
  std::vector<pattern_syntax> patterns{};  // cell
  std::uint32_t depth = 1;
  std::unique_ptr<filter_syntax> of{};  // filter
};

struct type_syntax {
  struct variant {
    std::optional<word> named;
    record_syntax labels;
  };
  std::vector<variant> variants;
};
struct map_syntax {
  std::optional<word> named;      // a typesig
  std::optional<type_syntax> in;  // none: an initialiser
  std::vector<type_syntax::variant> out;
  bool is_open = false;  // `-> ...`
  offset place = 0;
};

struct definition {
  enum form { net, box, type, typesig };
  form what = net;
  word name;
  offset end = 0;
  bool is_broken = false;  // it has a fault, and only form and name are known

  std::optional<std::vector<map_syntax>> signature;  // net; typesig
  std::vector<definition> inside;                    // net
  std::optional<net_syntax> connects;                // net; none: external

  bool is_initialiser = false;          // box
  record_syntax takes;                  // box
  std::vector<record_syntax> variants;  // box; none: a sink
  type_syntax stands_for;               // type
};

// A whole text. The last net is the top, unless an expression stands behind all definitions.
struct module {
  std::vector<definition> definitions;
  std::optional<net_syntax> alone;  // that expression
};

// Where the text has what a layout needs, in the order of the text: tokens as the parser took them.
enum class token_role : std::uint8_t {
  plain,
  combinator,  // with a space to either side
  postfix,     // `*`, `!`, `@`, `\` behind a network
  operation,   // inside < >
  prefix,      // inside < >, and `#`
  tag_open,    // the `<` and `>` around a tag or guard
  tag_close,
  body_open,  // the braces around definitions
  body_close,
  list_open,  // ( [ { in front of the rest
  list_close,
  separator,       // , and ;
  definition_end,  // ; behind a definition
  metadata
};
struct placed_token {
  offset begin, end;
  token_role role;
};

}  // namespace weir::detail::snet
