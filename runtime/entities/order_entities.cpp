#include "runtime/entities/order_entities.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

// ---- entry ----

void order_entry_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->in().set_gate([this] { return exit_.holds_back(); });
}

entity* order_entry_entity::step(record_body*& r, context& c) {
  if (!exit_.is_fused_for(c.epoch)) r->order = exit_.open(r->order);
  return next;
}

entity* order_entry_entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  return exit_.is_fused_for(c.epoch) ? next : entity::step_all(batch, c);
}

// ---- exit ----

order_exit_entity::order_exit_entity(run_environment& run, std::string path) : entity(run, std::move(path)) {}

void order_exit_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max());
  own_region->unbounded()->set_taken([this] {
    open_gate();
    if (own_region->unbounded()->size() <= places() / 2) sorting_.space.notify();  // as a region does
  });
}

order_slot* order_exit_entity::open(order_slot* outer) {
  order_slot* const slot = order_slot::make(*this, outer);
  const lock_guard lock(mutex_);
  slot->before_ = last_;
  (last_ ? last_->after_ : first_) = slot;
  last_ = slot;
  return slot;
}

order_slot* order_exit_entity::before(order_slot& slot, order_slot* outer) {
  order_slot* made;
  try {
    made = order_slot::make(*this, outer);
  } catch (...) {
    outer->let_go();
    throw;
  }
  const lock_guard lock(mutex_);
  made->before_ = slot.before_;
  made->after_ = &slot;
  (slot.before_ ? slot.before_->after_ : first_) = made;
  slot.before_ = made;
  return made;
}

// Outputs that may leave count until they go on: while the next stream is full, they wait as well.
bool order_exit_entity::is_above_capacity() const {
  return waiting() + own_region->unbounded()->size() >
         std::max(entry->own_region->inlet().limit(), least_admitted_.load(std::memory_order_relaxed));
}

// For outputs whose turn it is: those of the stream of this region, which carries none itself.
std::size_t order_exit_entity::places() const { return own_region->inlet().limit(); }

// Without threads a box that waits for room may do so above one that the others in here wait for.
std::size_t order_exit_entity::room() const {
  if (!run_.platform.has_threads()) return std::numeric_limits<std::size_t>::max();
  const std::size_t waiting = own_region->unbounded()->size(), all = places();
  return waiting < all ? all - waiting : 0;
}

void order_exit_entity::set_least_admitted(std::size_t outputs) {
  if (outputs > least_admitted_.exchange(outputs, std::memory_order_relaxed))
    entry->own_region->wake_worker_from_outside();
}

bool order_exit_entity::holds_back() {
  return gate_.is_shut([this] { return is_above_capacity(); });
}

void order_exit_entity::open_gate() {
  gate_.look_again(*entry->own_region, [this] { return is_above_capacity(); });
}

std::size_t order_exit_entity::sorter::push(record_body* const* records, std::size_t count) {
  std::size_t i = 0;
  while (i < count) try {
      const std::size_t sorted = of_.sort_in(records + i, count - i);
      if (sorted == 0) break;
      i += sorted;
    } catch (const std::bad_alloc&) {
      if (i == 0) throw;
      break;  // the caller comes back with the rest, which may find memory then
    }
  return i;
}

// Sorts in the first records that may leave immediately, or else the first record alone. Returns how many: none where
// the first may leave and there is no room for it. Without memory it throws, and the records are where they were.
std::size_t order_exit_entity::sort_in(record_body* const* records, std::size_t count) {
  std::array<order_slot*, work_setting::largest_batch> slots;
  std::size_t taken = 1, left = 0;
  order_slot* done = nullptr;
  bool fits = true;
  {
    const lock_guard lock(mutex_);
    const std::size_t room = this->room();
    const std::size_t at_once =
        leaving_at_once(records, std::min({count, slots.size(), std::max<std::size_t>(1, room)}));
    if (at_once > room) return 0;
    taken = std::max(taken, at_once);
    for (std::size_t i = 0; i < taken; ++i) slots[i] = go_out(*records[i]);
    try {
      if (at_once > 0) {
        own_region->unbounded()->push(records, at_once);
      } else if ((fits = waiting() < run_.settings.max_held)) {
        slots[0]->waiting_.push_back(records[0]);
        count_.fetch_add(1, std::memory_order_relaxed);
      }
    } catch (...) {
      for (std::size_t i = 0; i < taken; ++i) come_back(*records[i], *slots[i]);
      throw;
    }
    for (std::size_t i = 0; fits && i < taken; ++i)
      if (slots[i]->is_let_go()) end_over(*slots[i], done, left);
  }
  after(done, left);
  if (!fits) {
    fail_saying(failure_kind::too_many_held, records[0], [&] {
      return std::to_string(waiting()) + " records wait here for their turn already, option max_held";
    });
    slots[0]->let_go();
  }
  return taken;
}

