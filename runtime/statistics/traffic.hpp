#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/unfolding/unfold.hpp"

namespace weir::detail {

// Records that initialisers emitted, and records that ended in sinks and folds. Exact once the run has drained; any
// thread may ask.
struct ends_count {
  std::uint64_t emitted = 0, ended = 0;
};
ends_count ends_of(const unfolded& net);

// The names of the entities that write to the stream in front of an entity, each once: "a | b". Empty: only the
// network's input does.
std::string writers_of(const entity& to);

// Seconds in which a record waited for room to enter the network: the longest of the waits at the entry, behind each
// initialiser, and at the bound of the whole. NaN: it is not watched (option monitor). Any thread may ask.
double held_back(const unfolded& net, const run_environment& run);

// The network's own numbers: how many records, for each that enters, come to each entity and go from one component to
// another, and how many enter a second. They are taken from the counts of the record path. Older counts weigh less and
// less, so that changes of routing are followed. Outputs of initialisers enter like records that are sent.
//
// Not thread-safe; const calls may run concurrently.
class traffic {
 public:
  // Keeps a reference to the network.
  explicit traffic(const unfolded& net);

  // Takes in what was counted since the last update. now: seconds of any clock; sent: records so far.
  void update(double now, std::uint64_t sent);

  // How many records have entered, of which `sent` were sent.
  std::uint64_t entered(std::uint64_t sent) const;

  // How often each component ran, when `sent` records were sent. Derived from the counts of the record path. An entity
  // that gives one for one is not counted; the arrivals at an entity are what the entities before it sent on.
  std::vector<std::uint64_t> invocations(std::uint64_t sent) const;

  // By entity: records for each that enters; a record that loops counts each time.
  const std::vector<double>& visits() const { return visits_; }

  // Links between components. A record that loops counts once; what returns to a loop's entry is left out.
  const std::vector<link>& links() const { return links_; }

  // Records that entered a second, recently; 0 before the second update.
  double arrival_rate() const { return arrival_rate_; }

 private:
  // The recent growth of counts that only grow.
  struct aged {
    std::uint64_t sent = 0, of = 0;  // at the last update
    double recent_sent = 0, recent_of = 0;
    void take(const flow_count& now);
  };
  struct edge {
    std::size_t from, to;
    const entity* loop;  // that is left this way, or null
    bool is_back;        // leads to an earlier entity
    bool from_source;
    aged all, once;
    double all_until_known, once_until_known;
  };

  void find_visits();
  void find_links();

  const unfolded& net_;
  const std::vector<std::unique_ptr<entity>>& entities_;
  const entity* const entry_;  // null: nothing can be sent
  std::vector<edge> edges_;    // by `to`, in its order
  aged sent_;                  // of all that entered
  std::vector<double> visits_;
  std::vector<link> links_;
  double looked_at_ = 0, arrival_rate_ = 0;
  bool looked_ = false;
};

}  // namespace weir::detail
