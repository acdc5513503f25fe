#pragma once

#include <memory>

#include "runtime/devices/slot_values.hpp"
#include "runtime/machine/core_lease.hpp"
#include "runtime/streams/stream.hpp"
#include "runtime/threads/locks.hpp"
#include "scheduler/devices/device_record.hpp"

namespace weir::detail {

class device_user;

// A record, or a batch, that waits at a box with a device for a slot or a lane to run it. Its thread waits without
// cores and keeps it on its stack. Guarded by the lock of the device.
struct waiting_record : device_record {
  virtual void run(slot_values& at) noexcept = 0;  // on the thread of a slot, without the lock
  std::size_t behind() const override { return inlet ? inlet->size() : 0; }

  device_user* of = nullptr;
  const stream* inlet = nullptr;  // where more records wait
  enum class state { waits, on_cores, on_device, done } is = state::waits;
  std::shared_ptr<core_lease> lane{};  // where it runs on cores
  double seconds = 0;                  // spent on the device
  bool has_plan = false;               // the plan of its batch has yet to end
  bool has_failed = false;             // on the device
  bool was_not_admitted = false;       // its needs could not be met; the device is not at fault
  bool is_first_error = false;         // of its box on that device
  condition wake{};

 protected:
  ~waiting_record() = default;
};

}  // namespace weir::detail
