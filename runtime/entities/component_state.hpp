#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/record/shape.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/devices/device_choice.hpp"
#include "runtime/engine/lane_value_owners.hpp"
#include "runtime/entities/admission.hpp"
#include "runtime/entities/batch_choice.hpp"
#include "runtime/entities/box_plan.hpp"
#include "runtime/entities/box_predictors.hpp"
#include "runtime/entities/outside_use.hpp"
#include "runtime/entities/pace.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/network/box_processes.hpp"
#include "runtime/record/per_shape.hpp"
#include "scheduler/control/learner.hpp"

namespace weir::detail {

// One component of a run: a box, at all places of the network that run it. The places share its model, its cores and
// its plans.
class component_state {
 public:
  component_state(std::shared_ptr<const box_spec> s, std::uint32_t i, std::shared_ptr<recent_plans> plans)
      : spec(std::move(s)),
        index(i),
        predictors(*spec),
        widest(spec->is_fold() ? 1 : spec->max_width),
        lanes(spec->keeps && !spec->is_fold() ? std::make_unique<lane_value_owners>() : nullptr),
        batches(spec->most_in_batch > 1 ? std::make_unique<batch_choice>(static_cast<std::size_t>(spec->most_in_batch))
                                        : nullptr),
        processes(spec->code && spec->code->list_processes ? std::make_shared<box_processes>() : nullptr),
        admission_(spec->needs.empty() ? nullptr : std::make_unique<detail::admission>(*spec)),
        recent_plans_(std::move(plans)) {
    if (spec->earlier.were_short()) paced.expect_short();
  }

  // The plan for records of this shape, made when first met; null when such a record does not match. Lock-free once
  // made. Thread-safe.
  const box_plan* plan_for(const shape* s) {
    return plans_.find(s, [&] { return recent_plans_->find(*spec, *s); });
  }
  // Why plan_for gave null, in words.
  std::string mismatch(const shape& s) const;

  const std::shared_ptr<const box_spec> spec;
  const std::uint32_t index;
  const box_predictors predictors;
  unsigned run = 0;  // a number that tells the threads of several runs apart; set before the run starts
  std::array<char, longest_thread_name + 1> thread_name() const;  // that works for it: "run.index:name", cut
  // Invocations at the same time. Those of a fold concern different states, so there are several only where it stands
  // in a split.
  int widest;

  // Whether invocations need a permit: the box needs resources, or its width is limited and it stands, or is fused, in
  // several places. Then it runs in several regions, whose invocations share the permits. Else the limit of its one
  // region is enough.
  bool limits_concurrency() const { return admission_ != nullptr; }
  void limit_concurrency() {
    if (!admission_) admission_ = std::make_unique<detail::admission>(*spec);
    if (!admission_->limits_width()) admission_->limit_width(spec->max_width);
  }
  detail::admission* admission() const { return admission_.get(); }  // null: each may begin when it has its turn

  bool is_blocking() const { return spec->blocking; }

  // Where its records run: on cores, or on a device. Null: on cores alone. Set before the run starts.
  device_choice* on_device = nullptr;
  bool runs_outside() const { return is_blocking() || on_device; }  // its threads hold no cores while they wait

  const std::unique_ptr<lane_value_owners> lanes;  // null: it keeps no values of each_lane()
  bool lends() const { return lanes && lanes->lends(); }

  const std::unique_ptr<batch_choice> batches;  // null: an invocation takes one record

  // ---- where it runs; written by the run's placing under its lock. All relaxed: a box that reads an older value is
  // ---- timed once more or less, or runs where it ran ----
  threads::atomic<std::uint64_t> moves{0};   // the number of its grants so far
  threads::atomic<std::uint64_t> ran_on{0};  // the grant of its latest timed invocation

  threads::atomic<double> mean_hint{0};  // seconds of a recent invocation, as last learnt; 0: none yet

  // As last learnt: the most cores that an invocation gets where it shares idle ones, and its seconds on one core; 0:
  // not known.
  threads::atomic<int> most_in_group{1};
  threads::atomic<double> seconds_on_one_core{0};

  // An invocation released its cores, as one does that waits for another run. Relaxed: only ever set.
  threads::atomic<bool> releases_cores{false};

  outside_use elsewhere;                           // of processes that work for it
  const std::shared_ptr<box_processes> processes;  // these, now; null: its invocations compute in this process

  component_pace paced;  // by what its invocations cost

  std::optional<learner> learnt;  // under the run's learning lock; set before the run starts

 private:
  std::unique_ptr<detail::admission> admission_;
  const std::shared_ptr<recent_plans> recent_plans_;  // of the run
  per_shape<box_plan, std::shared_ptr<const box_plan>> plans_;
};

}  // namespace weir::detail
