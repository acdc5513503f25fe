#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <weir/model/estimator.hpp>
#include "scheduler/devices/device_record.hpp"
#include "scheduler/devices/device_state.hpp"
#include "scheduler/devices/implementation_model.hpp"

namespace weir {

// Records that a box with a device has waiting or running at a time, at most. `cores`: of the machine.
int most_at_device(int cores, int slots, int max_width);
// The same for batches whose size is chosen when they are taken. One batch waits for each side, which keeps both busy;
// the size of a further one would be chosen long before it runs.
int most_batches_at_device(int lanes, int slots, int max_width);

// The numbers of one box on its device. Plain data; times are in seconds.
struct device_numbers {
  std::uint64_t invocations = 0, errors = 0, explored = 0;  // on the device; errors: invocations that threw
  std::uint64_t records = 0;                                // in the invocations that did not throw
  double mean_seconds = 0, total_seconds = 0;               // of a record, 0 without one; of the invocations
  double crossing = 0;                                      // predictor value; NaN: unknown
  double pause = 0;                                         // for which it is left alone; 0: it is not
  int peak = 0;                                             // the most slots in use at a time, by any box

  std::size_t size_on_cores = 1, size_on_device = 1;  // records that an invocation takes, as preferred now

  // The cost of records of one size, by the models, in invocations of the preferred sizes.
  struct input {
    double x = 0;                              // the predictor value
    double on_cores = 0;                       // on a lane as it is now
    double on_device = 0, on_full_device = 0;  // on a slot alone, and with all slots in use
  };
  std::vector<input> inputs;  // equal parts of the last 64 records, in order of x; empty: not both sides are known
};

// Decides where the records of one box with a device run. A record waits until a lane of the box's cores or a slot of
// its device is free. A free lane runs the record that gains least by the device, and a free slot the one that gains
// most. Agullo et al. call that rule heteroprio (Task-based FMM for heterogeneous architectures, CCPE 2016). Either
// refuses a record that the other implementation is expected to complete earlier, behind all other waiting records.
//
// An invocation may take several records: a batch, which counts as one record of its mean predictor value. Where its
// size is not fixed, plan() chooses the size and the side together, before the batch is taken: each implementation
// prefers another size. Such a batch goes where it was planned, but after an error.
//
// It knows no clock, thread or lock, so it is the same in a run and under virtual time. Records belong to the caller.
// Not thread-safe.
class device_rule final : public device_waiting {
 public:
  // `from`: records from this predictor value on run on the device, all others on cores; none: the choice is learnt.
  // `fresh`: makes the estimator of an implementation; the constructor throws its exceptions. Where invocations take
  // several records, `most_in_batch` of them at most, none of a learnt size is to take longer than `longest` seconds.
  device_rule(const device_state& device, std::optional<double> from,
              const std::function<std::unique_ptr<estimator>()>& fresh, std::size_t most_in_batch = 1,
              double longest = std::numeric_limits<double>::infinity());
  device_rule(const device_rule&) = delete;  // its device refers to it

  // The lanes of the box: how many, and the cores of each.
  void set_lanes(int count, int cores) { lanes_ = count, lane_cores_ = cores; }

  // A record comes to the box and waits. Throws std::bad_alloc with nothing done; nothing else asks for memory.
  void add(device_record& r, double now);
  void remove(const device_record& r);  // it waits no more

  // How many of the records that wait for the box the next batch is to take, and where it is to run. Each plan ends
  // when its batch is added, or when it comes to nothing.
  struct planned_batch {
    std::size_t records;
    device_side side;
  };
  planned_batch plan(std::size_t waiting, double now);
  void end_plan(device_side side) { --planned_on(side); }
  // Records of the largest batch that plan() may give now.
  std::size_t largest_next() const {
    return std::max(cores_model_.sizes().largest_next(), device_model_.sizes().largest_next());
  }

  bool has_waiting() const { return !waiting_.empty(); }
  // The device gets a record first while its time is not known, and that of cores is.
  bool tries_device() const { return cores_model_.is_known() && !device_model_.is_known(); }
  // The record that a free lane or a free slot is to run next; null: none.
  device_record* next_on_cores(double now) const;
  device_record* next_on_device(double now, bool is_lane_free) const;

  // A waiting record begins.
  void begin_on_cores(device_record& r, double now);
  void begin_on_device(device_record& r, double now);
  // A record that ran is done. failed_on_device(): it threw, and waits again if it is added; true for the first error.
  void left_cores(const device_record& r, double now);
  void done_on_device(const device_record& r, double seconds);
  bool failed_on_device(device_record& r, double now);
  void not_begun_on_device(device_record& r);  // the device is not at fault
  void leave_alone(double now);                // for the longest time

  // x: the mean of the records. seconds: of all.
  void observe_on_cores(double x, int cores, double seconds, std::size_t records = 1) {
    cores_model_.observe(x, cores, 1, seconds, records);
  }
  void failed_on_cores(double seconds, std::size_t records) { cores_model_.note_failed(seconds, records); }

  double seconds_for_device() const override;
  // The part of its last records that cores ran, 1/64 at least.
  double part_on_cores() const { return std::max(1 / recent, records_.on_cores / records_.all); }
  bool is_left_alone(double now) const { return now < erred_.alone_until; }
  device_numbers read(double now) const;

 private:
  static constexpr double recent = 64;  // invocations
  using side = device_side;
  side wanted(const device_record& r, double now) const;
  void expect(device_record& r, double now);
  device_record* pick(side to, double now, bool is_lane_free) const;
  bool is_sooner_on_cores(const device_record& r, double now) const;
  bool is_sooner_on_device(const device_record& r, double now, bool is_lane_free) const;
  double seconds_until_lane(double now, bool is_lane_free) const;
  double seconds_until_planned(side on, double now) const;
  side side_for(std::size_t waiting, double now);
  bool explores(side slower, double costs, double x);
  int& planned_on(side on) { return planned_[on == side::device]; }
  int planned_on(side on) const { return planned_[on == side::device]; }
  double last_x() const { return begun_ > 0 ? last_x_[(begun_ - 1) % last_x_.size()] : 1; }
  void begins(device_record& r, side on, double now);
  std::uint32_t& since(side on, double x);
  std::vector<device_numbers::input> inputs() const;

  const device_state& device_;
  const std::optional<double> from_;
  implementation_model cores_model_, device_model_;
  std::vector<device_record*> waiting_, on_cores_, on_device_;  // oldest first
  static constexpr std::size_t octaves = 64;                    // of predictor values
  std::array<std::array<std::uint32_t, octaves>, 2> since_{};   // records since one ran on that side, by octave
  int lanes_ = 1, lane_cores_ = 1;
  double spent_ = 0, explored_seconds_ = 0;  // of all invocations; the part that learning cost
  struct {
    double at = -std::numeric_limits<double>::infinity();  // the last one
    double pause = 0, alone_until = -std::numeric_limits<double>::infinity();
  } erred_;
  std::uint64_t errors_ = 0, explored_ = 0;
  std::array<int, 2> planned_{};  // batches on either side that are not added yet
  struct {
    double all = 1, on_cores = 1;
  } records_;                        // of an invocation, and its part on cores: means of some 64
  std::array<double, 64> last_x_{};  // of the last records that began, a ring
  std::uint64_t begun_ = 0;
};

}  // namespace weir
