#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "runtime/engine/region.hpp"
#include "runtime/engine/run_environment.hpp"

// How outputs leave a region: in the order of the tickets, as far as there is room.
namespace weir::detail {

bool region::finish(std::uint64_t ticket, std::vector<outgoing_record>& out) noexcept {
  bool delivering = false;
  {
    const lock_guard lock(mutex_);
    --active_;
    if (turn_.load(std::memory_order_relaxed) == ticket) {
      delivering = delivering_ = true;
    } else {
      try {
        if (spare_.empty()) {
          spare_.reserve(finished_.size() + 1);  // room for all that there will be
          finished_.emplace(ticket, std::vector<outgoing_record>()).first->second.swap(out);
        } else {
          auto kept = std::move(spare_.back());
          spare_.pop_back();
          kept.key() = ticket;
          kept.mapped().swap(out);
          finished_.insert(std::move(kept));
        }
        return true;
      } catch (const std::bad_alloc&) {
      }
    }
  }
  if (delivering) return deliver_in_turn(out);
  run_.out_of_memory();
  run_.errors.drop(out.size());
  for (const outgoing_record& p : out) drop_body(p.what);
  return false;
}

// False when the region is stuck.
bool region::deliver_in_turn(std::vector<outgoing_record>& out) noexcept {
  for (;;) {
    if (!flush(out)) {
      channel& full = *out.front().to;
      full.blocked.begin(run_.monitor.time());
      {
        const lock_guard lock(mutex_);
        stuck_.swap(out);
        is_stuck_.store(true, std::memory_order_relaxed);
        delivering_ = false;
        run_.life.begin_work();
      }
      try {
        full.space.register_waiter(*this);
      } catch (const std::bad_alloc&) {
        run_.out_of_memory();
      }
      space.notify();          // activations notify when half of the inlet is free, and there may be none for long now
      return full.has_room();  // then it is worth another look; else the signal calls a worker
    }
    const lock_guard lock(mutex_);
    if (run_.life.is_stopping()) {  // that batch may have been cut short: later ones stay, and are dropped
      delivering_ = false;
      break;
    }
    const std::uint64_t next = turn_.load(std::memory_order_relaxed) + 1;
    turn_.store(next, std::memory_order_release);
    if (turn_waiters_) turn_passed_.notify_all();
    const auto waiting = finished_.find(next);
    if (waiting == finished_.end()) {
      delivering_ = false;
      break;
    }
    waiting->second.swap(out);
    spare_.push_back(finished_.extract(waiting));
  }
  run_.placing.complete_if_needed();
  return true;
}

bool region::flush(std::vector<outgoing_record>& out) noexcept {
  std::array<record_body*, largest_batch> run_of;
  std::size_t done = 0;
  while (done < out.size()) {
    channel* const to = out[done].to;
    std::size_t n = 0;
    while (n < run_of.size() && done + n < out.size() && out[done + n].to == to) {
      run_of[n] = out[done + n].what;
      ++n;
    }
    std::size_t taken = 0;
    try {
      taken = to->push(run_of.data(), n);
    } catch (const std::bad_alloc&) {
      run_.out_of_memory();
    }
    done += taken;
    if (taken < n) {
      // A record must not overtake another on its way to the same stream; records to other streams wait with it.
      out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(done));
      return false;
    }
  }
  out.clear();
  return true;
}

void region::wait_until(const std::function<bool()>& holds) {
  unique_lock lock(mutex_);
  ++turn_waiters_;
  turn_passed_.wait(lock, [&] { return holds() || run_.life.is_stopping(); });
  --turn_waiters_;
}

void region::wake_turn_waiters() {
  const lock_guard lock(mutex_);
  turn_passed_.notify_all();
}

}  // namespace weir::detail
