#pragma once

#include <exception>
#include <span>
#include <vector>

#include "runtime/entities/box_entity.hpp"

namespace weir::detail {

// A box that keeps a value on each thread that runs it (each_lane()). A thread on which none can be made hands its
// invocations to threads that have one.
class lane_entity : public box_entity {
 public:
  using box_entity::box_entity;
  entity* step(record_body*& r, context& c) override { return step_with(r, c, nullptr); }
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override { return entity::step_all(batch, c); }
  bool keeps_outputs() const override { return component.lends(); }
  bool remember(const shape*, bool, std::vector<cached_call>&) noexcept override { return false; }

 protected:
  entity* step_with(record_body*& r, context& c, const predictor_values_read* known);
  // Makes the value, whose processes are listed. Throws what the user's function throws.
  void make_value(kept_values::loan& value) const;
  // The same in a step of this thread. False: it has no value now.
  [[gnu::noinline]] bool make(kept_values::loan& value, worker& by, std::exception_ptr& cause);

 private:
  class delegated_call;
  // Names what failed where the value cannot be made: a command or a worker is no function of the user's.
  const char* maker() const { return component.processes ? "the box" : "the function of each_lane()"; }
  [[gnu::noinline]] entity* delegate_call(record_body*& r, context& c, const box_plan& plan,
                                          const std::exception_ptr& cause);
  void failed_there(record_body* r, const invocation& i, const std::exception_ptr& thrown) noexcept;
};

}  // namespace weir::detail
