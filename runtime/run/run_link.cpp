#include "runtime/run/run_link.hpp"

namespace weir::detail {

template <class Answer>
std::optional<Answer> run_link::asked(const std::function<Answer()>& question) {
  {
    const lock_guard lock(mutex_);
    if (!is_there_) return {};
    ++users_;
  }
  // The run's functions may call the user's, so no lock is held. It cannot go before it is given back.
  struct giving_back {
    run_link& link;
    ~giving_back() {
      const lock_guard again(link.mutex_);
      if (--link.users_ == 0) link.unused_.notify_all();
    }
  } const at_the_end{*this};
  return question();
}

run_report run_link::report() {
  if (auto r = asked(run_.report)) return *std::move(r);
  return last_;
}

bool run_link::is_over() { return asked(run_.is_over).value_or(true); }

void run_link::end(bool has_views) noexcept {
  try {
    if (has_views) last_ = report();
  } catch (...) {  // no memory
  }
  unique_lock lock(mutex_);
  is_there_ = false;
  while (users_ > 0) unused_.wait(lock);
}

}  // namespace weir::detail
