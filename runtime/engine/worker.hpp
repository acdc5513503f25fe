#pragma once

#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <weir/model/observation.hpp>
#include <weir/network/box_spec.hpp>
#include "runtime/engine/at_work.hpp"
#include "runtime/engine/emitters.hpp"
#include "runtime/engine/lane_value_owners.hpp"
#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/thread_state.hpp"
#include "runtime/record/spare_body.hpp"
#include "runtime/streams/channel.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/stack_room.hpp"

namespace weir::detail {

class group;
class entity;
class pinned_arena;

// A cached call: everything needed to run a box inline for records of some shape. It is looked up for the first such
// record behind a timed one, and kept for the next. Only for a box that is not timed each time. It gives one for one in
// the same body, and leads to an entity that is fused, or is a sink.
struct cached_call {
  entity* at;
  const shape* of;
  bool (*call)(void* callable, invocation& i);
  void* callable;
  const std::uint32_t* take;
  int slot;      // the only one to write; -1: entity::finish_cached() does the rest
  entity* next;  // null: a sink
  void (*threw)(entity& box, record_body* r, const invocation& i) noexcept;  // called in a catch handler
};

// The values of each_lane() on a thread: for each component those that no invocation uses at present. An invocation
// inside another one, on the same thread, has a value of its own.
class kept_values {
 public:
  // A value while an invocation uses it. The constructor throws std::bad_alloc, make() what the value's maker throws.
  class loan {
   public:
    loan(kept_values& from, std::uint32_t component, const keeping& of) : from_(from), component_(component), of_(of) {
      if (from.free_.size() <= component) from.free_.resize(component + 1);
      values& mine = from.free_[component];
      mine.free.reserve(mine.made + 1);  // to give it back without asking for memory
      if (mine.free.empty()) return;
      value_ = mine.free.back().release();
      mine.free.pop_back();
    }
    ~loan() {
      if (value_) from_.free_[component_].free.emplace_back(value_, of_.end);
    }
    loan(const loan&) = delete;
    bool is_to_make() const { return !value_; }
    void make() {
      value_ = of_.make(of_.maker.get());
      ++from_.free_[component_].made;
    }
    void* get() const { return value_; }

   private:
    kept_values& from_;
    const std::uint32_t component_;
    const keeping& of_;
    void* value_ = nullptr;
  };

  bool is_empty() const { return free_.empty(); }  // nothing was ever kept
  void end_all() noexcept { free_.clear(); }
  void swap(kept_values& other) noexcept { free_.swap(other.free_); }

 private:
  struct values {
    std::vector<std::unique_ptr<void, void (*)(void*)>> free;
    std::size_t made = 0;
  };
  std::vector<values> free_;
};

// The state of one thread of a run. Only that thread uses it, with two exceptions: the holder of the run's learning
// lock reads `observations`, and the watchdog reads `doing`.
struct worker final : lane_value_owner {
  // A buffer for the outputs of an activation: empty, with the memory of an earlier one.
  std::vector<outgoing_record> take_buffer() noexcept {
    if (buffers.empty()) return {};
    std::vector<outgoing_record> one = std::move(buffers.back());
    buffers.pop_back();
    return one;
  }
  void keep_buffer(std::vector<outgoing_record>&& one) noexcept {
    one.clear();
    try {
      buffers.push_back(std::move(one));
    } catch (const std::bad_alloc&) {  // then a later activation begins with less
    }
  }

  // A worker that serves another thread than before. REQUIRES: is_free.
  void begin_anew(group& at, int core) {
    in_group = &at;
    last_core = core;
    bound = {};
    named_for = nullptr;
    thread = {};
    last_timed_at = next_state_check = 0;
    last_checked_box = nullptr;
    is_free.store(false, std::memory_order_relaxed);
  }

  group* in_group = nullptr;
  condition wake;  // where it is parked, under the lock of its group
  std::shared_ptr<core_lease> lease;
  // The lease, inside an invocation, to reacquire it or another one. Relaxed: others read it as a hint.
  threads::atomic<bool> has_released{false};
  stack_room stack;                        // of the thread that it is at present
  int tied = 0;                            // see tied_to_lease
  std::uint32_t releases = 0;              // how often it did
  double stays_until = 0;                  // until then it keeps cores that others wait for; by the platform's clock
  pinned_arena* arena = nullptr;           // that it is in; null: in none
  core_binding bound;                      // where the thread is bound to
  int last_core = -1;                      // its own core of its last lease, or of the next
  double further_core_seconds = 0;         // of its invocations on idle cores, besides their seconds; to be charged
  int helping = 0;                         // activations on its stack that others wait for, nested
  double helps_alone_since = 0;            // when regions began to wait while it helps; 0: others take them
  std::uint32_t taken_when_helped = 0;     // regions taken off its group's list when it helped last
  std::uint32_t activations = 0;           // since the thread started; paces group::tidy()
  thread_state thread;                     // as the thread was at its start. Known only of a thread of the run's own
  double last_timed_at = 0;                // the time of the last timed invocation; by the platform's clock
  double next_state_check = 0;             // when thread is to be looked at next; by the platform's clock
  const void* last_checked_box = nullptr;  // the component of the last invocation that was followed by a look
  double timed_at = -1;                    // when it timed a short box last; by the platform's clock
  std::vector<std::vector<outgoing_record>> buffers;  // see take_buffer()
  std::vector<cached_call> call_cache;                // the boxes of one record's way, in order
  static constexpr std::uint64_t no_epoch = ~std::uint64_t{};
  std::uint64_t cached_in_epoch = no_epoch;  // the epoch of the placing that they hold for

  // Whether to time a record of a short box: some hundred a second, since a model learns no more from further ones.
  // While their region's cost is not known it is some thousand, since steps that are due wait for one.
  bool may_time_short(double now, bool is_known) {
    const double pause = is_known ? 2e-3 : 0.4e-3;  // seconds
    if (now < timed_at + pause) return false;
    timed_at = now;
    return true;
  }

  threads::atomic<bool> is_free{false};  // its thread has ended; the release hands over its state
  at_work doing;
  emitters emitting;
  kept_values kept;
  spare_body spare;
  void wake_for_delegated() noexcept override;
  bool is_off_cores() const noexcept override { return has_released.load(std::memory_order_relaxed); }
  const void* named_for = nullptr;  // the component whose name the thread has

  // 1024: what a component of 10^4 invocations a second produces in 100 ms, five times the controller's usual interval.
  boost::lockfree::spsc_queue<observation, boost::lockfree::capacity<1024>> observations;
};

// While it exists, the worker keeps to its lease: it returns to that from each wait inside an invocation. For boxes
// that know their grant, and for threads that are not bound as the worker's own is.
class tied_to_lease {
 public:
  explicit tied_to_lease(worker& w, bool is = true) : by_(is ? &w : nullptr) {
    if (by_) ++by_->tied;
  }
  ~tied_to_lease() {
    if (by_) --by_->tied;
  }
  tied_to_lease(const tied_to_lease&) = delete;

 private:
  worker* const by_;
};

}  // namespace weir::detail
