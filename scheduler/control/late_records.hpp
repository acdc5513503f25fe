#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Notices records that are late although the models promise otherwise, where a policy relies on models for a demand on
// latency. Models do not know heavy tails, arrivals in bursts or what an ordered exit holds back. The answer is a
// factor by which all times are taken to be longer. Not thread-safe.
//
// The factor rises by a quarter, to 8 at most, when more than one in a hundred of the last 512 records are late, six at
// least. It rises again when that is still so 64 records later, unless these were clearly faster than the 64 before
// them: then a backlog is being worked off. It falls by a step after 2048 records without a rise, and after twice as
// many each time that it rose again after a fall.
class late_records {
 public:
  // Takes in system_view::latencies. More than `bound` seconds is late.
  void take(const system_view& view, double bound);

  double factor() const { return factor_; }

 private:
  double factor_ = 1;
  double mean_before_ = 0;        // seconds, of the records of the last sample; 0: none since the last move
  std::uint64_t sampled_at_ = 0;  // system_view::left_since_move then
  std::uint64_t calm_ = 0;        // records since the last rise or fall
  std::uint64_t calm_needed_ = 2048;
  bool has_fallen_ = false;  // since the last rise
};

}  // namespace weir
