#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/worker.hpp"
#include "runtime/streams/channel.hpp"

namespace weir::detail {

class region;
class stage;
struct run_environment;

// Thrown through a box that emits into a stopping run: it ends the invocation.
struct stopped {};

// One activation's view of the world: who runs it, for which batch, and what it puts out.
class context {
 public:
  // `first`: the number in this region of the batch's first record.
  context(run_environment& run, worker& w, region& from, std::uint64_t ticket, std::uint64_t epoch,
          std::uint64_t first);
  ~context();

  // Runs a record through a stage and those fused behind it, until it leaves the region or ends.
  void drive(stage* at, record_body* r) noexcept;

  // The same for several, in order, stage by stage: what one record's step needs to know of a stage is then looked up
  // once for all of them. REQUIRES: the region has no unbounded inlet.
  void drive_all(stage* at, std::span<record_body*> batch) noexcept;

  // Sends a record on to a stage, from within another stage's step.
  void send_on(stage* to, record_body* r) noexcept;

  // While a box is emitting for an input: passes on what has gathered, since the box may go on for long, or wait for
  // what becomes of it. Blocks, off its cores, while there is no room. Before its turn it keeps up to a batch. Throws
  // stopped when the run is stopping.
  void pass_on(const stage& box, const record_body& input);

  // Between two records of an initialiser, whose one invocation may last as long as the run: as between two batches, it
  // rests while its region is held, and goes on under the placing in force. Throws stopped when the run is stopping.
  void between_records(const stage& box, const record_body& input);

  // Waits, off its cores, within an invocation of the box: for the region to be released.
  void wait_until_released(const stage& box, const record_body& input);

  // Whether the record that comes next is to be timed in boxes that are sampled, too. To be asked once for each.
  bool times_next() { return number_++ >= timed_next_ && times_chosen(); }

  run_environment& run;
  worker& by;
  region& from;
  const std::uint64_t ticket;
  std::uint64_t epoch;  // of the placing that the batch was taken under
  std::vector<outgoing_record> out;
  bool sampling = false;      // this record is timed in short boxes, too
  bool others_round = false;  // other looping records of this batch have not run yet

 private:
  template <class Wait>
  void wait_off_cores(const stage& box, const record_body& input, const char* why, Wait wait);
  void wait_for_room(channel& full, const stage& box, const record_body& input);
  stage* run_cached(const cached_call& h, record_body* r) noexcept;
  void put_out(stage& to, record_body* r) noexcept;
  bool goes_round(const stage* at);
  bool times_chosen();

  std::uint64_t number_, timed_next_;  // of the next record, and of the next that is to be timed
  int depth_ = 0;                      // of drives within drives
  int rounds_ = 0;                     // of the record, past the region's own unbounded inlet
  bool sent_round_ = false;            // something in `out` is on its way there
};

}  // namespace weir::detail
