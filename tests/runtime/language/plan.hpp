#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

// Networks, records and expressions as plain data, for tests. The oracle (oracle.hpp) interprets them, and realised.hpp
// makes the runtime's networks from them. They share no code with the runtime and include none of it.
namespace weir::testing::language {

// A label as it prints: "a", "<n>", "<#k>". Fields come before tags before binding tags; each group by name.
struct label_order {
  bool operator()(const std::string& x, const std::string& y) const;
};
inline bool is_tag(const std::string& label) { return label[0] == '<' && label[1] != '#'; }
inline bool is_binding(const std::string& label) { return label[0] == '<' && label[1] == '#'; }
using label_set = std::set<std::string, label_order>;
using plain_value = std::variant<std::int64_t, std::string>;  // a text is the value of a field of type std::string
using plain_record = std::map<std::string, plain_value, label_order>;
std::string to_string(const label_set& labels);
label_set labels_of(const plain_record& r);
std::string to_string(const plain_record& r);

// The record ends here by an error.
struct record_ends : std::runtime_error {
  using runtime_error::runtime_error;
};

// An integer expression over tags.
struct term {
  enum operation {
    number,
    label,
    negated,
    opposite,
    absolute,  // of none or one part
    plus,
    minus,
    times,
    over,
    rest,
    least,
    most,  // of two
    equal,
    unequal,
    less,
    at_most,
    greater,
    at_least,
    both,
    either,  // conditions
    chosen   // of three
  };
  operation what = number;
  std::int64_t value = 0;
  std::string name{};
  std::vector<term> parts{};
};
term constant(std::int64_t value);
term value_of(const std::string& tag);
term made(term::operation what, std::vector<term> parts);
std::int64_t evaluate(const term& t, const plain_record& r);  // throws record_ends
std::string to_string(const term& t);

struct plain_pattern {
  label_set labels;
  std::optional<term> guard;
};
bool fits(const label_set& wanted, const label_set& there);  // all fields and tags, and exactly the binding tags
bool matches(const plain_pattern& p, const plain_record& r);
std::string to_string(const plain_pattern& p);

// The kinds of boxes. `labels` are theirs, in the order of the list below.
enum class box_kind {
  constant,   // ()           -> (t)                  the salt
  computing,  // (t)          -> (t2)
  mixing,     // (i, t)       -> (i2, t2)
  copying,    // (t)          -> (t2)                 0..3 records
  deciding,   // (t)          -> (t, i) | (t, t2)     one or both
  texting,    // (s)          -> (s2, t)
  moving,     // (s)          -> (s)                  takes the text by &&
  dropping,   // (i)          -> (i)                  or nothing
  picky,      // (t)          -> (t)                  throws
  half_way,   // (t)          -> (t)                  emits, then throws
  straying,   // (t)          -> (t)                  emits, then emits an undeclared label
  marking,    // (t)          -> (t, b) | (t)         a binding tag
  unmarking,  // (t, b)       -> (t, t2)
  stepping,   // (t, t2)      -> (t) | (t3)           both: the state and a result
  sinking     // (t)          -> nothing
};
struct plain_box {
  std::string name;
  box_kind kind{};
  std::vector<std::string> labels;
  std::int64_t salt = 0;
  int width = 0;  // 0: no limit; 1: serial
};
label_set taken(const plain_box& b);
std::vector<label_set> given(const plain_box& b);
std::int64_t mixed(std::int64_t v, std::int64_t salt);                   // computation of boxes: small, of either sign
std::int64_t phase(std::int64_t v, std::int64_t salt, std::int64_t of);  // 0 .. of-1
std::int64_t added(std::int64_t x, std::int64_t y);
std::string shortened(const std::string& text, std::int64_t v);
std::int64_t length(const std::string& text);

// The kinds of folds. All but the last two take tags and give as many. The first tag is worked on as the kind says.
// Each other tag keeps its least value so far, so that the counter of a loop, which goes down, passes through a fold.
enum class fold_kind {
  summing,    // the sum, at the end
  least,      // the least, at the end
  picky,      // the sum; the step throws for some values, after it has added them
  weary,      // the sum; the end throws for some sums, after it has given them
  gathering,  // all records, sorted, at the end
  chaining,   // a value that depends on the order, at the end
  running,    // the same for each record, and nothing at the end
  telling,    // the same for each record, and again at the end
  recalling,  // all records, in their order, at the end
  weighing,   // (i, t) -> (i2, t2)   the sum of both, at the end
  lasting     // (s, t) -> (s2, t2)   the last text, at the end
};
struct plain_fold {
  std::string name;
  fold_kind kind{};
  std::vector<std::string> labels;  // those it takes, then as many that it gives
  std::int64_t salt = 0;
  int width = 0;  // 0: no limit
};
label_set taken(const plain_fold& f);
label_set given(const plain_fold& f);
constexpr std::int64_t first_least = 3;  // a fold's value of the other tags before its first record
bool gives_for_each(fold_kind kind);     // for each record
bool has_end(fold_kind kind);            // whether it finishes
bool knows_order(fold_kind kind);        // whether its output depends on the order of its input

struct output_item {
  std::string label;
  enum { copied, renamed, computed } how = copied;
  std::string from{};  // renamed
  term value{};        // computed
};
struct plain_clause {
  std::optional<term> guard;
  std::vector<std::vector<output_item>> records;
};

// One of the record types that a branch of a choice takes. Only these come from the runtime: it infers the types that a
// compound branch takes (labels that later parts demand refine them), and the tests of signatures check them. The
// oracle computes the scores and ties itself.
struct input_variant {
  label_set labels;
  bool open = false;  // for all binding tags
};

struct plan;
using plan_ptr = std::shared_ptr<const plan>;

// A network as data.
struct plan {
  enum form { box, filter, sync, bypass, source, serial, choice, star, split, feedback, observed, fold };
  form what = bypass;
  bool ordered = false;  // wrapped in ordered(..)
  bool named = false;    // wrapped in .as(..)
  bool placed = false;   // wrapped in at(.., node), or of a split in at(.., by), which means nothing in one process
  int node = 1;
  bool by_tag = false;
  bool indexed = false;  // a split that is written as at(body, by): `!@`
  std::vector<plan_ptr> parts{};
  plain_box basis{};                                 // box, source
  plain_fold kept{};                                 // fold
  label_set pattern{};                               // filter
  std::vector<plain_clause> clauses{};               // filter
  std::vector<plain_pattern> patterns{};             // sync; exits of a star; what a feedback returns, or ends a branch
  std::string by{};                                  // split
  std::vector<std::vector<input_variant>> inputs{};  // choice: the inputs of each part
};
std::string to_string(const plan& p);  // similar to S-Net's notation

// The known order of the records that leave a network, if records arrive in a known order. `sequence`: all of it.
// `groups`: the order of groups, each caused by one input, with unknown order inside. `none`: nothing.
enum class order { sequence, groups, none };
order order_of(const plan& p);
bool is_single(const plan& p);  // at most one record out per record in, and for each end of a fold's input

bool has_end(const plan& p);  // whether a fold in it finishes

// Nesting depth of combinators other than serial composition; a network without them has depth 1.
int depth_of(const plan& p);

}  // namespace weir::testing::language
