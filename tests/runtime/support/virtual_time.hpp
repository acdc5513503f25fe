#pragma once

#include <memory>
#include <string>

#include <weir/weir.hpp>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/support/test_platform.hpp"

namespace weir::testing {

// A synthetic machine without threads whose clock moves only by advance(). A network takes the time that its boxes
// report. Everything, including decisions, happens in the caller's thread, in the same order each time. For one thread.
class virtual_time : public test_platform {
 public:
  explicit virtual_time(const std::string& cores) : test_platform(cores) {}

  void advance(double seconds) { now_ += seconds; }

  double now() const noexcept override { return now_; }
  bool has_threads() const override { return false; }

 private:
  double now_ = 0;
};

inline options on(const std::shared_ptr<virtual_time>& time) {
  options o;
  o.machine = machine(std::make_shared<detail::machine_state>(time));
  return o;
}

}  // namespace weir::testing
