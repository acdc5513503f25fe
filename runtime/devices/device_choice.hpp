#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weir/model/observation.hpp>
#include <weir/network/box_spec.hpp>
#include <weir/scheduler/machine/core_set.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/devices/device_slots.hpp"
#include "runtime/devices/implementation_model.hpp"
#include "runtime/devices/waiting_record.hpp"
#include "runtime/engine/group_leases.hpp"

namespace weir::detail {

// Decides where the records of one box with a device run. A record waits until a lane of the box's cores or a slot of
// its device is free. A free lane runs the record that gains least by the device, and a free slot the one that gains
// most. Agullo et al. call that rule heteroprio (Task-based FMM for heterogeneous architectures, CCPE 2016). Either
// refuses a record that the other implementation is expected to complete earlier, behind all other waiting records.
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

  // An invocation on cores was timed.
  void observe_on_cores(const observation& o) noexcept;

  // The lanes of a new allotment. By the thread that puts it into force.
  void set_lanes(const std::vector<core_set>& lanes, const core_set& beside);
  int lanes() const { return lane_count_.load(std::memory_order_relaxed); }  // a hint
  // The part of its last records that cores ran, 1/64 at least. A hint.
  double part_on_cores() const { return part_on_cores_.load(std::memory_order_relaxed); }

  // Records in work and waiting here at a time, at most: each has a thread.
  int most_in_flight() const { return most_in_flight_; }

  struct numbers {
    std::uint64_t invocations = 0, errors = 0, explored = 0;  // on the device; errors: invocations that threw
    double mean_seconds = 0, total_seconds = 0;               // of the invocations; mean: 0 without one
    double crossing = 0;                                      // predictor value; NaN: unknown
    double pause = 0;                                         // seconds for which it is left alone; 0: it is not
    int peak = 0;                                             // the most slots in use at a time, by any box
  };
  numbers read() const;

  // ---- for device_slots, with the lock of the device ----
  bool begin_one() noexcept override;
  void ended_on_device(waiting_record& r) noexcept override;
  double seconds_for_device() const override;

 private:
  enum class side { cores, device, either };
  side wanted(const waiting_record& r, double now) const;
  bool is_left_alone(double now) const { return now < alone_until_; }
  void expect(waiting_record& r, double now);
  waiting_record* pick(side to, double now) const;
  bool is_sooner_on_cores(const waiting_record& r, double now) const;
  bool is_sooner_on_device(const waiting_record& r, double now) const;
  double seconds_until_lane(double now) const;
  bool begin_on_cores(double now) noexcept;
  bool begin_on_device(double now) noexcept;
  void begins(waiting_record& r, side on, double now);
  void remove(std::vector<waiting_record*>& from, const waiting_record& r) const;
  std::uint32_t& since(side on, double x);

  run_environment& run_;
  device_slots& device_;
  const box_spec& box_;
  const std::size_t component_;
  const int most_in_flight_;
  // Under the lock of the device, up to the atomics.
  implementation_model cores_model_, device_model_;
  group_leases lanes_;
  std::vector<waiting_record*> waiting_, on_cores_, on_device_;  // oldest first
  static constexpr std::size_t octaves = 64;                     // of predictor values
  std::array<std::array<std::uint32_t, octaves>, 2> since_{};    // records since one ran on that side, by octave
  double spent_ = 0, explored_seconds_ = 0;                      // of all invocations; the part that learning cost
  double erred_at_ = -std::numeric_limits<double>::infinity();   // the last error
  double pause_ = 0, alone_until_ = -std::numeric_limits<double>::infinity();
  std::uint64_t errors_ = 0, explored_ = 0;
  threads::atomic<int> lane_count_{1};
  threads::atomic<double> part_on_cores_{1};
};

}  // namespace weir::detail
