#pragma once

#include <boost/intrusive/list.hpp>
#include <limits>
#include <stop_token>
#include <string>

#include <weir/scheduler/machine/core_set.hpp>
#include "runtime/machine/core_division.hpp"

namespace weir::detail {

class process_threads;

// A run as its machine knows it.
class machine_user : public boost::intrusive::list_base_hook<> {
 public:
  // Sets the run's part of the cores, when it comes and when a run that comes or goes changes it. Calls the controller.
  virtual void set_partition(core_set cores) noexcept = 0;

  // ---- by the machine's controller thread, which holds no lock ----
  virtual bool is_step_requested() const = 0;
  virtual void step_or_end() noexcept = 0;  // learns from observations and acts; without memory the run ends
  // Looks for invocations that hang, and for boxes with too many threads. Returns whether any of its threads did
  // something, or still does.
  virtual bool watch(const process_threads& threads) = 0;
  virtual void see_to_messages() noexcept = 0;  // sees that callbacks get their messages
  // Seconds until step_if_overdue() is to be called, though nothing is observed; infinity: it need not be.
  virtual double seconds_to_look() const { return std::numeric_limits<double>::infinity(); }
  virtual void step_if_overdue() noexcept {}
  virtual bool shares_cores() const { return false; }  // with other processes
  // The throughput that it expects on some numbers of these cores; none: not known. Throws std::bad_alloc.
  virtual core_gain gain(const core_set&) { return {}; }
  virtual void note(const std::string&) {}  // for its report and the log

  // ---- at the process's end ---- Stops the run and wakes no thread: its threads finish what they do, then rest until
  // they are joined. Returns the source through which its boxes are asked to stop.
  virtual std::stop_source freeze() noexcept = 0;
  // Wakes the threads that wait for the run, which is stopped. Called under the lock of the process's runs.
  virtual void thaw() noexcept = 0;
  // The pointer by which inside_call knows the run.
  virtual const void* identity() const noexcept = 0;

 protected:
  machine_user() = default;
  machine_user(const machine_user&) = delete;
  ~machine_user() = default;

 private:
  friend class machine_state;
  core_set part_;          // of the cores, as last set; under the lock of the machine's runs
  bool is_known_ = false;  // it has joined and not left; under the controller's lock, as the list that it may be on
};

}  // namespace weir::detail
