#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/engine/run_environment.hpp"
#include "runtime/options/options.hpp"
#include "runtime/options/saved_models.hpp"
#include "runtime/run/latency_probe.hpp"
#include "runtime/run/messenger.hpp"
#include "runtime/run/traffic.hpp"
#include "runtime/stages/unfold.hpp"
#include "runtime/threads/locks.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir::detail {

// What a run learns: of each component what its invocations cost, of the network how many records go where. Workers put
// observations into queues of their own; whoever holds the lock takes them in. Thread-safe where nothing else is said.
class learning {
 public:
  // Throws std::invalid_argument that names the option, for prior models that do not fit.
  learning(run_environment& run, const unfolded& net, const options& o, messenger& told);

  // An invocation is over.
  void observe(worker& by, const observation& o) noexcept;

  // ---- with the lock ----
  auto& lock() const WEIR_ANALYSED(lock_returned(mutex_)) { return mutex_; }
  void absorb_all() noexcept WEIR_REQUIRES(mutex_);  // what was observed so far
  // Takes in what the record path counted: so many records were sent. Then says which components became short or quick
  // or no longer are (component_state): true when one did.
  bool learn_costs(std::uint64_t sent, latency_probe& probe) WEIR_REQUIRES(mutex_);
  void moved() WEIR_REQUIRES(mutex_);  // another allotment is put into force
  bool has_observed() const WEIR_REQUIRES(mutex_);
  // What of the view is known here: all but machine, cores, the allotment in force and since when.
  system_view view(std::uint64_t sent) const WEIR_REQUIRES(mutex_);
  std::uint64_t entered(std::uint64_t sent) const WEIR_REQUIRES(mutex_) { return traffic_.entered(sent); }
  std::vector<std::uint64_t> invocations(std::uint64_t sent) const WEIR_REQUIRES(mutex_) {
    return traffic_.invocations(sent);
  }

  // By stage, records for each that enters. By the thread that calls learn_costs(), without the lock.
  const std::vector<double>& visits() const { return traffic_.visits(); }

  prediction predict(const std::string& component, double x, int cores);
  std::map<std::string, saved_model> models();

 private:
  void absorb(worker& w) noexcept WEIR_REQUIRES(mutex_);
  void absorb(const observation& o) WEIR_REQUIRES(mutex_);
  double move_cost() const;

  run_environment& run_;
  const unfolded& net_;
  const options& options_;
  messenger& messages_;
  mutable WEIR_LOCK(learning) mutex_;
  traffic traffic_;
  struct {
    double of_last = 0, of_earlier = 0;  // seconds that first invocations took longer than expected, since a move
    int earlier = 0;                     // moves
    bool seen = false;                   // of the last
  } move_costs_;
};

}  // namespace weir::detail
