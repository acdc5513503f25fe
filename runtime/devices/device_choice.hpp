#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <weir/model/observation.hpp>
#include <weir/network/box_spec.hpp>
#include <weir/scheduler/machine/core_set.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/devices/device_slots.hpp"
#include "runtime/devices/waiting_record.hpp"
#include "runtime/engine/group_leases.hpp"
#include "scheduler/devices/device_rule.hpp"

namespace weir::detail {

// The waiting records of one box with a device, and their threads. Its device_rule decides where each runs.
// Thread-safe.
class device_choice final : public device_user {
 public:
  // `fresh`: makes the estimator of an implementation; the constructor throws its exceptions.
  device_choice(run_environment& run, device_slots& on, const box_spec& box, std::size_t component,
                const std::function<std::unique_ptr<estimator>()>& fresh);

  const device_slots& device() const { return device_; }
  const device_box& implementation() const { return *box_.on; }
  std::size_t component() const { return component_; }

  // Waits until the record runs on cores, on its `lane`, or is done on the device. False: the run is stopping, and it
  // began nowhere. Throws std::bad_alloc with nothing done. REQUIRES: the caller holds no cores and no lock.
  bool wait(waiting_record& r);
  void left_cores(waiting_record& r) noexcept;  // REQUIRES: it ran on cores

  // As those of device_rule, for batches whose size is learnt. wait() ends the plan of a batch.
  device_rule::planned_batch plan(std::size_t waiting) noexcept;
  void end_plan(device_side side) noexcept;
  std::size_t largest_next() const { return largest_next_.load(std::memory_order_relaxed); }  // a hint

  // An invocation on cores was timed.
  void observe_on_cores(const observation& o) noexcept;
  // An invocation on cores failed; its records then took these seconds, each alone.
  void failed_on_cores(double seconds, std::size_t records) noexcept;

  // The lanes of a new allotment. By the thread that puts it into force.
  void set_lanes(const std::vector<core_set>& lanes, const core_set& shared_cores);
  int lanes() const { return lane_count_.load(std::memory_order_relaxed); }  // a hint
  // The part of its last records that cores ran, 1/64 at least. A hint.
  double part_on_cores() const { return part_on_cores_.load(std::memory_order_relaxed); }

  // Records, or batches, in work and waiting here at a time, at most: each has a thread. in_flight(): on the lanes of
  // now.
  int most_in_flight() const { return most_in_flight_; }
  int in_flight() const { return std::min(most_in_flight_, for_lanes(lanes())); }

  device_numbers read() const;

  // ---- for device_slots, with the lock of the device ----
  bool begin_one() noexcept override;
  void ended_on_device(waiting_record& r) noexcept override;

 private:
  bool is_lane_free() const {
    return lanes_.any_free([](int) { return true; });
  }
  bool learns_size() const { return box_.most_in_batch > 1 && !box_.batch_is_fixed; }
  int for_lanes(int lanes) const;
  bool begin_on_cores(double now) noexcept;
  bool begin_on_device(double now) noexcept;
  void note_part() { part_on_cores_.store(rule_.part_on_cores(), std::memory_order_relaxed); }

  run_environment& run_;
  device_slots& device_;
  const box_spec& box_;
  const std::size_t component_;
  const int most_in_flight_;
  // Under the lock of the device, up to the atomics.
  device_rule rule_;
  group_leases lanes_;
  threads::atomic<int> lane_count_{1};
  threads::atomic<double> part_on_cores_{1};
  threads::atomic<std::size_t> largest_next_{1};
};

}  // namespace weir::detail
