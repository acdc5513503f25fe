#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/record/record.hpp>
#include "runtime/placed/branch_ranks.hpp"

namespace weir::detail {

// A call that its home has sent and that is not over.
struct open_call {
  record_body* kept = nullptr;             // its context, and the labels that stayed; null: the number is free
  bool is_done = false;                    // all that it causes has left
  bool is_released = false;                // nothing inherits the labels any more that stayed
  record_body* whole = nullptr;            // if its part may move: the record that was sent, until the call is done
  int rank = -1;                           // that it was sent to
  branch_ranks::branch* branch = nullptr;  // where branches are spread by load; `kept` holds its scope
  std::uint64_t order = 0;                 // of sending: grows from call to call
  std::size_t results = 0;                 // held until the call is done
  bool says_done = false, has_failed = false;

  bool is_over() const { return is_done && is_released; }
};

// The table of open calls, by number, from 1 on; a number is used again after its call is over. Owns no record. The
// caller's lock guards it.
class open_calls {
 public:
  // Returns the call's number. Throws std::bad_alloc, and has done nothing then.
  std::uint64_t open(open_call c);
  // Undoes that, for a call that was not sent.
  open_call cancel(std::uint64_t number);
  // The call of a number, or of a subcall's number, that another rank sent. Throws std::runtime_error if there is none.
  open_call& at(std::uint64_t subcall);

  // The call is done, its labels are released, or both: frees the number once both hold. Returns what the call was,
  // with `whole` and `branch` if it is done by this. Throws as at(), also for a call that is done twice.
  open_call end(std::uint64_t number, bool done, bool released);

  std::size_t not_done() const { return not_done_; }
  // f(number, call) for each.
  template <class F>
  void each(const F& f) {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (calls_[i].kept) f(std::uint64_t{i + 1}, calls_[i]);
  }
  // Empties the table.
  std::vector<open_call> take_all() noexcept;

 private:
  void close(std::uint64_t number);

  std::vector<open_call> calls_;
  std::vector<std::uint64_t> free_;  // numbers; always has room for all
  std::size_t not_done_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace weir::detail
