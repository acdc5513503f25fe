#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <weir/network/device.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/devices/device_user.hpp"
#include "runtime/devices/waiting_record.hpp"
#include "runtime/machine/kept_threads.hpp"
#include "runtime/threads/locks.hpp"
#include "scheduler/devices/device_state.hpp"

namespace weir::detail {

struct run_environment;

using devices_mutex = mutex<lock_place::devices>;

// One device in a run: its slots, each with a thread of its own that is started when it is first needed, and the boxes
// that run on it. Its lock also guards the waiting records of these boxes, so a slot that becomes free serves all of
// them. Thread-safe.
class device_slots {
 public:
  device_slots(run_environment& run, const weir::device& of);
  ~device_slots();
  device_slots(const device_slots&) = delete;

  const weir::device& device() const { return device_; }
  void attach(device_user& of) { users_.push_back(&of); }  // before the run starts
  // Ends the threads, and the values of each_slot() on them. REQUIRES: no record waits, and none will.
  void end() noexcept;

  devices_mutex& lock() { return mutex_; }

  // ---- with the lock ----
  void dispatch();                     // sends waiting records to slots and lanes that are free
  void start(waiting_record& record);  // on a free slot. Throws std::system_error or std::bad_alloc, with nothing done
  device_state& state() { return state_; }

 private:
  struct place {
    condition arrived;
    started_thread thread;
  };
  void serve(std::size_t index) noexcept;
  void run_all(std::size_t index, slot_values& values) noexcept;
  void bind() const noexcept;

  run_environment& run_;
  const weir::device device_;
  devices_mutex mutex_;
  device_state state_;  // what runs on the slots
  std::vector<std::unique_ptr<place>> places_;
  std::vector<device_user*> users_;
  std::size_t next_user_ = 0;  // is asked first
  bool ends_ = false;
};

}  // namespace weir::detail
