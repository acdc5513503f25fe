#pragma once

#include <stop_token>

#include "scheduler/machine/core_set.hpp"

namespace weir::detail {

// A run, as the machine that it shares with others knows it.
class machine_user {
 public:
  // Its part of the cores from now on, when runs come or go.
  virtual void set_partition(core_set cores) noexcept = 0;

  // ---- by the machine's controller thread, which holds no lock ----
  virtual bool wants_step() const = 0;
  virtual void step_or_end() noexcept = 0;      // learns what was observed and acts on it; without memory the run ends
  virtual bool look_for_hangs() = 0;            // whether any thread of it did something, or still does
  virtual void see_to_messages() noexcept = 0;  // that callbacks are told what they are to hear

  // ---- at the process's end ----
  // Stops it, and wakes nobody: its threads go on to their end, and rest there until they are joined.
  virtual std::stop_source freeze() noexcept = 0;
  // What inside_call names it by.
  virtual const void* identity() const noexcept = 0;

 protected:
  ~machine_user() = default;
};

}  // namespace weir::detail
