#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <weir/options/options.hpp>
#include <weir/options/saved_models.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/run/messenger.hpp"
#include "runtime/statistics/traffic.hpp"
#include "runtime/streams/latency_probe.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/unfolding/unfold.hpp"

namespace weir::detail {

// Whether models take a predictor value: the part of is_usable() that is known before an invocation.
inline bool is_usable_x(double x) { return std::isfinite(x) && x >= 0; }

// Learns the costs of each component's invocations, and how many records go where in the network. Workers put
// observations into queues of their own; the holder of the lock takes them in. Thread-safe unless stated otherwise.
class learning {
 public:
  // Throws std::invalid_argument, naming the option, for prior models that do not fit.
  learning(run_environment& run, const unfolded& net, const options& o, messenger& messages);

  // Sentences about the models of other runs that no component could start from, and about those of other machines.
  const std::vector<std::string>& notes() const { return notes_; }

  // An invocation is over.
  void observe(worker& by, const observation& o) noexcept;

  // Notes for later runs which boxes were short. At the end of the run, when no thread runs any more.
  void tell_later_runs() const noexcept;

  // ---- with the lock ----
  auto& lock() const WEIR_ANALYSED(lock_returned(mutex_)) { return mutex_; }
  void absorb_all() noexcept WEIR_REQUIRES(mutex_);  // takes in what was observed so far
  // Takes in the counts of the record path; `sent`: records sent so far. Then decides each component's pace
  // (component_state). True when it changed for one.
  bool learn_costs(std::uint64_t sent, latency_probe& probe) WEIR_REQUIRES(mutex_);
  // By a whole view: the cores that invocations may get in the shared group (component_state).
  void tell_group_shares(const system_view& view) WEIR_REQUIRES(mutex_);
  void moved() WEIR_REQUIRES(mutex_);  // another allotment is put into force
  bool has_observed() const WEIR_REQUIRES(mutex_);
  // The part of the view that is known here: all but machine, cores, the allotment in force and its time.
  system_view view(std::uint64_t sent) const WEIR_REQUIRES(mutex_);
  std::uint64_t entered(std::uint64_t sent) const WEIR_REQUIRES(mutex_) { return traffic_.entered(sent); }
  std::vector<std::uint64_t> invocations(std::uint64_t sent) const WEIR_REQUIRES(mutex_) {
    return traffic_.invocations(sent);
  }

  // Wall and CPU time of a component's long invocations that no other process interrupted.
  struct undisturbed {
    static constexpr double shortest = 10e-3;  // seconds: two time slices of the system and more
    std::uint64_t invocations = 0;
    double seconds = 0, cpu_seconds = 0;
  };
  const undisturbed& undisturbed_of(const component_state& c) const WEIR_REQUIRES(mutex_) {
    return seen_of_[c.index].alone;
  }

  // By entity: records for each that enters. By the thread that calls learn_costs(), without the lock.
  const std::vector<double>& visits() const { return traffic_.visits(); }

  // The component's model as of now. `here`: the description of this machine.
  saved_model saved(component_state& c, const std::string& here) const WEIR_REQUIRES(mutex_);

  // Throws std::invalid_argument for an unknown component, and for another number of values than it has predictors.
  prediction predict(const std::string& component, std::span<const double> values, int cores);
  std::map<std::string, saved_model> models();

 private:
  void absorb(worker& w) noexcept WEIR_REQUIRES(mutex_);
  void absorb(const observation& o) WEIR_REQUIRES(mutex_);
  void check_predictors(const component_state& c, const observation& o) WEIR_REQUIRES(mutex_);
  double move_cost() const;
  double x_of(component_state& c, std::span<const double> values) WEIR_REQUIRES(mutex_);

  std::vector<std::string> notes_;
  run_environment& run_;
  const unfolded& net_;
  const bool tells_observations_;
  const measured_time learns_;
  messenger& messages_;
  mutable WEIR_LOCK(learning) mutex_;
  traffic traffic_;
  struct seen {
    bool has_unusable = false;  // predictor values; a note says so
    undisturbed alone;
    pace known = pace::unknown;  // of the steps, which decide by more than component_state::paced
  };
  std::vector<seen> seen_of_;                          // by component; under mutex_
  std::map<std::size_t, std::string> prior_machines_;  // by component: of the model in options::prior_models
  struct {
    double of_last = 0, of_earlier = 0;  // excess seconds of first invocations after a move
    int earlier = 0;                     // moves before the last
    bool seen = false;                   // whether there was one since the last move
  } move_costs_;
  std::vector<messenger::message> observed_;  // of one worker, about to be told; under mutex_
};

}  // namespace weir::detail
