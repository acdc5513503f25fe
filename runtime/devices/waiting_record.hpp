#pragma once

#include <cmath>
#include <memory>

#include "runtime/devices/slot_values.hpp"
#include "runtime/machine/core_lease.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class device_user;
class stream;

// A record at a box with a device, while its thread, which holds no cores, waits for a place to run it. It lies on
// that thread's stack. Guarded by the lock of the device.
struct waiting_record {
  virtual void run(slot_values& at) noexcept = 0;  // on the thread of a slot, without the lock

  // The seconds that it still takes. A record that is late is expected to take as long again as it is late.
  double seconds_left(double now) const { return std::abs(began + expected - now); }

  device_user* of = nullptr;
  double x = 1;
  double on_cores = 0, on_device = 0;  // seconds that it is expected to take
  const stream* behind = nullptr;      // where more records wait
  bool cores_only = false;             // the device could not run it
  bool explores = false;               // it is to run where it is slower, to learn
  int passed = 0;                      // later records that began before it
  enum class state { waits, on_cores, on_device, done } is = state::waits;
  std::shared_ptr<core_lease> lane{};  // where it runs on cores
  double began = 0;                    // by the run's clock; and then
  double expected = 0;                 // seconds
  int in_use = 0;                      // slots in use when it began, its own included
  double seconds = 0;                  // that it took on the device
  bool has_failed = false;             // there
  bool was_not_admitted = false;       // and the device is not at fault: its needs could not be met
  bool is_first_error = false;         // of its box on that device
  condition wake{};

 protected:
  ~waiting_record() = default;
};

}  // namespace weir::detail
