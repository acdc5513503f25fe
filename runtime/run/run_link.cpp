#include "runtime/run/run_link.hpp"

#include <new>

#include "runtime/run/run_state.hpp"
#include "runtime/run/run_view.hpp"

namespace weir {
namespace detail {

template <class F>
auto run_link::with_run(F f) -> std::optional<decltype(f(std::declval<run_state&>()))> {
  unique_lock lock(mutex_);
  if (!run_) return {};
  ++users_;
  run_state& run = *run_;
  lock.unlock();
  // The run's functions may call the user's, so no lock is held. It cannot go before it is given back.
  struct giving_back {
    run_link& link;
    ~giving_back() {
      const lock_guard again(link.mutex_);
      if (--link.users_ == 0) link.unused_.notify_all();
    }
  } const at_the_end{*this};
  return f(run);
}

run_report run_link::report() {
  if (auto r = with_run([](run_state& run) { return run.report(); })) return *std::move(r);
  return last_;
}

bool run_link::is_over() {
  return with_run([](run_state& run) { return run.environment().life.is_over(); }).value_or(true);
}

void run_link::end() noexcept {
  try {
    last_ = report();
  } catch (...) {  // no memory
  }
  unique_lock lock(mutex_);
  run_ = nullptr;
  while (users_ > 0) unused_.wait(lock);
}

}  // namespace detail

run_report run_view::report() const { return link_->report(); }
bool run_view::is_over() const { return link_->is_over(); }

}  // namespace weir
