#include "runtime/entities/batched_entity.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>

#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/carried_batch.hpp"
#include "runtime/entities/end_gate.hpp"

namespace weir::detail {

void batched_entity::make_region(std::size_t capacity) {
  box_entity::make_region(capacity);
  if (component.spec->batch_is_fixed) {
    own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max(), false);
    if (gate) gate->set_behind();
    own_region->in().set_batching(1, [](const entity&, std::size_t) noexcept { return intake::batch_size{1}; });
  } else {
    own_region->in().set_batching(std::min(component.batches->most(), own_region->inlet().physical()),
                                  [](const entity& head, std::size_t waiting) noexcept {
                                    return static_cast<const batched_entity&>(head).next_size(waiting);
                                  });
  }
}

entity* batched_entity::step(record_body*& r, context& c) {
  return component.spec->keeps ? lane_entity::step(r, c) : box_entity::step(r, c);
}

// The path of an invocation for one record, so that errors read like those of a box without batches.
void batched_entity::run_alone(const batch_member& m, context& c, batch_results& out) noexcept {
  record_body* r = m.record;
  entity* to = nullptr;
  c.sampling = true;
  try {
    to = component.spec->keeps ? lane_entity::step_with(r, c, m.values) : box_entity::step_with(r, c, m.values);
  } catch (const std::bad_alloc&) {
    lacks_memory(r);
  }
  c.sampling = false;
  if (to) out.add(r);
}

bool batched_entity::run_together(std::span<const batch_member> members, const predictor_values_read& values,
                                  context& c, batch_results& out) {
  std::optional<kept_values::loan> value;
  if (component.spec->keeps) {
    std::exception_ptr cause;
    value.emplace(c.by.kept, component.index, *component.spec->keeps);
    if (value->is_to_make() && !make(*value, c.by, cause)) return false;
  }
  batch_attempt all(*this, members, c);
  switch (all.run(values, value ? value->get() : nullptr)) {
    case batch_attempt::ending::threw:
      return false;
    case batch_attempt::ending::stopped:
      drop_all(members);
      return true;
    case batch_attempt::ending::well:
      break;
  }
  add_results(all, members, out);
  return true;
}

void batched_entity::add_results(batch_attempt& all, std::span<const batch_member> members,
                                 batch_results& out) noexcept {
  for (std::size_t i = 0; i < members.size(); ++i) {
    try {
      if (record_body* const made = all.result_of(i)) out.add(made);
    } catch (const std::bad_alloc&) {
      lacks_memory(members[i].record);
    }
  }
}

void batched_entity::drop_all(std::span<const batch_member> members) noexcept {
  run_.errors.drop(members.size());
  for (const batch_member& m : members) drop_body(m.record);
}

void batched_entity::run_members(std::span<const batch_member> members, const predictor_values_read& values, context& c,
                                 batch_results& out) noexcept {
  bool is_done = false;
  const double began = run_.life.now();
  if (members.size() > 1) {
    try {
      is_done = run_together(members, values, c, out);
    } catch (const std::bad_alloc&) {
    }
  }
  if (is_done) return;
  for (const batch_member& m : members) run_alone(m, c, out);
  if (members.size() <= 1) return;
  const double seconds = run_.life.now() - began;
  component.batches->note(members.size(), seconds / static_cast<double>(members.size()), false,
                          run_.settings.longest_batch);
  if (component.on_device) component.on_device->failed_on_cores(seconds, members.size());
}

void batched_entity::run(std::span<record_body* const> records, context& c, batch_results& out) noexcept {
  std::vector<batch_member> members;
  std::vector<predictor_values_read> values;  // of these
  try {
    members.reserve(records.size());
    values.reserve(records.size());
  } catch (const std::bad_alloc&) {
    for (record_body* const r : records) lacks_memory(r);
    return run_members({}, {}, c, out);
  }
  for (record_body* const r : records) {
    try {
      const box_plan* const plan = component.plan_for(r->shape);
      if (!plan) {
        no_match(r);
        continue;
      }
      predictor_values_read of_record;
      const bool reads = (records.size() > 1 || component.on_device) && component.predictors.are_there();
      if (reads && !predict(r, c, *plan, of_record)) {
        if (!returns_one_) taken.add();
        continue;
      }
      values.push_back(of_record);
      members.push_back({r, plan, reads ? &values.back() : nullptr});
    } catch (const std::bad_alloc&) {
      lacks_memory(r);
    }
  }
  predictor_values_read mean;
  try {
    if (!members.empty() && (members.size() > 1 || component.on_device)) mean = component.predictors.mean_of(values);
  } catch (const std::bad_alloc&) {  // then its time is not learnt from
  }
  run_members(members, mean, c, out);
}

entity* batched_entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  batch_results out(*this, batch, c);
  if (!component.spec->batch_is_fixed) {
    run(batch, c, out);
  } else {
    for (record_body* const r : batch) {
      std::vector<record_body*> all;
      try {
        all = taken_apart(r);
      } catch (const std::bad_alloc&) {
        run_.out_of_memory();
        run_.errors.drop(1);
        drop_body(r);
        continue;
      }
      records_taken_.fetch_add(all.size(), std::memory_order_relaxed);
      batches_taken_.fetch_add(1, std::memory_order_relaxed);
      run(all, c, out);
    }
  }
  batch = out.collected();
  for (; !batch.empty() && c.takes_sample(); batch = batch.subspan(1)) {
    c.sampling = true;
    c.send_on(next, batch.front());
    c.sampling = false;
  }
  return batch.empty() ? nullptr : next;
}

}  // namespace weir::detail
