#include "runtime/run/result_reader.hpp"

#include <stdexcept>

#include <weir/record/record.hpp>
#include "runtime/machine/this_process.hpp"
#include "runtime/run/run_input.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

// For each batch, and when another thread goes on with the rest of one.
void result_reader::note_reader(bool takes_more) {
  if (always_bounded_ || (!takes_more && callers_.reads())) return;
  const bool sends = callers_.becomes_reader();
  // A thread that runs the network, or sends to it, must not wait for itself.
  results_.set_bounded(run_.platform.has_threads() && (!sends || run_.life.is_closed()));
}

bool result_reader::next(record& into) {
  refuse_own_threads(run_, "iteration");
  const bool is_empty = at_ == batch_.size();
  note_reader(is_empty);
  if (is_empty && !fill()) return false;
  into = record::adopt(batch_[at_++]);
  return true;
}

// Waits for results.
bool result_reader::fill() {
  at_ = 0;
  for (short_wait wait(waits_);;) {
    if (!results_.is_idle()) {
      results_.take(batch_);
      wait.arrived();
      break;
    }
    if (run_.life.is_over()) {
      this_process::refuse_in_child("iteration");
      this_process::hold_others();
      run_.run.wind_down();
      results_.take(batch_);  // what came meanwhile
      if (!batch_.empty()) break;
      run_.errors.throw_once();
      return false;
    }
    if (!run_.platform.has_threads()) {
      if (!run_.run.help()) throw std::logic_error("iteration: nothing is left to run and the input is not closed");
    } else if (!wait.goes_on()) {
      wait_for_results();
    }
  }
  results_.space.notify();
  return true;
}

// A result may be seen 0.1 ms late where no thread waits for it to be read. That holds where all records come from
// initialisers and the user has bounded neither results nor records in flight.
bool result_reader::may_sleep() const {
  return has_sources_ && !always_bounded_ && run_.life.is_closed() && !run_.in_flight.is_on();
}

void result_reader::wait_for_results() {
  const off_cores meanwhile;
  if (may_sleep() && sleeps_.take()) {
    const std::size_t came = results_.waiting();
    sleeps_.brought(came < results_.capacity() ? came : 0);  // full results may have held others up
    if (came > 0) return;
  }
  results_.wait([&] { return run_.life.is_over(); });
}

void result_reader::drop_all() noexcept {
  for (; at_ < batch_.size(); ++at_) drop_body(batch_[at_]);
  results_.take(batch_);
  for (record_body* r : batch_) drop_body(r);
  batch_.clear();
  at_ = 0;
}

}  // namespace weir::detail
