#include <weir/run/execution.hpp>

#include <stdexcept>
#include <utility>

#include "runtime/machine/float_state.hpp"
#include "runtime/machine/log.hpp"
#include "runtime/run/run_state.hpp"

namespace weir {

namespace detail {
// A run's own thread cannot wait for the run. Then the state is kept, for the run's threads.
static void destroy_or_keep(std::unique_ptr<run_state> state) noexcept {
  if (!state || this_process::may_destroy(*state)) return;
  if (this_process::goes_on()) {
    log_warning("an execution was destroyed by a box of its own run: it is stopped, and its memory is kept");
    state->stop();
  }
  (void)state.release();
}
}  // namespace detail

execution::execution(std::unique_ptr<detail::run_state> state) : state_(std::move(state)) {}
execution::execution(execution&&) noexcept = default;
execution& execution::operator=(execution&& other) noexcept {
  if (this != &other) detail::destroy_or_keep(std::exchange(state_, std::move(other.state_)));
  return *this;
}
detail::run_state& execution::state() const {
  if (!state_) throw std::logic_error("this execution was moved from and has no run; use the one that it was moved to");
  return *state_;
}
execution::~execution() { detail::destroy_or_keep(std::move(state_)); }

// A begin() that throws has done nothing.
execution::iterator::iterator(detail::run_state* run) : run_(run), loop_(run->begin_reading()) {
  ++*this;
  if (loop_) loop_->begin();
}

execution::iterator& execution::iterator::operator++() {
  if (run_ && !run_->next(current_)) {
    run_ = nullptr;
    loop_.reset();
  }
  return *this;
}

void execution::send(record r) { state().send(std::move(r)); }
bool execution::try_send(const record& r) { return state().try_send(r); }
void execution::close() { state().close(); }
void execution::wait() { state().wait(); }
void execution::stop() { state().stop(); }
std::vector<failure> execution::errors() const { return state().errors(); }
std::vector<failure> execution::take_errors() { return state().take_errors(); }
run_report execution::report() const {
  const detail::standard_floats own;
  return state().report();
}
run_view execution::view() const { return state().view(); }
prediction execution::predict(const std::string& component, double x, cores on) const {
  const detail::standard_floats own;
  return state().predict(component, {&x, 1}, on.count);
}
prediction execution::predict(const std::string& component, std::initializer_list<double> values, cores on) const {
  const detail::standard_floats own;
  return state().predict(component, {values.begin(), values.size()}, on.count);
}
std::map<std::string, saved_model> execution::models() const {
  const detail::standard_floats own;
  return state().models();
}

execution start(const network& net) { return start(net, {}); }

execution start(const network& net, options o) {
  detail::this_process::refuse_in_child("start");
  detail::this_process::hold_others();
  return execution(std::make_unique<detail::run_state>(net, std::move(o)));
}

}  // namespace weir
