#include "runtime/entities/batched_entity.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>

#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/carried_batch.hpp"
#include "runtime/entities/timed_invocation.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

// One invocation for several records.
class batched_entity::attempt {
 public:
  enum class ending { well, threw, stopped };

  attempt(batched_entity& at, std::span<const member> members, void* kept, context& c)
      : at_(at), context_(c), members_(members), kept_(kept) {
    const auto& variants = at.component.spec->variants;
    const std::size_t given = variants.empty() ? 0 : variants[0].size();
    words_.resize(members.size() * given);
    each_.reserve(members.size());
    for (const member& m : members) {
      emission* const out =
          at.returns_one_ ? nullptr : &outs_.emplace_back(at, at.component, at.given, c, *m.plan, *m.record, nullptr);
      each_.push_back(
          {m.record, m.plan->take.data(), words_.data() + each_.size() * given, 0, &c.by.lease->granted, out, kept});
    }
    gave_ = std::make_unique<bool[]>(members.size());
  }

  ending run(const predictor_values_read& values) {
    component_state& component = at_.component;
    std::optional<admission::permit> held;
    if (component.limits_concurrency()) {
      try {
        if (!held.emplace().enter(*component.admission(), at_, each_, at_.run_, context_.by.doing))
          return ending::stopped;
      } catch (...) {  // each alone says why
        if (!std::current_exception()) keeps_thread();
        at_.run_.floats.keep();
        context_.by.doing.leave();
        return ending::threw;
      }
    }
    timed_invocation timed(at_, component, *members_[0].record, context_, values,
                           static_cast<std::uint32_t>(members_.size()));
    ending how = ending::well;
    invoke(
        timed_call{at_.run_.floats, at_.run_.life, timed.timing},
        [&] { component.spec->code->call_batch(component.spec->callable.get(), each_, gave_.get()); },
        [&] {
          if (!std::current_exception()) keeps_thread();
          how = ending::threw;
        },
        [&] { how = ending::stopped; });
    timed.end(kept_);
    if (how != ending::well) {
      for (const invocation& i : each_) let_go_of_given(*component.spec, i);
      return how;
    }
    component.batches->note(members_.size(), timed.seconds(), timed.is_after_move(), at_.run_.settings.longest_batch);
    return ending::well;
  }

  // After a run that ended well: makes the record that was returned for this member, and sends on those that were
  // emitted. Null: none was returned. Throws std::bad_alloc; then the member's record is as it was.
  record_body* result_of(std::size_t i) {
    if (!at_.returns_one_) {
      at_.taken.add();
      context_.sampling = outs_[i].has_emitted() && context_.takes_sample();
      outs_[i].send_gathered();
      context_.sampling = false;
      if (!gave_[i]) {
        drop_body(members_[i].record);
        return nullptr;
      }
    }
    record_body* const made = output_of(each_[i], members_[i].plan->variants[0]);
    if (!at_.returns_one_) at_.given.add();
    return made;
  }

 private:
  batched_entity& at_;
  context& context_;
  const std::span<const member> members_;
  void* const kept_;
  std::vector<slot_word> words_;
  std::deque<box_emission> outs_;  // of each, where the box may emit
  std::vector<invocation> each_;
  std::unique_ptr<bool[]> gave_;
};

// Collects the returned records. Those of a box that gives one each go on together, others right away, behind those
// that were emitted for them.
class batched_entity::results {
 public:
  results(const batched_entity& at, std::span<record_body*> into, context& c) : at_(at), into_(into), context_(c) {}
  void add(record_body* r) noexcept {
    if (at_.returns_one_ && !at_.component.spec->batch_is_fixed) {
      into_[count_++] = r;
      return;
    }
    context_.sampling = context_.takes_sample();
    context_.send_on(at_.next, r);
    context_.sampling = false;
  }
  std::span<record_body*> collected() const { return into_.first(count_); }

 private:
  const batched_entity& at_;
  const std::span<record_body*> into_;
  context& context_;
  std::size_t count_ = 0;
};

void batched_entity::make_region(std::size_t capacity) {
  box_entity::make_region(capacity);
  if (component.spec->batch_is_fixed) {
    own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max(), false);
    own_region->in().set_batching(1, [](const entity&, std::size_t) noexcept { return std::size_t{1}; });
  } else {
    own_region->in().set_batching(std::min(component.batches->most(), own_region->inlet().physical()),
                                  [](const entity& head, std::size_t waiting) noexcept {
                                    return static_cast<const batched_entity&>(head).component.batches->next(waiting);
                                  });
  }
}

entity* batched_entity::step(record_body*& r, context& c) {
  return component.spec->keeps ? lane_entity::step(r, c) : box_entity::step(r, c);
}

// Each alone is the way of an invocation for one record, so that its errors are those of any box.
void batched_entity::run_alone(record_body* r, context& c, results& out) noexcept {
  c.sampling = true;
  entity* const to = step_or_fail(r, c);
  c.sampling = false;
  if (to) out.add(r);
}

bool batched_entity::run_together(std::span<const member> members, const predictor_values_read& values, context& c,
                                  results& out) {
  std::optional<kept_values::loan> value;
  if (component.spec->keeps) {
    std::exception_ptr cause;
    value.emplace(c.by.kept, component.index, *component.spec->keeps);
    if (value->is_to_make() && !make(*value, c.by, cause)) return false;
  }
  attempt all(*this, members, value ? value->get() : nullptr, c);
  switch (all.run(values)) {
    case attempt::ending::threw:
      return false;
    case attempt::ending::stopped:
      run_.errors.drop(members.size());
      for (const member& m : members) drop_body(m.record);
      return true;
    case attempt::ending::well:
      break;
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    try {
      if (record_body* const made = all.result_of(i)) out.add(made);
    } catch (const std::bad_alloc&) {
      lacks_memory(members[i].record);
    }
  }
  return true;
}

void batched_entity::run(std::span<record_body* const> records, context& c, results& out) noexcept {
  std::vector<member> members;
  std::vector<predictor_values_read> values;  // of these
  try {
    members.reserve(records.size());
    values.reserve(records.size());
  } catch (const std::bad_alloc&) {
    for (record_body* const r : records) lacks_memory(r);
    return;
  }
  for (record_body* const r : records) {
    try {
      const box_plan* const plan = component.plan_for(r->shape);
      if (!plan) {
        no_match(r);
        continue;
      }
      predictor_values_read of_record;
      if (records.size() > 1 && component.predictors.are_there() && !predict(r, c, *plan, of_record)) {
        if (!returns_one_) taken.add();
        continue;
      }
      values.push_back(of_record);
      members.push_back({r, plan});
    } catch (const std::bad_alloc&) {
      lacks_memory(r);
    }
  }
  bool is_done = false;
  const double began = run_.life.now();
  if (members.size() > 1) {
    try {
      is_done = run_together(members, component.predictors.mean_of(values), c, out);
    } catch (const std::bad_alloc&) {
    }
  }
  if (is_done) return;
  for (const member& m : members) run_alone(m.record, c, out);
  if (members.size() > 1)
    component.batches->note(members.size(), (run_.life.now() - began) / static_cast<double>(members.size()), false,
                            run_.settings.longest_batch);
}

entity* batched_entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  results out(*this, batch, c);
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
