#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/streams/order.hpp"

namespace weir::detail {

class call_entity;

// The exit of branches that are spread by load, whatever rank runs them. It heads a region. A record holds its branch
// until its turn here, so no record that enters an empty branch by way of another rank overtakes the records that left
// it. For records that this rank runs it reports when all that a record caused is over: each has a position of its own,
// within those of the ordered networks around.
class at_exit_entity final : public entity, public position_listener {
 public:
  at_exit_entity(run_environment& run, std::string path) : entity(run, std::move(path)) {}
  std::string name() const override { return "placed"; }
  bool is_always_head() const override { return true; }
  int max_width() const override { return 1; }
  entity* step(record_body*& r, context& c) override;

  void begin(record_body& r);  // throws std::bad_alloc
  call_entity* counts = nullptr;

 private:
  void is_over(order_slot& slot) noexcept override;
};

// Sends the records of a branch to the rank that runs it, or on to the body here.
class at_entity final : public entity {
 public:
  // exit: of the body here, where branches are spread by load; else null.
  at_entity(run_environment& run, std::string path, std::string name, int rank, entity& here, call_entity& elsewhere,
            at_exit_entity* exit);
  std::string name() const override { return name_; }
  entity* step(record_body*& r, context& c) override;
  std::vector<entity*> successors() const override;
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity& to) const override;

 private:
  const std::string name_;
  const int rank_;
  entity& here_;
  call_entity& elsewhere_;
  at_exit_entity* const exit_;
  threads::atomic<std::uint64_t> stayed_{0}, went_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
