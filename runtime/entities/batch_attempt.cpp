#include "runtime/entities/batch_attempt.hpp"

#include <exception>
#include <optional>

#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/timed_invocation.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

batch_attempt::batch_attempt(box_entity& at, std::span<const batch_member> members, context& c)
    : at_(at), context_(c), members_(members), returns_one_(at.component.spec->code->returns_one) {
  const auto& variants = at.component.spec->variants;
  const std::size_t given = variants.empty() ? 0 : variants[0].size();
  words_.resize(members.size() * given);
  each_.reserve(members.size());
  for (const batch_member& m : members) {
    emission* const out =
        returns_one_ ? nullptr : &outs_.emplace_back(at, at.component, at.given, c, *m.plan, *m.record, nullptr);
    each_.push_back(
        {m.record, m.plan->take.data(), words_.data() + each_.size() * given, 0, &c.by.lease->granted, out, nullptr});
  }
  gave_ = std::make_unique<bool[]>(members.size());
}

batch_attempt::ending batch_attempt::run(const predictor_values_read& values, void* kept) {
  component_state& component = at_.component;
  run_environment& run = context_.run;
  for (invocation& i : each_) i.kept = kept;
  std::optional<admission::permit> held;
  if (component.limits_concurrency()) {
    try {
      if (!held.emplace().enter(*component.admission(), at_, each_, run, context_.by.doing)) return ending::stopped;
    } catch (...) {  // each alone says why
      stop_forced_unwind();
      run.floats.keep();
      context_.by.doing.leave();
      return ending::threw;
    }
  }
  timed_invocation timed(at_, component, *members_[0].record, context_, values,
                         static_cast<std::uint32_t>(members_.size()));
  ending how = ending::well;
  invoke(
      timed_call{run.floats, run.life, timed.timing},
      [&] { component.spec->code->call_batch(component.spec->callable.get(), each_, gave_.get()); },
      [&] {
        stop_forced_unwind();
        how = ending::threw;
      },
      [&] { how = ending::stopped; });
  timed.end(kept);
  if (how != ending::well) {
    for (const invocation& i : each_) let_go_of_given(*component.spec, i);
    return how;
  }
  component.batches->note(members_.size(), timed.seconds(), timed.is_after_move(), run.settings.longest_batch);
  return ending::well;
}

record_body* batch_attempt::result_of(std::size_t i) {
  if (!returns_one_) {
    at_.taken.add();
    context_.sampling = outs_[i].has_emitted() && context_.takes_sample();
    outs_[i].send_gathered();
    context_.sampling = false;
    if (!gave_[i] || members_[i].plan->variants.empty()) {
      drop_body(members_[i].record);
      return nullptr;
    }
  }
  record_body* const made = output_of(each_[i], members_[i].plan->variants[0]);
  if (!returns_one_) at_.given.add();
  return made;
}

}  // namespace weir::detail
