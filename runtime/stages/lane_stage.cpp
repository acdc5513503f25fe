#include "runtime/stages/lane_stage.hpp"

#include <exception>

#include "runtime/stages/box_invocation.hpp"

namespace weir::detail {

stage* lane_stage::step(record_body*& r, context& c) {
  const box_plan* const plan = component.plan_for(r->shape);
  if (!plan) return no_match(r);
  kept_values::loan value(c.by.kept, component.index, *component.spec->keeps);
  if (value.is_to_make()) {
    c.by.doing.enter(*this);
    try {
      value.make();
    } catch (...) {
      run_.floats.keep();
      fail_with(r, std::current_exception());
      return nullptr;
    }
    run_.floats.keep();
    c.by.doing.leave();
  }
  return run_with(r, c, *plan, value.get());
}

}  // namespace weir::detail
