#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "scheduler/simulate/record_flow.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// The resources of a scenario, and the records that wait for them: as resource_ledger of a run. A request gets all its
// amounts together or waits. It gets them before an earlier one only if the rest suffices for all those before it. A
// request that fits and whose component has no free lane keeps nothing from others. It also knows the ports that
// components outside the cores take. Not thread-safe.
class resource_queue {
 public:
  // Refers to the scenario, which must outlive it.
  explicit resource_queue(const scenario& of);

  // The records of one invocation, which wait or run.
  struct request {
    std::size_t component = 0;
    std::uint64_t ticket = 0;     // of the first record
    std::vector<token> what{};    // the records
    std::vector<double> amounts;  // by need of the component
    double since = 0;             // when it asked
  };

  bool has_needs(std::size_t component) const { return !scenario_.components[component].needs.empty(); }
  int waiting(std::size_t component) const { return waiting_[component]; }  // its requests

  // The amounts of one invocation at a predictor value. Throws std::invalid_argument for more than there is.
  std::vector<double> amounts_of(std::size_t component, double x) const;
  void ask(request r);
  bool may_begin(std::size_t component) const { return next(component) < requests_.size(); }
  request begin(std::size_t component, double now);  // REQUIRES: may_begin(component)
  void end(const request& r);
  // The components with a request, the first one last.
  std::vector<std::size_t> components_waiting() const;

  // The invocations that resources let run at a time, and the resource: as admission::most_at_a_time of a run.
  struct bound {
    int invocations = unlimited;
    std::string resource{};
  };
  bound most_at_a_time(std::size_t component) const;

  bool are_ports_free(std::size_t component) const;
  void take_ports(std::size_t component);
  // The components that may want the ports that this one gives back: the one to be visited first comes last.
  std::vector<std::size_t> give_back_ports(std::size_t component);

  double peak(std::size_t resource) const { return uses_[resource].peak; }  // the most in use at a time
  double seconds_waited(std::size_t component) const { return waited_[component]; }

 private:
  struct use {
    double in_use = 0, peak = 0;
  };
  struct amount_seen {
    double mean = -1, distance = 0;  // of the last amounts; -1: none yet
  };
  std::size_t next(std::size_t component) const;  // the request that may begin; their number: none

  const scenario& scenario_;
  std::vector<use> uses_;                         // by resource
  std::deque<request> requests_;                  // in the order in which they asked
  std::vector<int> waiting_;                      // by component
  std::vector<double> waited_;                    // by component, seconds
  std::vector<std::vector<amount_seen>> seen_;    // by component and need
  std::vector<bool> is_taken_;                    // by port
  std::vector<std::vector<std::size_t>> takers_;  // by port: the components that take it
};

// The same before anything ran, by the mean amounts.
resource_queue::bound usual_bound(const scenario& of, const simulated_component& c);

}  // namespace weir::simulation
