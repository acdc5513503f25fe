#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/measurements/overhead/meter.hpp"

namespace weir::overhead {

// A chain of boxes that compute for a given time. Records start from one of a few values, so the sink knows the
// expected answers. Immutable; any number of threads may run it.
class timed_boxes {
 public:
  static constexpr int none = -1;

  // `microseconds` of each box, on a core of its own. `serial`: the index of a box that is called by one thread at a
  // time; the others have no state.
  explicit timed_boxes(const std::vector<double>& microseconds, int serial = none);

  int count() const { return static_cast<int>(steps_.size()); }
  bool is_serial(int box) const { return box == serial_; }
  int serial() const { return serial_; }
  double microseconds() const { return microseconds_; }  // of all boxes

  std::int64_t run(int box, std::int64_t v) const;
  std::int64_t run_all(std::int64_t v) const;
  bool is_right(std::int64_t v, std::int64_t number) const {
    return v == answers_[static_cast<std::size_t>(number) % kinds];
  }
  static std::int64_t first_value(std::int64_t number) { return number % static_cast<std::int64_t>(kinds); }

 private:
  static constexpr std::size_t kinds = 8;
  std::vector<std::int64_t> steps_;
  int serial_;
  double microseconds_ = 0;
  std::array<std::int64_t, kinds> answers_{};
};

// Each sends `records` records through the boxes.
sample run_weir(const timed_boxes& boxes, std::int64_t records);
sample run_flow_graph_sequencer(const timed_boxes& boxes, std::int64_t records);
sample run_parallel_pipeline(const timed_boxes& boxes, std::int64_t records);
// One thread per core; each takes some records at a time through all boxes. REQUIRES: no box is serial.
sample run_shared_loop(const timed_boxes& boxes, std::int64_t records);
sample run_loop(const timed_boxes& boxes, std::int64_t records);
// One thread that runs the serial box only. REQUIRES: there is one.
sample run_bound(const timed_boxes& boxes, std::int64_t records);

}  // namespace weir::overhead
