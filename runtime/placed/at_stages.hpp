#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/engine/stage.hpp"
#include "runtime/streams/order.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail {

class call_stage;

// Where branches are left that are spread by load, whatever rank runs them. It heads a region: a record holds its
// branch until it has come to its turn here, so nothing that enters an empty branch, on its way over another rank,
// overtakes what left it. For what this rank runs it tells when all that a record caused is over: each has a position
// of its own, within those of the ordered networks around.
class at_exit_stage final : public stage, public position_listener {
 public:
  at_exit_stage(run_environment& run, std::string path) : stage(run, std::move(path)) {}
  std::string name() const override { return "placed"; }
  bool is_always_head() const override { return true; }
  int max_width() const override { return 1; }
  stage* step(record_body*& r, context& c) override;

  void begin(record_body& r);  // throws std::bad_alloc
  call_stage* counts = nullptr;

 private:
  void is_over(order_slot& slot) noexcept override;
};

// Sends the records of a branch to the rank that runs it, or on to the body here.
class at_stage final : public stage {
 public:
  // exit: of the body here, where branches are spread by load; else null.
  at_stage(run_environment& run, std::string path, std::string name, int rank, stage& here, call_stage& elsewhere,
           at_exit_stage* exit);
  std::string name() const override { return name_; }
  stage* step(record_body*& r, context& c) override;
  std::vector<stage*> successors() const override;
  std::uint64_t sent_to(const stage& to, std::uint64_t arrived) const override;
  flow_count passed_to(const stage& to) const override;

 private:
  const std::string name_;
  const int rank_;
  stage& here_;
  call_stage& elsewhere_;
  at_exit_stage* const exit_;
  threads::atomic<std::uint64_t> stayed_{0}, went_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
