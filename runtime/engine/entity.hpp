#pragma once

#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/record/errors.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/context.hpp"
#include "runtime/engine/region.hpp"
#include "runtime/streams/error_site.hpp"
#include "runtime/threads/cache_aligned.hpp"

namespace weir::detail {

// Monotonic counts of records: `of` came, and `sent` were sent on for them. Until the first came, `until_known` is
// assumed for each.
struct flow_count {
  std::uint64_t sent = 0, of = 0;
  double until_known = 1;
};

// The region that an entity heads, null until it is made. One thread makes it, under the run's placing lock once the
// run has begun; any thread may look.
class region_of_entity {
 public:
  region_of_entity() = default;
  ~region_of_entity() { delete get(); }
  region_of_entity(const region_of_entity&) = delete;

  region* get() const { return made_.load(std::memory_order_acquire); }  // pairs with the release below
  region* operator->() const { return get(); }
  region& operator*() const { return *get(); }
  explicit operator bool() const { return get() != nullptr; }
  void set(std::unique_ptr<region> made) { made_.store(made.release(), std::memory_order_release); }

 private:
  threads::atomic<region*> made_{nullptr};
};

// One entity of a network as it is written down, at its place: a box, a filter, the dispatch of a choice, the entry or
// the exit of a star. Entities are made when a run starts; only scopes unfold while it runs.
//
// Aligned to cache lines, so that what one thread counts in an entity is not next to what another reads of its
// neighbour.
class alignas(cache_aligned::line) entity : public error_site, public cache_aligned {
 public:
  entity(run_environment& run, std::string path) : error_site(std::move(path)), run_(run) {}
  virtual ~entity() = default;

  // Takes a record in. Returns the entity where it goes on (then `r` is the record that goes on), or null when it ended
  // here.
  //
  // It may throw std::bad_alloc, and nothing else. A step that throws has left `r` whole to its caller and changed
  // nothing that matters: it holds the records that it held before. Only numbers for reading may be off by one.
  virtual entity* step(record_body*& r, context& c) = 0;

  // The same, but a record that finds no memory ends by that error, and the others go on.
  entity* step_or_fail(record_body*& r, context& c) noexcept {
    try {
      return step(r, c);
    } catch (const std::bad_alloc&) {
      lacks_memory(r);
      return nullptr;
    }
  }

  // Whether this record, which came round a loop to here, would leave it.
  virtual bool leaves_loop(const record_body&) const noexcept { return false; }

  // Takes several records in, in order. Leaves in `batch` the records that go on together, and returns the entity that
  // they go to; null when none is left. This version lets each record go as far as it gets before the next.
  virtual entity* step_all(std::span<record_body*>& batch, context& c) noexcept;

  // Adds the cached call for records of this shape to the call cache, if the call can be known in advance. ends: the
  // last such record ended here.
  virtual bool remember(const shape*, bool /*ends*/, std::vector<cached_call>&) noexcept { return false; }
  // After a cached call: makes the input the output, in the same body.
  virtual void finish_cached(const invocation&) noexcept {}
  // After a cached call of a sink, on this worker: lets go of the record.
  virtual void end_record(record_body* r, worker& by) noexcept { by.spare.drop(r); }

  // The stream in front. REQUIRES: this entity is not fused to those before it, or has a region from the start.
  virtual channel& inlet() { return *own_region; }

  // Makes the region that it may head. Before the run starts, or before the entity is no longer fused.
  virtual void make_region(std::size_t capacity) {
    auto made = std::make_unique<region>(run_, *this, capacity);
    made->position = position;
    if (foresees())
      made->in().set_forecast([](const entity& head, record_body& r) noexcept { return head.foresee(r); });
    own_region.set(std::move(made));
  }
  // Whether its region is made before the run starts. A region takes as much memory as all else of a short box, and
  // most short boxes are fused for as long as the run lasts.
  virtual bool has_region_from_start() const { return true; }

  // How many records may be in here at a time: 1 for an entity with a state.
  virtual int max_width() const { return std::numeric_limits<int>::max(); }
  // The same where it runs inline in another entity's region.
  virtual int max_width_inline() const { return max_width(); }
  // Whether it looks up a branch for each record.
  virtual bool finds_branch() const { return false; }
  // Whether it always heads a region of its own.
  virtual bool is_always_head() const { return false; }
  // Whether foresee() knows anything.
  virtual bool foresees() const { return false; }
  // The predictor value of a record that is about to wait here; NaN: not known. Several threads may call it at the same
  // time.
  virtual double foresee(record_body&) const noexcept { return std::numeric_limits<double>::quiet_NaN(); }
  // Whether it makes several records of one, driving each on from within its step.
  virtual bool emits() const { return false; }
  // Whether an activation keeps its outputs until it ends, however many, rather than wait for the turn of its input. A
  // record before it may wait for this activation. Once true, it stays so.
  virtual bool keeps_outputs() const { return false; }

