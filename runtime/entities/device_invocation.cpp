#include "runtime/entities/device_invocation.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "runtime/devices/device_choice.hpp"
#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/box_invocation.hpp"
#include "runtime/record/cut_text.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

device_invocation::place device_invocation::run_where_first(context& c, const std::function<void()>& on_cores) {
  while (choice_.wait(*this)) {
    if (is == state::done) {
      if (!has_failed) return place::on_device;
      if (is_first_error && !cause_.empty())
        run_.run.note(visible_text(at_.name() + " on device " + choice_.implementation().device, false) + ": " +
                      cause_ + "; records that fail there run on cores");
    } else if (run_on_lane(c, on_cores)) {
      return place::on_cores;
    } else if (run_.life.is_stopping()) {
      break;
    }
  }
  return place::nowhere;
}

// False where its lane is gone, or the run is stopping.
bool device_invocation::run_on_lane(context& c, const std::function<void()>& on_cores) {
  bool has_run = false;
  try {
    has_run = c.by.in_group->run_on_lease(c.by, lane, false, on_cores);
  } catch (...) {
    choice_.left_cores(*this);
    throw;
  }
  choice_.left_cores(*this);
  return has_run;
}

void device_invocation::run(slot_values& slot) noexcept {
  const device_box& on = choice_.implementation();
  at_work doing;
  std::optional<admission::permit> held;
  bool is_admitted = false;
  try {
    if (at_.component.limits_concurrency() &&
        !held.emplace().enter(*at_.component.admission(), at_, each(), run_, doing)) {
      has_failed = was_not_admitted = true;  // the run is stopping
      return;
    }
    is_admitted = true;
    slot_arguments arguments{on.each_slot.make ? slot.value_of(choice_.component(), on.each_slot) : nullptr, &slot.at};
    for (invocation& i : each()) i.kept = &arguments;
    const double start = run_.life.now();
    call(on);
    seconds = std::max(run_.life.now() - start, invocation_timing::shortest);
    trace(start, slot.at.index());
  } catch (const stopped&) {
    let_go();
    has_failed = was_not_admitted = true;
  } catch (...) {
    was_not_admitted = !is_admitted;
    failed();
  }
  run_.floats.keep();
}

// Frees the words that the callable gave before it threw.
void device_invocation::let_go() noexcept {
  for (invocation& i : each()) {
    let_go_of_given(*at_.component.spec, i);
    i.given_count = 0;
  }
}

// In a catch handler.
void device_invocation::failed() noexcept {
  has_failed = true;
  stop_forced_unwind();
  let_go();
  try {
    cause_ = thrown_by("the function");
  } catch (const std::bad_alloc&) {
  }
}

void device_invocation::trace(double start, int slot) {
  if (!run_.trace.is_on()) return;
  run_.trace.add([&]() -> trace_event {
    return {.kind = trace_kind::invocation,
            .start = start - run_.life.started_at(),
            .seconds = seconds,
            .core = -1,
            .cores = 0,
            .width = in_use,
            .x = x,
            .entity = at_.name(),
            .path = at_.path(first_),
            .detail = choice_.implementation().device + ", slot " + std::to_string(slot) +
                      (records > 1 ? ", " + std::to_string(records) + " records" : "")};
  });
}

}  // namespace weir::detail
