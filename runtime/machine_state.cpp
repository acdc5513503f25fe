#include "runtime/machine_state.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/machine.hpp"
#include "runtime/run_state.hpp"

namespace weir {
namespace detail {

machine_state::machine_state(std::shared_ptr<detail::platform> p)
    : platform_(std::move(p)), ledger_(platform_->cores()->size()), arenas_(*platform_, binding_refused_) {}

core_set machine_state::join(run_state& run) {
  const std::lock_guard stepping(stepping_);
  const std::lock_guard lock(mutex_);
  if (runs_.empty()) {
    // The cores + 1: workers for every core, and the caller's own thread.
    if (platform_->is_local()) limit_ = std::make_unique<worker_limit>(platform_->cores()->size() + 1);
    if (platform_->has_threads()) {
      controller_end_ = std::stop_source();
      controller_ = platform_->start_thread([this, end = controller_end_.get_token()] { control(end); });
    }
  }
  runs_.push_back(&run);
  lease();
  woken_ = true;  // the others have fewer cores now
  wake_.notify_one();
  return run.leased();
}

void machine_state::leave(run_state& run) {
  std::thread last;
  {
    const std::lock_guard stepping(stepping_);
    const std::lock_guard lock(mutex_);
    std::erase(runs_, &run);
    if (runs_.empty()) {
      limit_.reset();
      controller_end_.request_stop();
      last = std::move(controller_);
    } else {
      lease();
      woken_ = true;
    }
    wake_.notify_all();
  }
  if (last.joinable()) last.join();
}

// Equal parts of neighbouring cores, as long as there is a core for each; else they take turns on single cores.
void machine_state::lease() {
  const core_set all = cores()->all();
  const int n = static_cast<int>(runs_.size());
  const auto parts = all.slices(std::min(n, all.size()));
  for (int i = 0; i < n; ++i)
    runs_[static_cast<std::size_t>(i)]->set_lease(parts[static_cast<std::size_t>(i) % parts.size()]);
}

void machine_state::wake_controller() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

void machine_state::watch() {
  if (!platform_->has_threads() || watching_.exchange(true)) return;
  wake_controller();
}

void machine_state::look_for_hangs(const std::vector<run_state*>& runs) {
  const auto any_busy = [&] {
    bool busy = false;
    for (run_state* r : runs) busy = r->look_for_hangs() || busy;
    return busy;
  };
  if (any_busy()) return;
  watching_.store(false, std::memory_order_relaxed);
  if (!ledger_.is_idle()) watching_.store(true, std::memory_order_relaxed);
}

void machine_state::control(std::stop_token ended) {
  using clock = std::chrono::steady_clock;
  constexpr auto between_looks = std::chrono::milliseconds(250);
  clock::time_point next_look{};
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto called = [&] { return woken_ || ended.stop_requested(); };
      if (watching_.load())
        wake_.wait_until(lock, next_look, called);
      else
        wake_.wait(lock, called);
      if (ended.stop_requested()) return;
      woken_ = false;
    }
    const std::lock_guard stepping(stepping_);
    std::vector<run_state*> runs;
    {
      const std::lock_guard lock(mutex_);
      runs = runs_;
    }
    for (run_state* r : runs)
      if (r->wants_step()) r->step();
    if (clock::now() < next_look) continue;
    look_for_hangs(runs);
    next_look = clock::now() + between_looks;
  }
}

}  // namespace detail

machine machine::local() {
  // Never destroyed: oneTBB, whose arenas it keeps, may be gone before static destructors run.
  static const auto* const it = new machine(std::make_shared<detail::machine_state>(detail::local_platform()));
  return *it;
}

machine machine::synthetic(const std::string& text) {
  return machine{std::make_shared<detail::machine_state>(detail::synthetic_platform(text))};
}

int machine::size() const { return state_->cores()->size(); }
std::string machine::summary() const { return state_->cores()->summary(); }

}  // namespace weir
