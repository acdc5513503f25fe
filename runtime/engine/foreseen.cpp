// What a region knows of the records that wait in its inlet: a forecast for the scheduler.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "runtime/engine/region.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/engine/stage.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

namespace {

// While it calls predictors a thread is inside a call of the run. What they send is not foreseen: it would not end.
class foreseeing {
 public:
  explicit foreseeing(const void* run) : call_(run) { is_on = true; }
  ~foreseeing() { is_on = false; }
  foreseeing(const foreseeing&) = delete;

  static inline thread_local bool is_on = false;

 private:
  const inside_call call_;
};

}  // namespace

void region::open() {
  if (!foreseen_ && run_.settings.looks_ahead && head_.foresees())
    foreseen_ = std::make_unique<waiting_inputs>(inlet_.physical());
  inlet_.open();  // its release tells readers of the former
}

// The predictor is the user's and is called without a lock; for no more records than there is room for, as a full
// stream is tried again and again.
std::size_t region::push_foreseen(record_body* const* records, std::size_t count) {
  std::array<double, largest_batch> x;
  x.fill(std::numeric_limits<double>::quiet_NaN());
  const std::size_t waiting = inlet_.size(), limit = inlet_.limit();
  const std::size_t asked = foreseeing::is_on ? 0 : std::min({count, waiting < limit ? limit - waiting : 0, x.size()});
  if (asked > 0) {
    check_no_locks("a predictor is called");
    const foreseeing now(&run_.run);
    for (std::size_t i = 0; i < asked; ++i) x[i] = head_.foresee(*records[i]);
  }
  const lock_guard lock(writers_);
  const std::uint64_t first = inlet_.came().count();
  const std::size_t taken = inlet_.push(records, count);
  foreseen_->set(first, {x.data(), std::min(taken, x.size())});
  return taken;
}

void region::read_waiting(std::size_t most, std::vector<double>& to) const {
  to.clear();
  const std::size_t waiting = inlet_.size();
  if (waiting > 0 && foreseen_ && is_long()) foreseen_->read(inlet_.popped(), waiting, most, to);
}

}  // namespace weir::detail
