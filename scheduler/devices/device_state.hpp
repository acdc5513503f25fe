#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/devices/device_record.hpp"

namespace weir {

// The waiting records of one box of a device.
class device_waiting {
 public:
  virtual double seconds_for_device() const = 0;  // predicted, of all that may run there

 protected:
  ~device_waiting() = default;
};

// The slots of one device, what runs on them, and what waits for them at all boxes. Not thread-safe.
class device_state {
 public:
  explicit device_state(int slots) : runs_(static_cast<std::size_t>(slots), nullptr) {}

  void attach(const device_waiting& of) { boxes_.push_back(&of); }  // a box that runs on it

  int slots() const { return static_cast<int>(runs_.size()); }
  device_record* at(std::size_t slot) const { return runs_[slot]; }  // null: the slot is free
  bool is_free() const { return in_use() < slots(); }
  std::size_t free_slot() const;  // REQUIRES: is_free()
  int in_use() const;
  int peak() const { return peak_; }  // the most slots that were in use at a time

  void begin(std::size_t slot, device_record& r);  // REQUIRES: the slot is free
  void end(std::size_t slot) { runs_[slot] = nullptr; }

  // Predicted seconds: until the first slot is free, and of all that waits and might run here.
  double seconds_until_free(double now) const;
  double seconds_waiting() const;

 private:
  std::vector<device_record*> runs_;  // by slot
  std::vector<const device_waiting*> boxes_;
  int peak_ = 0;
};

}  // namespace weir
