#pragma once

#include <cstdint>
#include <vector>

#include <weir/record/errors.hpp>
#include <weir/record/record.hpp>
#include <weir/threads/primitives.hpp>

namespace weir::detail {

class order_slot;

// Is told when no record holds a position any more. The listener then owns the slot, and gives it up by destroy().
class position_listener {
 public:
  virtual void is_over(order_slot& slot) noexcept = 0;

  // A record that holds the position, as its outermost, ends by an error. True: the listener sees to all that is to be
  // done about it, but for the record itself.
  virtual bool takes(const failure&, const record_body&, order_slot&) noexcept { return false; }

  // The position, held once more, for what comes at the end of the input; or one behind it, if each of that is to have
  // its own. Throws std::bad_alloc.
  virtual order_slot* another(order_slot& slot);

  // A position right before `slot`, for one record of an initialiser that holds it. Takes over the reference to
  // `outer`, also when it throws std::bad_alloc. REQUIRES: the listener is that of an ordered network.
  virtual order_slot* before(order_slot& slot, order_slot* outer);

 protected:
  ~position_listener() = default;
};

// The position of one input in an ordered network. The input holds it, and so does every record that it causes in
// there; the position is over when none does. The exit lets the outputs leave one position after the other. Cost: one
// reference per record and level of nesting, however many branches there are.
class order_slot {
 public:
  // Made with one holder. Takes over the reference to `outer`, the position in the ordered network around this one, or
  // null.
  static order_slot* make(position_listener& listener, order_slot* outer);

  // relaxed: a new holder is made from an existing one, which orders it.
  void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  // release, and acquire by the last: it sees what every other holder did before it let go.
  void let_go() noexcept {
    if (is_let_go()) listener_.is_over(*this);
  }

  order_slot* outer() const { return outer_; }
  position_listener& listener() const { return listener_; }

  // By a holder: whether it is the only one. It stays the only one, since a new holder is made from an existing one.
  bool is_held_once() const noexcept { return holders_.load(std::memory_order_acquire) == 1; }

  // By the listener, when it is over, or by the only holder in place of let_go(): gives up the outer position.
  static void destroy(order_slot* s) noexcept;

  std::uint64_t number = 0;  // for the listener's use
  // For the listener's use, too: holders change it, and the last one reads what all did. Relaxed for that reason.
  threads::atomic<std::uint32_t> tally{0};

 private:
  order_slot(position_listener& listener, order_slot* outer) : listener_(listener), outer_(outer) {}
  bool is_let_go() noexcept { return holders_.fetch_sub(1, std::memory_order_acq_rel) == 1; }  // true for the last

  position_listener& listener_;
  order_slot* const outer_;  // the position in the ordered network around this one; counted; null when there is none
  threads::atomic<std::uint32_t> holders_{1};

  double began_ = 0;  // for the probe: when the record was let in, by the platform's clock; NaN: it was not

  // Under the exit's lock.
  bool over_ = false;
  order_slot* before_ = nullptr;  // neighbours of this one among the positions that are not over or have outputs here
  order_slot* after_ = nullptr;
  std::vector<record_body*> waiting_;  // outputs whose turn has not come

  friend class latency_probe;
  friend class order_exit_entity;
};

inline order_slot* position_listener::another(order_slot& slot) {
  slot.hold();
  return &slot;
}

inline order_slot* position_listener::before(order_slot&, order_slot* outer) { return outer; }

}  // namespace weir::detail
