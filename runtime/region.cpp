#include "runtime/region.hpp"

#include <algorithm>
#include <array>

#include "runtime/run_state.hpp"
#include "runtime/stage.hpp"

namespace weir::detail {

// ---- room_bell ----

void room_bell::leave_name(region& r) {
  const std::lock_guard lock(mutex_);
  if (std::find(names_.begin(), names_.end(), &r) == names_.end()) names_.push_back(&r);
  wanted_.store(true, std::memory_order_seq_cst);
}

void room_bell::ring_now(run_state& run) {
  std::vector<region*> names;
  {
    const std::lock_guard lock(mutex_);
    names.swap(names_);
    wanted_.store(sleepers_ > 0, std::memory_order_seq_cst);
    woken_.notify_all();
  }
  for (region* r : names) run.schedule(*r);
}

// ---- region ----

region::region(run_state& run, stage& head, std::size_t physical_capacity)
    : run_(run), head_(head), inlet_(physical_capacity) {}

std::size_t region::push(record_body* const* records, std::size_t count) {
  std::size_t taken;
  {
    const std::lock_guard lock(writers_);
    taken = inlet_.push(records, count);
  }
  if (taken) run_.schedule(*this);
  return taken;
}

// A few batches beyond the lanes may be done and wait for their turn, so that one slow invocation does not stop the
// other lanes at once; one lane needs none.
std::uint64_t region::window() const {
  const int lanes = limit();
  return lanes == 1 ? 1 : 2 * static_cast<std::uint64_t>(lanes) + 2;
}

void region::activate(worker& w) {
  std::array<record_body*, largest_batch> batch;
  std::size_t count = 0;
  std::uint64_t ticket = 0;
  bool more = false;
  queued.store(false, std::memory_order_seq_cst);  // before looking at the inlet: who pushes after this lists us again
  {
    std::unique_lock lock(mutex_);
    if (!stuck_.empty() && !delivering_) {
      delivering_ = true;
      std::vector<parcel> out = std::move(stuck_);
      stuck_.clear();
      lock.unlock();
      run_.finish_work();  // what it was stuck with counted as work of its own
      deliver_in_turn(out);
      return;
    }
    if (held_ || active_.load(std::memory_order_relaxed) >= limit() || taken_ - turn_.load(std::memory_order_relaxed) >= window()) return;
    count = inlet_.pop(batch.data(), std::min(batch_.load(std::memory_order_relaxed), largest_batch));
    if (count == 0) return;
    ticket = taken_++;
    active_.fetch_add(1, std::memory_order_relaxed);
    more = inlet_.size() > 0 && active_.load(std::memory_order_relaxed) < limit();
  }
  if (inlet_.size() <= inlet_.limit() / 2) room.ring(run_);
  if (more) run_.schedule(*this);

  context c(run_, w, *this, ticket);
  for (std::size_t i = 0; i < count; ++i) {
    if (run_.is_stopping()) {
      run_.records_dropped(1);
      drop_body(batch[i]);
      continue;
    }
    // One in 64 keeps the share of timed records, which cost about 60 ns a box more, near a nanosecond.
    c.sampling = (++w.samples & 63u) == 0;
    c.drive(&head_, batch[i]);
  }
  finish(ticket, c.out);
}

void region::finish(std::uint64_t ticket, std::vector<parcel>& out) {
  {
    const std::lock_guard lock(mutex_);
    active_.fetch_sub(1, std::memory_order_relaxed);
    if (turn_.load(std::memory_order_relaxed) != ticket) {
      finished_.emplace(ticket, std::move(out));
      out.clear();
      if (inlet_.size() > 0) run_.schedule(*this);
      return;
    }
    delivering_ = true;
  }
  deliver_in_turn(out);
}

void region::deliver_in_turn(std::vector<parcel>& out) {
  for (;;) {
    if (!flush(out)) {
      channel& full = *out.front().to;
      {
        const std::lock_guard lock(mutex_);
        stuck_ = std::move(out);
        delivering_ = false;
        run_.begin_work();
      }
      out.clear();
      full.room.leave_name(*this);
      if (full.has_room()) run_.schedule(*this);
      return;  // the rest of the inlet waits for this, too
    }
    const std::lock_guard lock(mutex_);
    const std::uint64_t next = turn_.load(std::memory_order_relaxed) + 1;
    turn_.store(next, std::memory_order_release);
    if (turn_waiters_) turn_passed_.notify_all();
    const auto waiting = finished_.find(next);
    if (waiting == finished_.end()) {
      delivering_ = false;
      break;
    }
    out = std::move(waiting->second);
    finished_.erase(waiting);
  }
  if (inlet_.size() > 0) run_.schedule(*this);
  run_.settle_if_needed();
}

bool region::flush(std::vector<parcel>& out) {
  std::array<record_body*, largest_batch> run_of;
  std::size_t done = 0;
  while (done < out.size()) {
    channel* const to = out[done].to;
    std::size_t n = 0;
    while (n < run_of.size() && done + n < out.size() && out[done + n].to == to) {
      run_of[n] = out[done + n].what;
      ++n;
    }
    const std::size_t taken = to->push(run_of.data(), n);
    done += taken;
    if (taken < n) {
      // A record must not overtake another on its way to the same stream; those to other streams wait with it.
      out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(done));
      return false;
    }
  }
  out.clear();
  return true;
}

void region::wait_for_turn(std::uint64_t ticket) {
  std::unique_lock lock(mutex_);
  ++turn_waiters_;
  turn_passed_.wait(lock, [&] { return turn_.load(std::memory_order_relaxed) == ticket || run_.is_stopping(); });
  --turn_waiters_;
}

void region::wake_turn_waiters() {
  const std::lock_guard lock(mutex_);
  turn_passed_.notify_all();
}

void region::hold() {
  const std::lock_guard lock(mutex_);
  if (held_) return;
  held_ = true;
  run_.begin_work();
}

void region::release() {
  {
    const std::lock_guard lock(mutex_);
    if (!held_) return;
    held_ = false;
  }
  run_.schedule(*this);
  run_.finish_work();
}

bool region::is_quiet() const {
  const std::lock_guard lock(mutex_);
  return active_.load(std::memory_order_relaxed) == 0 && !delivering_ && stuck_.empty() && finished_.empty();
}

std::size_t region::kept() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = inlet_.size() + stuck_.size();
  for (const auto& [ticket, out] : finished_) count += out.size();
  return count;
}

std::size_t region::drop_all() {
  std::size_t dropped = 0;
  record_body* r = nullptr;
  while (inlet_.pop(&r, 1)) {
    drop_body(r);
    ++dropped;
  }
  const auto drop = [&](std::vector<parcel>& kept) {
    for (const parcel& p : kept) drop_body(p.what);
    dropped += kept.size();
    kept.clear();
  };
  drop(stuck_);
  for (auto& [ticket, kept] : finished_) drop(kept);
  finished_.clear();
  return dropped;
}

}  // namespace weir::detail