// Under mutex_: how many of these records, from the first on, follow what has left. A position that only its own record
// holds is over when that record leaves.
std::size_t order_exit_entity::leaving_at_once(record_body* const* records, std::size_t count) const {
  if (run_.life.is_stopping()) return 0;
  const order_slot* turn = first_;
  std::size_t n = 0;
  for (; n < count && records[n]->order == turn && turn->waiting_.empty(); ++n)
    if (turn->is_held_once()) turn = turn->after_;
  return n;
}

// go_out() makes the record hold the position in the network around this one, and returns the one it held. come_back()
// is the reverse.
order_slot* order_exit_entity::go_out(record_body& r) {
  order_slot* const slot = std::exchange(r.order, r.order->outer_);
  if (r.order) r.order->hold();
  return slot;
}

void order_exit_entity::come_back(record_body& r, order_slot& slot) {
  if (r.order) r.order->let_go();  // never the last: the slot holds it, too
  r.order = &slot;
}

void order_exit_entity::unlink(order_slot& slot) noexcept {
  (slot.before_ ? slot.before_->after_ : first_) = slot.after_;
  (slot.after_ ? slot.after_->before_ : last_) = slot.before_;
}

// No record holds the position any more. Called by its last holder.
void order_exit_entity::is_over(order_slot& slot) noexcept {
  order_slot* done = nullptr;
  std::size_t left = 0;
  {
    const lock_guard lock(mutex_);
    end_over(slot, done, left);
  }
  after(done, left);
}

// Without mutex_, once outputs have left and these positions are done.
void order_exit_entity::after(order_slot* done, std::size_t left) noexcept {
  if (left > 0) open_gate();  // for a moment they were counted twice
  while (done) order_slot::destroy(std::exchange(done, done->after_));
}

// Under mutex_, like the next three. A position without outputs ends immediately, also in the middle: what a
// synchrocell absorbed leaves nothing behind. `done` are positions to destroy without the lock, linked by after_.
void order_exit_entity::end_over(order_slot& slot, order_slot*& done, std::size_t& left) noexcept {
  slot.over_ = true;
  if (&slot == first_)
    end_first_ones(done, left);
  else if (slot.waiting_.empty())
    end(slot, done);
}

void order_exit_entity::end(order_slot& slot, order_slot*& done) noexcept {
  unlink(slot);
  slot.after_ = std::exchange(done, &slot);
}

void order_exit_entity::end_first_ones(order_slot*& done, std::size_t& left) noexcept {
  while (first_ && let_out(*first_, left) && first_->over_) end(*first_, done);
}

// False: its outputs stay. Either there is no memory for it, or the run stops. Then earlier positions may be over only
// because their records were dropped.
bool order_exit_entity::let_out(order_slot& slot, std::size_t& left) noexcept {
  if (slot.waiting_.empty()) return true;
  if (run_.life.is_stopping()) return false;
  try {
    own_region->unbounded()->push(slot.waiting_.data(), slot.waiting_.size());
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
    return false;
  }
  left += slot.waiting_.size();
  count_.fetch_sub(slot.waiting_.size(), std::memory_order_relaxed);
  slot.waiting_.clear();
  return true;
}

// Without the lock, since no other thread is left: it ends values, which runs the user's code. The dropped records hold
// outer positions only.
bool order_exit_entity::drop_all() noexcept {
  bool dropped = false;
  order_slot* done = nullptr;
  for (order_slot* s = first_; s; s = s->after_) {
    for (record_body* r : s->waiting_) drop_body(r);
    dropped = dropped || !s->waiting_.empty();
    s->waiting_.clear();
  }
  count_.store(0, std::memory_order_relaxed);
  std::size_t left = 0;
  end_first_ones(done, left);
  dropped = dropped || done;
  while (done) order_slot::destroy(std::exchange(done, done->after_));
  return dropped;
}

}  // namespace weir::detail
