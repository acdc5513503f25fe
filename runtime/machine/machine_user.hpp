#pragma once

#include <stop_token>

#include "scheduler/machine/core_set.hpp"

namespace weir::detail {

class process_threads;

// A run as its machine knows it.
class machine_user {
 public:
  // Sets the run's part of the cores, whenever a run comes or goes.
  virtual void set_partition(core_set cores) noexcept = 0;

  // ---- by the machine's controller thread, which holds no lock ----
  virtual bool wants_step() const = 0;
  virtual void step_or_end() noexcept = 0;      // learns from observations and acts; without memory the run ends
  // Looks for invocations that hang, and for boxes with too many threads. Returns whether any of its threads did
  // something, or still does.
  virtual bool watch(const process_threads& threads) = 0;
  virtual void see_to_messages() noexcept = 0;  // sees that callbacks get their messages

  // ---- at the process's end ---- Stops the run and wakes no thread: its threads finish what they do, then rest until
  // they are joined. Returns the source through which its boxes are asked to stop.
  virtual std::stop_source freeze() noexcept = 0;
  // The pointer by which inside_call knows the run.
  virtual const void* identity() const noexcept = 0;

 protected:
  ~machine_user() = default;
};

}  // namespace weir::detail
