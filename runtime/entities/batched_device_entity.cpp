#include "runtime/entities/batched_device_entity.hpp"

#include <new>
#include <optional>
#include <utility>

#include "runtime/devices/device_choice.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/device_invocation.hpp"

namespace weir::detail {
namespace {

// The side for which a batch was planned, as a note of its size; 0: its size is fixed.
int note_of(device_side side) { return side == device_side::device ? 2 : 1; }
device_side side_of(int note) {
  return note == 0 ? device_side::either : note == 2 ? device_side::device : device_side::cores;
}

}  // namespace

// A batch at the box, and its invocation on the device.
class batched_device_entity::batch final : public device_invocation {
 public:
  batch(batched_device_entity& at, std::span<const batch_member> members, double mean_x, context& c)
      : device_invocation(at, *members[0].record, c),
        of_one_(at.component.spec->batch_is_fixed ? static_cast<std::size_t>(at.component.spec->most_in_batch) : 1),
        all(at, members, c) {
    records = members.size();
    x = mean_x;
  }
  std::size_t behind() const override { return of_one_ * inlet->size(); }

 private:
  std::span<invocation> each() noexcept override { return all.each(); }
  void call(const device_box& on) override { on.call_batch(on.callable.get(), all.each(), all.gave()); }

  const std::size_t of_one_;  // records in one that waits

 public:
  batch_attempt all;
};

intake::batch_size batched_device_entity::next_size(std::size_t waiting) const noexcept {
  if (!component.on_device) return batched_entity::next_size(waiting);
  const device_rule::planned_batch made = component.on_device->plan(waiting);
  return {made.records, note_of(made.side)};
}

void batched_device_entity::run_members(std::span<const batch_member> members, const predictor_values_read& values,
                                        context& c, batch_results& out) noexcept {
  const device_side planned = side_of(std::exchange(c.note, 0));
  const auto end_plan = [&] {
    if (planned != device_side::either) component.on_device->end_plan(planned);
  };
  if (members.empty() || !component.on_device || !c.by.lease->cores.empty()) {
    end_plan();
    return batched_entity::run_members(members, values, c, out);
  }
  std::optional<batch> waiting;
  try {
    waiting.emplace(*this, members, values.x, c);
    waiting->planned = planned;
    waiting->has_plan = planned != device_side::either;
    switch (waiting->run_where_first(c, [&] { batched_entity::run_members(members, values, c, out); })) {
      case device_invocation::place::on_device:
        return add_results(waiting->all, members, out);
      case device_invocation::place::nowhere:
        return drop_all(members);
      case device_invocation::place::on_cores:
        return;
    }
  } catch (const std::bad_alloc&) {  // it ran nowhere
    if (!waiting || waiting->has_plan) end_plan();
    for (const batch_member& m : members) lacks_memory(m.record);
  }
}

}  // namespace weir::detail
