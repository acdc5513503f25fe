#pragma once

namespace weir::detail {

class core_ledger;
class machine_user;

// What becomes of runs when their process ends by exit(), or is copied by fork().
//
// exit() destroys static objects while all threads go on. From its beginning runs are stopped without a word: their
// threads finish the invocations that they are in, for which it waits a second at most, and then rest; another thread
// that would learn of it, in send or while iterating, waits for the end of the process. A run that is destroyed in a
// thread which is inside of one, since a box called exit(), is left as it is: that thread cannot wait for itself.
//
// In a child made by fork() there is none of those threads, and locks may be held for ever: nothing is started there,
// and a run of the parent's that is destroyed is left as it is.
class process {
 public:
  // A run that is there.
  class with {
   public:
    with(machine_user& run, core_ledger& ledger);
    ~with();
    with(const with&) = delete;

   private:
    machine_user& run_;
  };

  static void refuse_in_child(const char* call);  // throws std::logic_error in a child of a process that had runs
  static bool is_exiting() noexcept;
  static bool goes_on() noexcept;                             // it is neither that child nor exiting
  static bool may_destroy(const machine_user& run) noexcept;  // in this thread

  // Does not return in another thread than that which called exit(), if one did.
  static void hold_others() noexcept;
};

}  // namespace weir::detail
