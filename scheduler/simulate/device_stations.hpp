#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/devices/device_rule.hpp"
#include "scheduler/simulate/record_flow.hpp"
#include "scheduler/simulate/scenario.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir::simulation {

// The devices of a scenario under virtual time, and the records at boxes that run on them. Each is placed by the rule
// of a run (device_rule.hpp). Not thread-safe.
class device_stations {
 public:
  // A record at such a box, or a batch, from when it was taken until it is finished.
  struct record final : device_record {
    record(const record_flow& of, std::size_t at, std::uint64_t number, std::vector<token> taken)
        : flow(of), component(at), ticket(number), what(std::move(taken)) {
      records = what.size();
    }
    std::size_t behind() const override { return flow.waiting(component); }

    const record_flow& flow;
    std::size_t component;
    std::uint64_t ticket;  // of the first
    std::vector<token> what;
    double since = 0;         // when it came to wait
    std::size_t slot = 0;     // of the device, while it runs there
    double seconds = 0;       // that it takes there
    bool will_throw = false;  // there
  };

  // Refers to both, which must outlive it. `estimator`: of each implementation, a name for make_estimator().
  device_stations(const scenario& of, const record_flow& flow, const std::string& estimator);

  bool has(std::size_t component) const { return rules_[component] != nullptr; }
  std::size_t device_of(std::size_t component) const {
    return to_index(scenario_.components[component].second->device);
  }
  device_rule& rule(std::size_t component) { return *rules_[component]; }
  const device_rule& rule(std::size_t component) const { return *rules_[component]; }

  // Records come to the box, as one invocation takes them; x: their mean. plan(): how many, and for which side.
  // REQUIRES: !is_full(component)
  bool is_full(std::size_t component, int lanes) const;
  device_rule::planned_batch plan(std::size_t component, std::size_t waiting, double now);
  void add(std::size_t component, std::uint64_t ticket, std::vector<token> what, device_side planned, double x,
           double now);

  // The boxes of a device take turns, as in a run.
  std::size_t boxes(std::size_t device) const { return users_[device].size(); }
  std::size_t next_box(std::size_t device);

  // Each begins the record that the rule chooses; null: none.
  record* begin_on_cores(std::size_t component, double now);
  record* begin_on_device(std::size_t component, double now, bool is_lane_free);
  // The record on a slot, whose time there is over, leaves it. It is done, or waits again after an error.
  record& on_slot(std::size_t device, std::size_t slot) const;
  bool end_on_device(record& r, double now);  // whether it is done
  void erase(const record& r);                // it is finished

  double seconds_waited(std::size_t component) const { return waited_[component]; }
  double busy(std::size_t component) const { return busy_[component]; }  // slot seconds
  // For a component with a device.
  device_numbers read(std::size_t component, double now) const { return rules_[component]->read(now); }
  // Whether an invocation of the device throws that runs from then to then.
  static bool throws_in(const simulated_device& of, double from, double until);

 private:
  const scenario& scenario_;
  const record_flow& flow_;
  std::deque<device_state> states_;                  // by device
  std::vector<std::unique_ptr<device_rule>> rules_;  // by component; null: it has no device
  std::vector<std::list<record>> records_;           // by component
  std::vector<std::vector<std::size_t>> users_;      // by device: its components
  std::vector<std::size_t> next_user_;               // by device
  std::vector<double> waited_, busy_;                // by component
};

}  // namespace weir::simulation
