#include "runtime/engine/intake.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <weir/record/record.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

namespace {

// While it calls predictors a thread is inside a call of the run. Records that predictors send are not foreseen: that
// would not end.
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

intake::intake(run_environment& run, entity& head, std::size_t physical_capacity)
    : run_(run), head_(head), inlet_(run.monitor, physical_capacity) {}

void intake::add_unbounded(schedulable& into, entity& entry, error_site& fails, std::size_t most, bool returns) {
  returns_ = returns;
  unbounded_ = std::make_unique<unbounded_inlet>(run_.monitor, into, fails, most);
  round_entry_ = &entry;
}

void intake::open() {
  if (!foreseen_ && !first_ && run_.settings.looks_ahead && foresee_)
    foreseen_ = std::make_unique<waiting_inputs>(inlet_.physical());
  inlet_.open();  // its release tells readers of the former
}

// The predictor is the user's, so no lock is held. It is called for at most as many records as there is room for, since
// a full stream is tried again and again.
std::size_t intake::push_foreseen(record_body* const* records, std::size_t count) {
  std::array<double, work_setting::largest_batch> x;
  x.fill(std::numeric_limits<double>::quiet_NaN());
  const std::size_t waiting = inlet_.size(), limit = inlet_.limit();
  const std::size_t asked = foreseeing::is_on ? 0 : std::min({count, waiting < limit ? limit - waiting : 0, x.size()});
  if (asked > 0) {
    check_no_locks("a predictor is called");
    const foreseeing now(&run_.run);
    for (std::size_t i = 0; i < asked; ++i) x[i] = foresee_(head_, *records[i]);
  }
  const lock_guard lock(writers_);
  const std::uint64_t first = inlet_.arrivals().count();
  const std::size_t taken = inlet_.push(records, count);
  foreseen_->set(first, {x.data(), std::min(taken, x.size())});
  return taken;
}

void intake::read_waiting(std::size_t most, std::vector<double>& to) const {
  to.clear();
  const std::size_t waiting = inlet_.size();
  if (waiting > 0 && foreseen_ && setting().takes_one_by_one()) foreseen_->read(inlet_.popped(), waiting, most, to);
}

// Records in a long queue wait anyway, so each lane takes a quarter of its part of the queue as one batch. Fewer
// hand-overs then happen while there is much to do, and the last lane to finish has little (guided self-scheduling:
// Polychronopoulos and Kuck, IEEE Transactions on Computers 36, 1987).
intake::batch_size intake::next_batch(int lanes) const {
  if (batch_) return batch_(head_, waiting());
  constexpr std::size_t parts = 4;
  const std::size_t lanes_part = waiting() / (parts * static_cast<std::size_t>(lanes));
  const work_setting s = setting();
  return {std::min(std::max<std::size_t>(s.batch, lanes_part), std::size_t{s.most_in_batch})};
}

intake::batch intake::take(record_body** into, std::uint64_t* numbers, int lanes) {
  // A size is asked for only where a batch follows, since it counts as a batch to come.
  if (batch_ && (waiting() == 0 || (!unbounded_ && is_shut_ && is_shut_()))) {
    came_back_ = 0;
    return {0, &head_, &inlet_.left(), 0, 0};
  }
  const batch_size size = next_batch(lanes);
  std::size_t most = size.records;
  std::size_t count = 0;
  entity* entry = &head_;
  stream_end* left = &inlet_.left();
  if (unbounded_) {
    if (lets_one_in()) {
      most = 1;
    } else if ((count = unbounded_->pop(into, most)) > 0) {
      entry = round_entry_;
      left = &unbounded_->left();
    }
    came_back_ = count > 0 ? came_back_ + count : 0;
  }
  if (count == 0 && !(is_shut_ && is_shut_()))
    count = first_ ? first_->pop(inlet_, into, most) : inlet_.pop(into, most);
  if (number_ && count > 0) number_(head_, {into, count}, numbers);
  return {count, entry, left, left->count() - count, size.note};
}

// Whether a new record is taken before the looping ones that wait: each of these had 64 turns since the last new one.
// So few records are in a loop, and a record that never leaves it does not keep new ones out. A gate that limits the
// records inside decides alone.
bool intake::lets_one_in() const {
  constexpr std::size_t many = 64;
  const bool is_loop = round_entry_ != &head_;
  return is_loop && !is_shut_ && inlet_.size() > 0 && !unbounded_->is_idle() && came_back_ >= many * unbounded_->size();
}

// With fewer records the workers would only get in each other's way.
bool intake::is_crowded() const { return waiting() >= std::max<std::size_t>(setting().batch, inlet_.limit() / 2); }

// Seconds. A first record takes several times as long as later ones, which find their memory and lookups made.
constexpr double worth_a_worker = 25e-6;

bool intake::expects_short(double seconds, std::size_t records) noexcept {
  work_setting s = setting();
  if (!s.is_unsure()) return false;
  const double of_one = std::max(seconds / static_cast<double>(records), 1e-9);
  const bool was_short = of_one < (s.may_batch() ? worth_a_worker : work_setting::short_below);
  const int in_a_row = was_short ? short_in_a_row_.load(std::memory_order_relaxed) + 1 : 0;
  short_in_a_row_.store(in_a_row, std::memory_order_relaxed);
  // A plan that knows comes first.
  if (was_short && (s.may_batch() || in_a_row >= work_setting::enough_short))
    return setting_.compare_exchange_strong(s, s.expecting(of_one), std::memory_order_relaxed);
  if (!was_short) expect_nothing();
  return false;
}

bool intake::expect_nothing() noexcept {
  work_setting s = setting();
  return s.is_unsure() && s.may_batch() &&
         setting_.compare_exchange_strong(s, s.expecting_nothing(), std::memory_order_relaxed);
}

std::size_t intake::size(bool with_unbounded) const {
  return in_stream() + (with_unbounded && unbounded_ ? unbounded_->size() : 0);
}

std::size_t intake::drop_all() {
  std::size_t dropped = 0;
  while (record_body* const r = first_ ? first_->drop_one() : nullptr) {
    drop_body(r);
    ++dropped;
  }
  for (record_body* r = nullptr; inlet_.pop(&r, 1) || (unbounded_ && unbounded_->pop(&r, 1)); ++dropped) drop_body(r);
  return dropped;
}

stream_end::snapshot intake::arrivals() const {
  const lock_guard lock(writers_);
  return inlet_.arrivals().read();
}

}  // namespace weir::detail
