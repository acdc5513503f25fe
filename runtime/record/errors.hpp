#pragma once

#include <stdexcept>
#include <string>

namespace [[gnu::visibility("default")]] weir {

// A network that can never work: thrown while it is built, before anything runs. what() names both sides, what is
// needed, what there is, and the place.
class type_error : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// What can go wrong with one record while a network runs.
enum class failure_kind {
  no_match,           // a choice, box or filter that does not take the record; a star that it would never leave
  tag_missing,        // a split without its tag
  no_guard_true,      // in a filter
  division_by_zero,   // in an expression or guard
  box_threw,          // a box, a predictor or an observer threw
  undeclared_emit,    // a box emitted labels that are none of its declared outputs
  too_deep,           // a star beyond option max_depth
  too_many_held,      // beyond option max_held
  too_many_branches,  // of a split, beyond option max_branches
  not_accepted,       // send: the record fits no input variant
  closed,             // send after close or stop
  no_thread,          // no thread could be started
  out_of_memory       // std::bad_alloc, from a box or in weir itself
};

inline constexpr int failure_kinds = static_cast<int>(failure_kind::out_of_memory) + 1;

// "no match", "box threw": for reading.
std::string to_string(failure_kind kind);

// Every entity of a network has a path, from the outermost combinator inwards; "" is the network itself. Errors,
// traces, observers and reports use it.
//   :S<n>  the n-th of a chain `a >> b >> c`, from 1       :R<n>  the n-th stage of a star, from 1
//   :P<n>  the n-th branch of a choice, from 1             :I<v>  the branch of a split for the tag's value v

// One record that came to its end by an error. Plain data.
struct failure {
  failure_kind kind{};
  std::string path;    // the entity's, such as ":S2:I-7:R3": see above
  std::string entity;  // its name, such as "multiply"
  std::string record;  // as to_string printed it when the error happened; "" when it could not be printed
  std::string cause;   // what() of the box's exception, or a sentence; "out of memory" where there was none for that
};

// `multiply at :S2: the box threw "matrix is singular"; record {a=Matrix, <n>=3}`.
std::string to_string(const failure& f);

// An error of a running network, thrown where the caller meets it: in send, while iterating, in wait.
class run_error : public std::runtime_error {
 public:
  explicit run_error(failure details);
  const failure& details() const { return failure_; }

 private:
  failure failure_;
};

// A record that `send` does not take: it fits no input variant, or the input is closed, or the run was stopped. What
// runs is not affected.
class send_error : public run_error {
  using run_error::run_error;
};

}  // namespace weir
