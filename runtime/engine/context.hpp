#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "runtime/engine/worker.hpp"
#include "runtime/machine/float_state.hpp"
#include "runtime/streams/channel.hpp"

namespace weir::detail {

class region;
class entity;
struct run_environment;

// Calls a box; `around` enters and leaves it. Returns false if the box threw. The catch handler then called `cut_short`
// where a stop ended the box, else `threw`. Inline, since most boxes take less time than this code.
template <class Around, class Call, class Threw, class CutShort>
[[gnu::always_inline]] inline bool invoke(const Around& around, const Call& call, const Threw& threw,
                                          const CutShort& cut_short) {
  around.enter();
  try {
    call();
  } catch (const stopped&) {
    around.leave(false);
    cut_short();
    return false;
  } catch (...) {
    around.leave(false);
    threw();
    return false;
  }
  around.leave(true);
  return true;
}

// Around an untimed call that the watchdog knows of already: the thread keeps the floating-point state of its run.
struct entered_call {
  kept_floats& floats;

  void enter() const {}
  [[gnu::always_inline]] void leave(bool well) const { well ? floats.keep_if_changed_before() : floats.keep(); }
};
// Around any other untimed call.
struct untimed_call : entered_call {
  untimed_call(kept_floats& f, at_work& d, const error_site& b) : entered_call{f}, doing(d), box(b) {}
  at_work& doing;
  const error_site& box;

  void enter() const { doing.enter(box); }
};

// The state of one activation: the worker that runs it, its batch, and its outgoing records.
class context {
 public:
  // `first`: the number of the batch's first record in this region.
  context(run_environment& run, worker& w, region& from, std::uint64_t ticket, std::uint64_t epoch,
          std::uint64_t first);
  ~context();

  // Runs a record through an entity and those fused behind it, until it leaves the region or ends. Inline in
  // engine/entity.hpp.
  void drive(entity* at, record_body* r) noexcept;

  // Runs several records, in order and entity by entity. An entity is then looked up once for all of them. REQUIRES:
  // the region has no unbounded inlet through which its outputs return.
  void drive_all(entity* at, std::span<record_body*> batch) noexcept;

  // Sends a record on to an entity, from within another entity's step. Inline in engine/entity.hpp.
  void send_on(entity* to, record_body* r) noexcept;

  // While a box emits for an input: puts out the records gathered so far, since the box may go on for long, or wait for
  // what becomes of them. Blocks, off its cores, while there is no room. Before the batch's turn it keeps up to a batch
  // of records. Throws stopped when the run is stopping.
  void pass_on(const entity& box, const record_body& input);

  // Before a record of an initialiser goes on: gives it its place in flight. Waits, off its cores, while as many as
  // allowed are in flight, and rests meanwhile as between two records. Throws stopped when the run is stopping, or
  // std::bad_alloc; then the record is dropped.
  void let_in(const entity& box, record_body* given, const record_body& input);

  // Between two records of an initialiser, whose one invocation may last as long as the run. As between two batches, it
  // rests while its region is held, and goes on under the placing in force. Throws stopped when the run is stopping.
  void between_records(const entity& box, const record_body& input);

  // Waits, off its cores, before an invocation of the box, until an earlier record has done something and has
  // called region::wake_turn_waiters(). Returns early when the run is stopping. `has_it` is called under the region's
  // lock.
  void wait_for_earlier(const entity& box, const record_body& input, const std::function<bool()>& has_it);

  // Waits, off its cores, inside an invocation of the box, for the region to be released.
  void wait_until_released(const entity& box, const record_body& input);

  // Whether the record that goes on next, behind a head that takes several, is timed there: one of a batch, or each in
  // a trace.
  bool takes_sample() { return std::exchange(samples_behind, samples_all_behind); }

  // Whether the next record is timed in sampled boxes, too. To be asked once for each record.
  bool times_next() { return number_++ >= timed_next_ && times_chosen(); }

  run_environment& run;
  worker& by;
  region& from;
  const std::uint64_t ticket;
  std::uint64_t epoch;  // of the placing under which the batch was taken
  std::vector<outgoing_record> out;
  bool sampling = false;        // this record is timed in short boxes, too
  bool samples_behind = false;  // the same of the next record that goes on behind a head that takes several
  bool samples_all_behind = false;
  bool others_round = false;                                // other looping records of this batch have not run yet
  double began = std::numeric_limits<double>::quiet_NaN();  // by the platform's clock; NaN: it is short
  const std::uint64_t* numbers = nullptr;  // of the records of the batch that have not yet come to the head
  int note = 0;                            // of the batch: see intake::batch_size

 private:
  template <class Wait>
  void wait_off_cores(const entity& box, const record_body& input, const char* why, Wait wait);
  void wait_for_room(channel& full, const entity& box, const record_body& input);
  bool wait_to_enter(order_slot& place, const entity& box, const record_body& input);
  void drive_cached(entity* at, record_body* r) noexcept;
  void drive_part(entity* at, record_body* r) noexcept;
  entity* run_cached(const cached_call& h, record_body* r) noexcept;
  void send_elsewhere(entity& to, record_body* r) noexcept;
  void drive_elsewhere(entity& to, record_body* r) noexcept;
  void put_out(entity& to, record_body* r) noexcept;
  void send_off(entity& to, record_body* r) noexcept;
  bool goes_round(const entity& to, const record_body& r);
  bool may_go_round(const record_body& r);
  bool may_loop_again(const record_body& r);
  bool times_chosen();
  void leave_revoked(const entity& box, const record_body& input);

  std::uint64_t number_, timed_next_;  // the next record's, and the number of the next that is timed
  int depth_ = 0;                      // of nested drives
  int rounds_ = 0;                     // of the record, that skipped the region's unbounded inlet
  int free_rounds_ = 0;                // rounds it may make before the next check for other work
  record_body* next_round_ = nullptr;  // sent to that inlet by a step under way; makes the next round without it
  bool has_sent_round_ = false;        // some record in `out` goes to that inlet
  const core_lease* left_ = nullptr;   // revoked, and left once
};

}  // namespace weir::detail
