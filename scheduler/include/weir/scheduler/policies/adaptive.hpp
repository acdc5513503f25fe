#pragma once

#include <limits>
#include <memory>
#include <string>

#include <weir/scheduler/divide/throughput.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/objective.hpp>

namespace [[gnu::visibility("default")]] weir {

class kept_curves;

// Gives cores to where they buy the most, by the models. A value; a pure function of the view, like every rule. The
// controller decides when to act on its answer (controller.hpp).
//
// Components that run inline own nothing: their time counts for the component that delivers to them. Components outside
// the cores (`.blocking(max)`) own nothing either, but their time counts in the cost.
//
// While some component that records reach was not observed yet, nothing is known. All cores are then shared if each box
// allows as many invocations on one core as it can use cores: none is idle while a record waits. This is not so for
// `latency`, where records do not wait. Otherwise the answer is equal shares. For throughput these are in as many lanes
// as the boxes allow, since the gain of a lane's second core is not known yet; else in one, as equal_shares. After that
// it is throughput_counts (throughput.hpp), latency_counts (latency.hpp) or fewest_cores_counts (fewest_cores.hpp),
// depending on the objective. Where an invocation may take several records, equal shares come first in any case, and
// the shared group has no more cores than members.
//
// On a machine whose cores are of several kinds, numbers and kinds of cores are found in turns. The numbers follow from
// the speed of the cores that each component has, and who has the fast ones from the numbers
// (divide/cores_by_kind.hpp).
//
// Where components are known to slow each other down (system_view::interference), numbers of cores and slowdowns are
// found in turns as well. Cores that would only slow the others down then stay idle.
class adaptive : public allocation_rule {
 public:
  // Throws std::invalid_argument naming the option that is out of range (throughput_options::validate).
  explicit adaptive(objective goal = objective::throughput, throughput_options options = {});

  std::string name() const override { return "adaptive " + goal_.name(); }

  // The allotment that the models expect to be best. Throws std::invalid_argument when the components that ask for two
  // or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The expected cost of any allotment, in seconds: cost_with_blocking (blocking.hpp), or latency_cost
  // (latency_cost.hpp) for a latency objective, or that of demand_cost.hpp for the fewest cores. Without
  // throughput_options::blocking it is the bottleneck.
  assessment assess(const system_view& view, const allotment& given) const override;

  std::string words(const assessment& of) const override;

  bool adapts() const override { return true; }

  // It looks at inputs alone. A rule that derives from this one may look at more.
  bool reads_invocations() const override { return is_derived(); }

  // It keeps the expected times of components that did not change (kept_curves.hpp). A rule that derives from this one
  // keeps nothing, unless it says how.
  std::unique_ptr<const allocation_rule> keeping() const override;

  // For throughput, while no core is idle as long as a record waits (expect/work_conserving.hpp).
  bool is_best(const system_view& view, const allotment& given) const override;

  objective goal() const override { return goal_; }  // that it was made with

 private:
  struct kind_answer {
    allotment given;
    double cost = std::numeric_limits<double>::infinity();
  };

  bool is_derived() const;
  allotment decide_under_pressure(const system_view& view) const;
  allotment decide_alone(const system_view& view) const;
  allotment decide_on_kinds(const system_view& view) const;
  kind_answer in_turns(const system_view& view) const;
  assessment assess_times(const system_view& view, const allotment& given) const;
  core_counts counts(const system_view& view) const;
  core_counts counts_beside_inline(const system_view& view) const;
  core_counts counts_of_all(const system_view& view) const;

  objective goal_;
  throughput_options options_;
  std::shared_ptr<kept_curves> kept_;  // null: several may call it
};

}  // namespace weir