  // Whether records enter the network here, from other ranks.
  virtual bool is_input() const { return false; }

  // ---- the network's numbers, for the report and the scheduler ----

  virtual std::vector<entity*> successors() const { return {next}; }
  // Records sent on to a successor so far. `arrived`: records that have arrived here. Exact once the run has drained.
  virtual std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const;
  // How many of the records that enter here for the first time go to a successor. Records that loop in a star or
  // feedback count at its entry.
  virtual flow_count passed_to(const entity&) const { return {}; }
  // The same as if no record looped: each enters a loop once and leaves it behind the body.
  virtual flow_count passed_once_to(const entity& to) const { return passed_to(to); }
  // The entry of the loop that a record leaves by going to this successor; passed_once_to() then counts records that
  // entered there. Null: it leaves none.
  virtual const entity* loop_left_to(const entity&) const { return nullptr; }

  // Records reached it so deep in a stack that they went on elsewhere: it is to head a region of its own. Relaxed:
  // plans read it later.
  threads::atomic<bool> was_deep{false};

  entity* next = nullptr;
  std::vector<entity*> previous;
  std::size_t index = 0;  // its place in the order of the stream
  stream_position position;
  region_of_entity own_region;
  entity* entered_with = nullptr;  // set: it is part of that entity's region, entered by the unbounded inlet

  // Whether it runs inline behind the entities before it. It is fused only while the regions before it are held and
  // quiet and its own has run empty. It may be cut off at any time, from an epoch on; batches taken before that still
  // run it inline. No record overtakes another by this: epochs grow with tickets, and records leave a region in the
  // order of tickets.
  bool is_fused() const { return fused_.load(std::memory_order_acquire); }
  bool is_fused_for(std::uint64_t epoch) const {
    // Acquire pairs with the release in cut_off(): a reader of the cut also reads its epoch.
    return fused_.load(std::memory_order_acquire) || epoch < cut_at_.load(std::memory_order_relaxed);
  }
  // Release pairs with the acquire above: a reader that sees it fused sees its own region empty.
  void fuse() { fused_.store(true, std::memory_order_release); }
  void cut_off(std::uint64_t epoch) {
    cut_at_.store(epoch, std::memory_order_relaxed);
    fused_.store(false, std::memory_order_release);
  }

  void fail(failure_kind kind, record_body* r, std::string_view cause) noexcept override;
  // For a step that threw.
  [[gnu::noinline]] void lacks_memory(record_body* r) noexcept;
  threads::atomic<std::uint64_t> failed{0};  // relaxed: a number only

 private:
  threads::atomic<bool> fused_{false};
  threads::atomic<std::uint64_t> cut_at_{0};

 protected:
  run_environment& run_;
};

[[gnu::always_inline]] inline void context::drive(entity* at, record_body* r) noexcept {
  const bool finds_no_call = depth_ > 0 && !sampling && by.cached_in_epoch == epoch && by.call_cache.empty();
  finds_no_call ? drive_part(at, r) : drive_cached(at, r);
}

// Most records go on in place.
[[gnu::always_inline]] inline void context::send_on(entity* to, record_body* r) noexcept {
  if (to->is_fused_for(epoch) && by.stack.has_more()) [[likely]]
    return drive(to, r);
  send_elsewhere(*to, r);
}

// Increments a counter that one thread at a time writes, without an atomic read-modify-write. Relaxed: it orders
// nothing.
[[gnu::always_inline]] inline void count_alone(threads::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

// A counter whose entity says, before the run starts, whether one thread at a time writes it.
class record_counter {
 public:
  void set_alone(bool alone) { is_alone_ = alone; }
  [[gnu::always_inline]] void add(std::uint64_t records = 1) {
    if (is_alone_)
      count_alone(count_, records);
    else
      count_.fetch_add(records, std::memory_order_relaxed);
  }
  std::uint64_t get() const { return count_.load(std::memory_order_relaxed); }

 private:
  threads::atomic<std::uint64_t> count_{0};
  bool is_alone_ = false;
};

}  // namespace weir::detail
