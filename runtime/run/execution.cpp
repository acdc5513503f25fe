#include "runtime/run/execution.hpp"

#include <stdexcept>
#include <utility>

#include "model/named/estimators.hpp"
#include "runtime/machine/log.hpp"
#include "runtime/run/run_state.hpp"

namespace weir {

void options::validate() const {
  try {
    make_estimator(estimator, degree{0});  // it alone knows every name, those of variants included
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("options.estimator is '" + estimator + "': " + e.what());
  }
  if (learn_from != measured_time::wall && learn_from != measured_time::cpu)
    throw std::invalid_argument("options.learn_from is " + std::to_string(static_cast<int>(learn_from)) +
                                ", expected measured_time::wall or measured_time::cpu");
  constexpr std::size_t most = std::size_t{1} << 30;  // beyond that a size_t went below zero somewhere
  if (capacity > most)
    throw std::invalid_argument("options.capacity is " + std::to_string(capacity) + ", expected 0 (automatic) to 2^30");
  if (results_capacity > most)
    throw std::invalid_argument("options.results_capacity is " + std::to_string(results_capacity) +
                                ", expected 0 (automatic) to 2^30");
  const auto seconds = [](const char* which, double given) {
    if (!(given > 0))
      throw std::invalid_argument("options.watchdog." + std::string(which) + " is " + std::to_string(given) +
                                  ", expected seconds beyond 0");
  };
  seconds("at_least", watchdog.at_least);
  seconds("unknown", watchdog.unknown);
  if (!(watchdog.times >= 1))
    throw std::invalid_argument("options.watchdog.times is " + std::to_string(watchdog.times) +
                                ", expected at least 1");
  if (max_held < 1) throw std::invalid_argument("options.max_held is 0, expected at least 1");
  if (max_depth > most)
    throw std::invalid_argument("options.max_depth is " + std::to_string(max_depth) +
                                ", expected 0 (any number) to 2^30");
  if (max_branches > most)
    throw std::invalid_argument("options.max_branches is " + std::to_string(max_branches) +
                                ", expected 0 (any number) to 2^30");
  if (max_failures_kept < 1 || max_failures_kept > most)
    throw std::invalid_argument("options.max_failures_kept is " + std::to_string(max_failures_kept) +
                                ", expected 1 to 2^30");
}

namespace detail {
// In a thread of its own a run cannot be waited for: what it has is kept, for its threads.
static void destroy_or_keep(std::unique_ptr<run_state> state) noexcept {
  if (!state || process::may_destroy(*state)) return;
  if (process::goes_on()) {
    log_warning("an execution was destroyed by a box of its own run: it is stopped, and its memory is kept");
    state->stop();
  }
  (void)state.release();
}
}  // namespace detail

execution::execution(std::unique_ptr<detail::run_state> state) : state_(std::move(state)) {}
execution::execution(execution&&) noexcept = default;
execution& execution::operator=(execution&& other) noexcept {
  detail::destroy_or_keep(std::exchange(state_, std::move(other.state_)));
  return *this;
}
execution::~execution() { detail::destroy_or_keep(std::move(state_)); }

execution::iterator& execution::iterator::operator++() {
  if (run_ && !run_->next(current_)) run_ = nullptr;
  return *this;
}

void execution::send(record r) { state_->send(std::move(r)); }
bool execution::try_send(const record& r) { return state_->try_send(r); }
void execution::close() { state_->close(); }
void execution::wait() { state_->wait(); }
void execution::stop() { state_->stop(); }
std::vector<failure> execution::errors() const { return state_->errors(); }
std::vector<failure> execution::take_errors() { return state_->take_errors(); }
run_report execution::report() const { return state_->report(); }
run_report execution::stats() const { return report(); }
prediction execution::predict(const std::string& component, double x, cores on) const {
  return state_->predict(component, x, on.count);
}
std::map<std::string, saved_model> execution::models() const { return state_->models(); }

execution start(const network& net) { return start(net, {}); }

execution start(const network& net, options o) {
  detail::process::refuse_in_child("start");
  detail::process::hold_others();
  return execution(std::make_unique<detail::run_state>(net, std::move(o)));
}

}  // namespace weir
