#pragma once

#include <memory>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/run/device_set.hpp"
#include "runtime/run/fusion.hpp"
#include "runtime/run/fusion_plan.hpp"
#include "runtime/run/work_plan.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/unfolding/unfold.hpp"

namespace weir::detail {

// Where a run's components run: turns an allotment into groups of threads on cores, homes of regions, and fusion.
// Thread-safe; allotments come from one thread at a time, which may read the one in force without the lock.
class placing {
 public:
  // sizes_streams: streams are as long as their readers need, since the user named no capacity. Throws std::bad_alloc.
  placing(run_environment& run, unfolded& net, const options& o, bool sizes_streams);

  device_set& devices() { return devices_; }

  group& shared() { return *shared_; }

  // Puts an allotment into force. Null: the present one again, after the costs of boxes changed. visits: as below.
  // choice: for the plan of fusion, and the lanes of the shared group.
  void apply(const allotment* next, const std::vector<double>& visits, const plan_choice& choice);
  const fusion_plan& plan() const WEIR_NOT_ANALYSED { return plan_; }  // by the thread that applies
  // Sets batches, streams and how often boxes are timed, by what invocations cost. visits: by entity, records for each
  // that enters the network; utilisation: by component, expected; throughput: records that could enter in a second at
  // most, NaN: unknown.
  void configure_regions(const std::vector<double>& visits, const std::vector<double>& utilisation, double throughput);
  // Carries on with fusion. Returns whether all is fused now and was not: regions are then to be configured.
  bool complete_fusion() noexcept;
  // By the controller's looks: where a region expects short records as in the run before, and its first is not done
  // yet, each record gets a worker.
  void wake_others_where_unsure() noexcept;

  const allotment& in_force() const { return in_force_; }
  double in_force_since() const { return since_.load(); }  // seconds after the start

  // For a caller that reads several things here that must fit together; loads() is called with it held.
  auto& lock() const WEIR_ANALYSED(lock_returned(mutex_)) { return mutex_; }
  int own_cores(const component_state& c) const;  // 0: it has none; takes the lock
  // Lanes of all without cores of their own. REQUIRES: the lock.
  int shared_lanes() const { return has_one_lane_ ? 1 : shared_->lease_count(); }
  // By entity, for the region that it heads: the largest of the components' `utilisation` in it. NaN: none is known.
  std::vector<double> loads(const std::vector<double>& utilisation) const WEIR_REQUIRES(mutex_);

  void wake_all();
  bool run_one(worker& w);  // on machines without threads: runs one listed region; false: none is

 private:
  std::vector<double> loads(const std::vector<double>& utilisation,
                            const std::vector<fusion::entity_list>& heads) const;
  std::vector<entity_facts> facts(const std::vector<double>& visits) const;
  std::vector<region_facts> facts_of_regions(const std::vector<double>& visits, const std::vector<double>& utilisation,
                                             double throughput) const WEIR_REQUIRES(mutex_);
  bool has_own_cores(const component_state& c) const { return !in_force_.components[c.index].cores.empty(); }
  int width_of(const component_state& c) const;
  int width_of(const entity& s) const;
  void set_leases(const allotment& before) WEIR_REQUIRES(mutex_);
  void set_shared_leases() WEIR_REQUIRES(mutex_);
  group* source_owner() const;
  group& home() const;  // that runs it
  void place(const std::vector<double>& visits, const plan_choice& choice) WEIR_REQUIRES(mutex_);
  void trace_move(const component_state& c) const;

  run_environment& run_;
  unfolded& net_;
  const bool sizes_streams_;
  device_set devices_;
  mutable WEIR_LOCK(placing) mutex_;
  allotment in_force_;
  threads::atomic<double> since_{0};
  fusion_plan plan_;
  bool has_one_lane_ = false;  // by choice, on the core of an initialiser where one owns that
  std::unique_ptr<group> shared_;
  std::vector<std::unique_ptr<group>> owners_;  // by component; null until first needed
  fusion fusion_;
};

}  // namespace weir::detail
