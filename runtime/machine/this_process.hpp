#pragma once

namespace weir::detail {

class core_ledger;
class machine_user;

// Handles the end of the process by exit(), and its copy by fork(), for all runs.
//
// exit() destroys static objects while all threads go on. When it begins, all runs are stopped silently. Their threads
// finish their current invocations and then rest; exit() waits a second at most for that. Any other thread that would
// notice the stop, in send or while iterating, waits for the end of the process, for three seconds. A process that
// still exists then may be waiting for that thread, which meets the stop. If a box called exit(), a run may be
// destroyed inside a call of the user's code. It is then left as it is, since that thread cannot wait for itself.
//
// A child made by fork() has none of the runs' threads, and locks may be held for ever. So no run can be started there,
// calls that wait for a run of the parent's throw, and destroying it leaves it as it is.
class this_process {
 public:
  // Registers a run while it exists.
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
  static bool goes_on() noexcept;                             // neither such a child nor exiting
  static bool may_destroy(const machine_user& run) noexcept;  // in the calling thread

  // Once the process is exiting, holds all threads but the one that called exit(), until three seconds after that.
  static void hold_others() noexcept;
};

}  // namespace weir::detail
