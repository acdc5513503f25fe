#include "runtime/entities/lane_entity.hpp"

#include <exception>
#include <optional>

#include <weir/record/kept_exception.hpp>
#include "runtime/entities/box_invocation.hpp"
#include "runtime/record/cut_text.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

// An invocation on the thread of another lane.
class lane_entity::delegated_call final : public delegated_invocation {
 public:
  delegated_call(lane_entity& at, invocation& i, std::shared_ptr<core_lease> cores)
      : delegated_invocation(std::move(cores)), at_(at), invocation_(i) {}

  void run(worker& owner) noexcept override {
    const box_spec& box = *at_.component.spec;
    try {
      std::optional<admission::permit> held;
      if (at_.component.limits_concurrency() &&
          !held.emplace().enter(*at_.component.admission(), at_, {&invocation_, 1}, at_.run_, owner.doing))
        return;
      kept_values::loan value(owner.kept, at_.component.index, *box.keeps);
      has_run = true;
      if (value.is_to_make()) at_.make_value(value);  // the one that it had was for a stack that is gone
      invocation_.kept = value.get();
      gave = box.code->call(box.callable.get(), invocation_);
    } catch (...) {
      has_failed = true;
      thrown = kept_exception();
    }
    at_.run_.floats.keep();
  }

  bool has_run = false, has_failed = false, gave = false;
  std::exception_ptr thrown;

 private:
  lane_entity& at_;
  invocation& invocation_;
};

entity* lane_entity::step_with(record_body*& r, context& c, const predictor_values_read* known) {
  const box_plan* const plan = component.plan_for(r->shape);
  if (!plan) return no_match(r);
  kept_values::loan value(c.by.kept, component.index, *component.spec->keeps);
  if (value.is_to_make()) {
    std::exception_ptr cause;
    if (!make(value, c.by, cause)) {
      if (!component.on_device) return delegate_call(r, c, *plan, cause);
      // Threads of such a box wait for its device or cores, and so run nothing for others.
      if (!returns_one_) taken.add();
      fail_with(r, cause, maker());
      return nullptr;
    }
  }
  return run_with(r, c, *plan, value.get(), known);
}

void lane_entity::make_value(kept_values::loan& value) const {
  value.make();
  if (component.processes) component.spec->code->list_processes(value.get(), component.processes);
}

bool lane_entity::make(kept_values::loan& value, worker& by, std::exception_ptr& cause) {
  lane_value_owners& hosts = *component.lanes;
  if (!hosts.begin_making(run_.life.now())) {
    cause = hosts.cause();
    return false;
  }
  by.doing.enter(*this);
  try {
    make_value(value);
  } catch (...) {
    cause = kept_exception();
    run_.floats.keep();
    by.doing.leave();
    if (hosts.failed(run_.life.now(), cause))
      run_.run.note(visible_text(name(), false) + (component.processes ? ": its process" : ": a value of each_lane()") +
                    " could not be made on a thread: " + thrown_by(component.processes ? maker() : "the function"));
    return false;
  }
  run_.floats.keep();
  by.doing.leave();
  hosts.made(by);
  return true;
}

// By a thread on which no value could be made.
entity* lane_entity::delegate_call(record_body*& r, context& c, const box_plan& plan, const std::exception_ptr& cause) {
  if (!returns_one_) taken.add();
  slot_word words[max_given];
  box_emission out(*this, component, given, c, plan, *r, nullptr);
  invocation i{r, plan.take.data(), words, 0, &c.by.lease->granted, &out};
  delegated_call there(*this, i, c.by.lease);
  if (c.by.helping == 0) {  // else others wait for this thread meanwhile
    const off_cores meanwhile;
    c.from.wake_turn_waiters();  // they see that others wait for them
    component.lanes->delegate_invocation(there, c.by, run_.life);
  }
  if (!there.has_run && run_.life.is_stopping()) {
    run_.errors.drop(1);
    drop_body(r);
    return nullptr;
  }
  if (!there.has_run && !there.has_failed) {
    fail_with(r, cause, maker());
    return nullptr;
  }
  if (there.has_failed) failed_there(r, i, there.thrown);
  out.send_gathered();
  if (there.has_failed) return nullptr;
  if (!there.gave) {
    if (!out.has_emitted()) absorbed.add();
    drop_body(r);
    return nullptr;
  }
  r = output_of(i, plan.variants[0]);
  if (!returns_one_) given.add();
  return next;
}

void lane_entity::failed_there(record_body* r, const invocation& i, const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (...) {
    threw(r, i);
  }
}

}  // namespace weir::detail
