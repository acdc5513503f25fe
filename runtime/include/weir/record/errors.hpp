#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace [[gnu::visibility("default")]] weir {

class record;

// Thrown while a network is built, before anything runs, when the network can never work. The message names both sides,
// the label or type that one side needs, the labels that the other side has, and the place.
//
// Labels, records and patterns throw it, too, when they contradict themselves: one label twice, or one field name with
// two types. `emitter` throws it for labels that the box did not declare.
class type_error : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The errors of one record while a network runs. Each error ends only its record. Whether the run then stops or goes on
// is option `on_error`.
enum class failure_kind {
  no_match,           // a choice, box or filter does not take the record, or it would never leave a star
  tag_missing,        // the record lacks the tag of a split
  no_guard_true,      // in a filter without .otherwise()
  division_by_zero,   // in an expression or guard
  box_threw,          // a box, a predictor or an observer threw
  undeclared_emit,    // a box emitted labels that are none of its declared outputs
  too_deep,           // a star would exceed option max_depth
  too_many_held,      // one place of the network would hold more records than option max_held
  too_many_branches,  // a split would exceed option max_branches
  not_accepted,       // send: the record fits no input variant
  closed,             // send after close or stop
  no_thread,          // no thread could be started
  out_of_memory,      // std::bad_alloc, from a box or in weir itself
  not_sent,           // a field of the record cannot go to the rank that it is to go to
  rank_lost,          // a rank of the run is dead, hangs, or is cut off
  timed_out,          // a box threw timed_out_error: its process took longer than allowed, and was ended
  needs_too_much      // an invocation needs more of a resource than there is, or its need is no amount
};

inline constexpr int failure_kinds = static_cast<int>(failure_kind::needs_too_much) + 1;  // how many kinds there are

// The kind in words: "no match", "box threw".
std::string to_string(failure_kind kind);

// Every entity of a network has a path. Errors, traces, observers and reports use it. A path lists these steps, from
// the outermost combinator inwards:
//   `:S<n>`: the n-th element of a chain `a >> b >> c`, from 1.
//   `:P<n>`: the n-th branch of a choice, from 1.
//   `:R<n>`: the n-th stage of a star, from 1.
//   `:I<v>`: the branch of a split for the value v of its tag.
// So ":S2:I-7" is branch -7 of the split that is the second element of a chain. "" is the network itself.

// One record that an error ended. Plain data.
struct failure {
  failure_kind kind{};  // what went wrong
  std::string path;     // of the entity where the record ended, such as ":S2:I-7:R3"; see above
  std::string entity;   // its name, such as "multiply"
  // As to_string printed it when the error happened; "" when it could not be printed. A long value is cut after 200
  // bytes, with the number of missing bytes, `... (1048376 bytes more)`; a record after 4 kB, behind a whole label.
  std::string record;
  std::string cause;  // a sentence, such as `the box threw "..."`, up to 1000 bytes of its what(); or "out of memory"

  // The record itself, as it was at that entity: to look into, or to send again, `run.send(*f.as_record)`. Fields that
  // the box took by T&& are as the box left them. While it is kept, no other record is the only holder of its fields.
  // Null when it is not kept: of older failures (option max_failed_records_kept), and where no record was the cause.
  std::shared_ptr<const weir::record> as_record{};

  int rank = 0;  // where it happened, if several ranks run the network
};

// The failure as one sentence: `multiply at :S2: the box threw "matrix is singular"; record {a=Matrix, <n>=3}`.
std::string to_string(const failure& f);

// Thrown through a box whose work took longer than it was allowed to: its record fails as timed out. Commands of
// <weir/process.hpp> throw it; so may a box that bounds its work itself.
class timed_out_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An error of a running network. With on_error::stop, the error that stopped the run is thrown where the caller next
// meets the run: in send, while iterating, or in wait. `start()` throws it when the system gives no thread. `what()` is
// to_string(details()).
class run_error : public std::runtime_error {
 public:
  explicit run_error(failure details);                 // for the runtime, and for tests
  const failure& details() const { return failure_; }  // which record, where and why

 private:
  failure failure_;
};

// Thrown by `send` and `try_send` for a record that they do not take: it fits no input variant, or the input is closed,
// or the run was stopped. The run itself is not affected. details().kind is not_accepted or closed.
class send_error : public run_error {
  using run_error::run_error;
};

}  // namespace weir
