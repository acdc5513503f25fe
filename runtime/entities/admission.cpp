#include "runtime/entities/admission.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/number_text.hpp"
#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

admission::~admission() {
  for (need_state& n : needs_)
    if (n.of) ledger_->close(*n.of);
}

void admission::open(resource_ledger& ledger, const std::function<std::int64_t(const resource&)>& total_of) {
  ledger_ = &ledger;
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    const resource& of = box_.needs[i].of;
    needs_[i].of = &ledger.open(of.name(), total_of(of));
  }
}

// The amount for the invocation at this predictor value, of which several together have the sum. A learnt amount that
// is not known yet is the total.
std::int64_t admission::amount_of(std::size_t need, std::span<const invocation> batch, double x) const {
  const resource_need& n = box_.needs[need];
  const need_state& state = needs_[need];
  const std::int64_t total = state.of->total();
  if (n.is_learnt) {
    const std::optional<double> bound = state.learnt.bound_at(x);
    return bound && *bound < static_cast<double>(total) ? static_cast<std::int64_t>(std::ceil(*bound)) : total;
  }
  const auto most = static_cast<double>(total);
  double amount = n.call ? 0 : static_cast<double>(n.amount);
  if (n.call)
    for (const invocation& i : batch) {
      const double of_one = n.call(n.function.get(), i);
      if (!(of_one >= 0)) {  // none below 0 makes up for another
        amount = of_one;
        break;
      }
      amount += of_one;
    }
  if (n.call ? !(amount >= 0 && amount <= most) : n.amount > total)
    throw needs_too_much_error("it needs " + in_digits(amount, 15) + " of " + n.of.name() + ", expected 0 to " +
                               std::to_string(total));
  if (!n.call) return n.amount;
  return amount < most ? static_cast<std::int64_t>(std::ceil(amount)) : total;
}

void admission::note_wait(double seconds) noexcept {
  waited_.fetch_add(1, std::memory_order_relaxed);
  double before = seconds_waited_.load(std::memory_order_relaxed);
  while (!seconds_waited_.compare_exchange_weak(before, before + seconds, std::memory_order_relaxed)) {
  }
}

bool admission::permit::enter(admission& of, const error_site& at, std::span<const invocation> batch,
                              run_environment& run, at_work& doing) {
  constexpr double window = 64;  // of the means
  const bool is_listening =
      std::any_of(of.box_.needs.begin(), of.box_.needs.end(), [](const resource_need& n) { return n.is_learnt; });
  doing.enter(at);
  x_ = static_cast<double>(batch.size());
  if (is_listening && of.box_.predict) {
    x_ = 0;
    for (const invocation& i : batch) x_ += of.box_.predict(of.box_.predictor.get(), i);
  }
  for (std::size_t n = 0; n < of.needs_.size(); ++n) {
    need_state& state = of.needs_[n];
    amounts_.push_back({state.of, of.amount_of(n, batch, x_)});
    used_.push_back(-1);
    if (of.box_.needs[n].is_learnt && !state.learnt.bound_at(x_)) continue;
    const auto amount = static_cast<double>(amounts_.back().amount);
    const double mean = state.mean.load(std::memory_order_relaxed);
    state.mean.store(mean < 0 ? amount : mean + (amount - mean) / window, std::memory_order_relaxed);
    if (mean < 0) continue;
    const double distance = state.distance.load(std::memory_order_relaxed);
    state.distance.store(distance + (std::abs(amount - mean) - distance) / window, std::memory_order_relaxed);
  }
  doing.leave();
  const threads::atomic<bool>& stopping = run.life.stopping_flag();
  if (!amounts_.empty() && !of.ledger_->acquire(amounts(), stopping, false)) {
    if (!run.platform.has_threads())
      throw std::logic_error("the resources that it needs are in use, and nothing else can run");
    const double since = run.life.now();
    if (!of.ledger_->acquire(amounts(), stopping)) return false;
    of.note_wait(run.life.now() - since);
  }
  of_ = &of;
  if (is_listening) outer_ = std::exchange(used_amounts::of_this_thread(), this);
  if (of.width_) of.width_->enter();
  return true;
}

void admission::permit::leave() noexcept {
  if (of_->width_) of_->width_->leave();
  if (amounts_.empty()) return;
  for (std::size_t n = 0; n < used_.size(); ++n)
    if (used_[n] >= 0) of_->needs_[n].learnt.note(x_, used_[n]);
  if (used_amounts::of_this_thread() == this) used_amounts::of_this_thread() = outer_;
  of_->ledger_->release(amounts());
}

bool admission::permit::note(const resource& of, std::int64_t amount) noexcept {
  for (std::size_t n = 0; n < used_.size(); ++n) {
    const resource_need& need = of_->box_.needs[n];
    if (!need.is_learnt || need.of.name() != of.name()) continue;
    used_[n] = std::max(used_[n], amount);
    return true;
  }
  return false;
}

void admission::note_process(double x, std::int64_t peak_bytes) noexcept {
  for (std::size_t n = 0; n < needs_.size(); ++n)
    if (box_.needs[n].is_learnt && box_.needs[n].of.name() == "memory") needs_[n].learnt.note(x, peak_bytes);
}

std::vector<const resource_ledger::account*> admission::accounts() const {
  std::vector<const resource_ledger::account*> all;
  for (const need_state& n : needs_) all.push_back(n.of);
  return all;
}

admission::bound admission::most_at_a_time() const {
  bound least;
  for (const need_state& n : needs_) {
    const double light = n.mean.load(std::memory_order_relaxed) - n.distance.load(std::memory_order_relaxed);
    if (!n.of || !(light > 0)) continue;
    const double most = std::max(1.0, std::floor(static_cast<double>(n.of->total()) / light));
    if (most < least.invocations) least = {static_cast<int>(most), n.of->name()};
  }
  return least;
}

}  // namespace weir::detail
