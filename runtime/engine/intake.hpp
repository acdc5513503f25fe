#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/priority_window.hpp"
#include "runtime/engine/work_setting.hpp"
#include "runtime/streams/stream.hpp"
#include "runtime/streams/unbounded_inlet.hpp"
#include "runtime/streams/waiting_inputs.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

struct run_environment;
class entity;

// The source of a region's records: a bounded stream, the unbounded inlet of a loop, a gate in front of the stream, and
// a forecast of the waiting records. It decides the size of batches. Any thread may write and ask; the region's lock
// lets one thread at a time take.
class intake {
 public:
  intake(run_environment& run, entity& head, std::size_t physical_capacity);

  // Before the run starts: adds an inlet that always has room, and leads to `entry`. returns: outputs of the region may
  // come back through it.
  void add_unbounded(schedulable& into, entity& entry, error_site& fails, std::size_t most, bool returns);
  unbounded_inlet* unbounded() const { return unbounded_.get(); }  // null: there is none, as for the next
  entity* round_entry() const { return round_entry_; }             // the entity behind it
  bool returns() const { return returns_; }

  // Before the run starts: no new records are taken from the stream while this holds. A thread that ends it wakes a
  // worker.
  void set_gate(std::function<bool()> is_shut) { is_shut_ = std::move(is_shut); }

  // Before the run starts: `number` is called for the records of a batch, in the order in which they are taken. It
  // writes a number for each, which is to be read by way of context::numbers.
  using numbering = void (*)(entity& head, std::span<record_body* const> records, std::uint64_t* into) noexcept;
  void set_numbering(numbering number) { number_ = number; }

  // Before the run starts: the head takes batches of at most `most` records as they are, however short its records are.
  // `size` is called for each, with the number of records that wait. It may give a note with the size, which is to be
  // read by way of context::note.
  struct batch_size {
    std::size_t records;
    int note = 0;
  };
  using batching = batch_size (*)(const entity& head, std::size_t waiting) noexcept;
  void set_batching(std::size_t most, batching size) { most_in_batch_ = most, batch_ = size; }
  bool has_batching() const { return batch_ != nullptr; }
  std::size_t most_in_batch() const { return most_in_batch_; }  // that take() gives

  // Before the run starts: of the records that wait, those with the highest value of this tag are taken first.
  void set_priority(std::uint64_t tag) { first_ = std::make_unique<priority_window>(tag); }

  // Before the run starts: the predictor value of a record that is about to wait, where the head has a predictor.
  using forecast = double (*)(const entity& head, record_body& r) noexcept;
  void set_forecast(forecast foresee) { foresee_ = foresee; }

  // Before the first record: allocates what the stream needs. By one thread at a time.
  void open();

  // Into the stream. Writers take turns here, since there may be several.
  std::size_t push(record_body* const* records, std::size_t count) {
    if (foreseen_ && setting().takes_one_by_one()) [[unlikely]]
      return push_foreseen(records, count);
    const lock_guard lock(writers_);
    return inlet_.push(records, count);
  }

  struct batch {
    std::size_t count = 0;
    entity* entry = nullptr;     // that it enters
    stream_end* left = nullptr;  // where it came out
    std::uint64_t number = 0;    // there, of its first record
    int note = 0;                // that came with its size
  };
  // Takes a batch, for one of `lanes`, and numbers its records. REQUIRES: room for most_in_batch(). Throws
  // std::bad_alloc.
  batch take(record_body** into, std::uint64_t* numbers, int lanes);

  // How many records may be taken now; take() takes some of them.
  std::size_t waiting() const {
    const std::size_t back = unbounded_ ? unbounded_->size() : 0;
    return back > 0 ? back : is_shut_ && is_shut_() ? 0 : in_stream();
  }
  // Records that came by the stream and were not taken yet.
  std::size_t in_stream() const { return inlet_.size() + (first_ ? first_->size() : 0); }
  // Whether the workers of short boxes have fallen behind, so that another would pay.
  bool is_crowded() const;
  std::size_t size(bool with_unbounded) const;
  std::size_t drop_all();  // REQUIRES: no worker runs

  stream& inlet() { return inlet_; }
  const stream& inlet() const { return inlet_; }
  stream_end::snapshot arrivals() const;  // the end of the stream where records come

  // The predictor values of the first records in the stream, oldest first, at most `most`; empty where they are not
  // known. Any thread may ask.
  void read_waiting(std::size_t most, std::vector<double>& to) const;

  work_setting setting() const { return setting_.load(std::memory_order_relaxed); }
  void set(work_setting s) { setting_.store(s, std::memory_order_relaxed); }
  // After an activation of a few records while no plan knows how long they take. True once: it was one of several in a
  // row that were short, and the region expects short ones from now on.
  bool expects_short(double seconds, std::size_t records) noexcept;
  // Gives up the expectation of short records that the run before left, if no activation has ended yet: records are
  // taken one by one. False: there is no such expectation.
  bool expect_nothing() noexcept;

 private:
  std::size_t push_foreseen(record_body* const* records, std::size_t count);
  bool lets_one_in() const;
  batch_size next_batch(int lanes) const;

  run_environment& run_;
  entity& head_;
  numbering number_ = nullptr;
  batching batch_ = nullptr;
  std::size_t most_in_batch_ = work_setting::largest_batch;
  forecast foresee_ = nullptr;
  std::size_t came_back_ = 0;  // looping records taken since a new one was
  stream inlet_;

  // Written by writers for each push.
  alignas(64) mutable WEIR_LOCK(writers) writers_;

  // Read for each record; written at the start, and when the run's plans change. These, too, have cache lines of their
  // own: writers and reader run on different cores.
  alignas(64) std::unique_ptr<waiting_inputs> foreseen_;  // null: the head has no predictor, or no policy looks ahead
  std::unique_ptr<priority_window> first_;                // null: first come, first served
  std::unique_ptr<unbounded_inlet> unbounded_;
  entity* round_entry_ = nullptr;
  std::function<bool()> is_shut_;
  threads::atomic<work_setting> setting_{work_setting()};
  threads::atomic<int> short_in_a_row_{0};  // activations, while no plan knows
  bool returns_ = false;
};

}  // namespace weir::detail
