#pragma once

#include <exception>
#include <optional>
#include <string>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/entities/component_state.hpp"

namespace weir::detail {

struct invocation_timing;

// A box at its place. Boxes that keep something, folds among them, are derived from it.
class box_entity : public entity {
 public:
  box_entity(run_environment& run, std::string path, component_state& c);
  std::string name() const override { return component.spec->name; }
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override;
  bool remember(const shape* s, bool ends, std::vector<cached_call>& cache) noexcept override;
  void finish_cached(const invocation& i) noexcept override;
  void end_record(record_body* r, worker& by) noexcept override;
  int max_width() const override { return component.widest; }
  bool emits() const override { return !returns_one_; }
  // Only the model knows the x of several predictors.
  bool foresees() const override { return component.spec->predict && !component.predictors.are_several(); }
  double foresee(record_body& r) const noexcept override;
  bool has_region_from_start() const override { return component.spec->is_fold(); }
  bool is_always_head() const override {
    return component.spec->initialiser || component.runs_outside() || component.spec->first_by;
  }
  void make_region(std::size_t capacity) override;
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity& to) const override;
  std::uint64_t invocations(std::uint64_t arrived) const;

  // Records that came to their end here, as they should: in a sink, or in a fold that gave nothing for them. Exact once
  // the run has drained.
  virtual std::uint64_t ended() const;
  // Records that enter the network here: what an initialiser gave.
  std::uint64_t emitted() const { return component.spec->initialiser ? given.get() : 0; }

  // Before the run starts: it may be run by several regions at the same time, so limited width takes permits. A box of
  // limited width that emits gets none: it would hold its permit while it emits, and others would wait for that.
  void may_stand_in_several();

  // Whether an invocation never waits and starts no threads: then it may run within a send (option inline_send).
  bool fits_inline_send() const;

  component_state& component;

  // Records in and out, counted only where a box does not give one for one; and those for which a box that keeps
  // something gave nothing.
  record_counter taken, given, absorbed;

  // In a catch handler: frees the words returned before the box threw, and ends the record.
  [[gnu::noinline]] void threw(record_body* r, const invocation& i) noexcept;

 protected:
  // step(), where the values of the record's predictors are known; null: they are not.
  entity* step_with(record_body*& r, context& c, const predictor_values_read* known);
  // Out of line, since step() must stay short.
  [[gnu::noinline]] entity* no_match(record_body* r);
  // One invocation, with what the box keeps; null: nothing.
  [[gnu::noinline]] entity* run_with(record_body*& r, context& c, const box_plan& plan, void* kept,
                                     const predictor_values_read* known = nullptr);
  void fail_with(record_body* r, const std::exception_ptr& cause, const char* who = "the box") noexcept;
  // Reads the values of the record's predictors. False: a predictor threw, and the record has failed.
  bool predict(record_body* r, context& c, const box_plan& plan, predictor_values_read& to);
  void set_alone(bool alone);  // one invocation at a time, each after the one before

  const bool returns_one_;

 private:
  bool emits_while_running() const;  // and waits when there is no room
  [[gnu::noinline]] entity* step_timed(record_body*& r, context& c, const box_plan& plan, void* kept,
                                       const predictor_values_read* known);
  [[gnu::noinline]] bool admit(admission::permit& held, worker& by, record_body* r, const invocation& i) noexcept;
  entity* return_one(record_body*& r, context& c, const box_plan& plan, invocation_timing* timed, void* kept = nullptr);
  entity* run_any(record_body*& r, context& c, const box_plan& plan, invocation_timing* timed, void* kept);
  template <class Call, class Threw, class CutShort>
  bool call(context& c, invocation& i, invocation_timing* timed, const Call& call, const Threw& threw,
            const CutShort& cut_short);

  bool gets_idle_cores(context& c, invocation& i, invocation_timing& timed, const std::function<void()>& call);

  // Copies from the spec, to save the indirection.
  bool (*const call_)(void*, invocation&);
  void* const callable_;
  const bool gives_none_;
  threads::atomic<std::uint64_t> unmatched_{0};  // records that failed before they were taken; relaxed: a number only
};

}  // namespace weir::detail
