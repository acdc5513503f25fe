#include "runtime/entities/device_entity.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include <weir/network/on_device.hpp>
#include "runtime/devices/device_choice.hpp"
#include "runtime/engine/context.hpp"
#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/box_invocation.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

// One record at the box, and its invocation on the device.
template <class Base>
class device_entity<Base>::device_invocation final : public waiting_record {
 public:
  device_invocation(device_entity& at, record_body& input, const box_plan& plan, const stream& inlet)
      : at_(at), input_(input), i{&input, plan.take.data(), words_, 0, nullptr, nullptr} {
    this->inlet = &inlet;
  }

  void run(slot_values& slot) noexcept override {
    run_environment& run = at_.run_;
    const device_choice& choice = *at_.component.on_device;
    const device_box& on = choice.implementation();
    at_work doing;
    std::optional<admission::permit> held;
    bool is_admitted = false;
    try {
      if (at_.component.limits_concurrency() &&
          !held.emplace().enter(*at_.component.admission(), at_, {&i, 1}, run, doing)) {
        has_failed = was_not_admitted = true;  // the run is stopping
        return;
      }
      is_admitted = true;
      slot_arguments arguments{on.each_slot.make ? slot.value_of(choice.component(), on.each_slot) : nullptr, &slot.at};
      i.kept = &arguments;
      const double start = run.life.now();
      gave = on.call(on.callable.get(), i);
      seconds = std::max(run.life.now() - start, invocation_timing::shortest);
      trace(start, slot.at.index());
    } catch (const stopped&) {
      let_go_of_given(*at_.component.spec, i);
      i.given_count = 0;
      has_failed = was_not_admitted = true;
    } catch (...) {
      was_not_admitted = !is_admitted;
      failed();
    }
    run.floats.keep();
  }

  bool gave = false;
  std::string cause;  // of the failure

 private:
  // In a catch handler. Frees the words that the callable gave before it threw.
  void failed() noexcept {
    has_failed = true;
    if (!std::current_exception()) keeps_thread();
    let_go_of_given(*at_.component.spec, i);
    i.given_count = 0;
    try {
      cause = thrown_by("the function");
    } catch (const std::bad_alloc&) {
    }
  }

  void trace(double start, int slot) const {
    const run_environment& run = at_.run_;
    if (!run.trace.is_on()) return;
    at_.run_.trace.add([&]() -> trace_event {
      return {.kind = trace_kind::invocation,
              .start = start - run.life.started_at(),
              .seconds = seconds,
              .core = -1,
              .cores = 0,
              .width = in_use,
              .x = x,
              .entity = at_.name(),
              .path = at_.path(input_),
              .detail = at_.component.on_device->implementation().device + ", slot " + std::to_string(slot)};
    });
  }

  device_entity& at_;
  const record_body& input_;
  slot_word words_[max_given];

 public:
  invocation i;
};

template <class Base>
entity* device_entity<Base>::step(record_body*& r, context& c) {
  device_choice* const choice = this->component.on_device;
  if (!choice || !c.by.lease->cores.empty()) return Base::step(r, c);  // with cores: inside another invocation
  const box_plan* const plan = this->component.plan_for(r->shape);
  if (!plan) return this->no_match(r);
  device_invocation waiting(*this, *r, *plan, c.from.inlet());
  predictor_values_read values;
  if (this->component.spec->predict && !this->predict(r, c, *plan, values)) {
    if (!this->returns_one_) this->taken.add();
    return nullptr;
  }
  waiting.x = values.x;
  for (;;) {
    if (!choice->wait(waiting)) {
      this->run_.errors.drop(1);
      drop_body(r);
      return nullptr;
    }
    if (waiting.is == waiting_record::state::done) {
      if (!waiting.has_failed) return take_result(r, *plan, waiting);
      if (waiting.is_first_error && !waiting.cause.empty())
        this->run_.run.note(this->name() + " on device " + choice->implementation().device + ": " + waiting.cause +
                            "; records that fail there run on cores");
      continue;
    }
    bool has_run = false;
    entity* const to = step_on_cores(r, c, waiting, has_run);
    if (has_run) return to;
    if (this->run_.life.is_stopping()) {
      this->run_.errors.drop(1);
      drop_body(r);
      return nullptr;
    }
  }
}

// has_run: false where its lane is gone, or the run is stopping.
template <class Base>
entity* device_entity<Base>::step_on_cores(record_body*& r, context& c, device_invocation& waiting, bool& has_run) {
  device_choice& choice = *this->component.on_device;
  entity* to = nullptr;
  try {
    has_run = c.by.home->run_on_lease(c.by, waiting.lane, false, [&] { to = Base::step(r, c); });
  } catch (...) {
    choice.left_cores(waiting);
    throw;
  }
  choice.left_cores(waiting);
  return to;
}

template <class Base>
entity* device_entity<Base>::take_result(record_body*& r, const box_plan& plan, const device_invocation& done) {
  if (!this->returns_one_) this->taken.add();
  if (!done.gave || this->component.spec->variants.empty()) {
    drop_body(r);
    return nullptr;
  }
  r = output_of(done.i, plan.variants[0]);
  if (!this->returns_one_) this->given.add();
  return this->next;
}

template class device_entity<box_entity>;
template class device_entity<lane_entity>;

}  // namespace weir::detail
