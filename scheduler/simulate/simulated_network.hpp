#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include <weir/model/observation.hpp>
#include "scheduler/control/batch_sizes.hpp"
#include "scheduler/expect/group_share.hpp"
#include "scheduler/simulate/arrivals.hpp"
#include "scheduler/simulate/device_stations.hpp"
#include "scheduler/simulate/invocation_times.hpp"
#include "scheduler/simulate/lane_table.hpp"
#include "scheduler/simulate/member_order.hpp"
#include "scheduler/simulate/record_flow.hpp"
#include "scheduler/simulate/resource_queue.hpp"
#include "scheduler/simulate/running_pressure.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// A network under virtual time: records, queues, lanes and moves, event by event. It depends only on the scenario, the
// seed and the given allotments. The records and their costs do not depend on the allotments. Not thread-safe.
//
// When a record waits, a lane takes it, or several where the component takes batches. It needs T(x, cores of the lane)
// times noise for it, and longer while others press on it (running_pressure.hpp). A finished record continues when
// those before it have left and there is space (record_flow.hpp). Members of the shared group run on any core of it, in
// turn or by priority (member_order.hpp), each with as many concurrent invocations as its box allows. Where no
// component owns cores, an invocation that begins gets idle ones as well (expect/group_share.hpp).
//
// If the group lies on an owner's core, it gets a time slice after each invocation of that owner, as long as that
// invocation. Members may start invocations in this slice, and at any time while the owner has nothing to do. A
// component outside the cores takes T(x, 1) there and keeps no core busy.
//
// Records of a component with a device wait until the rule of a run places them (device_stations.hpp). On a slot a
// record takes its time there, and keeps no core busy. An invocation that needs resources begins when it has them and a
// lane (resource_queue.hpp).
//
// In a move (lane_table.hpp) lanes over the same cores continue, and others finish what they run. A new lane waits for
// its cores, then loses the scenario's move_cost. The next observation of a component whose share changed is marked
// after_move. The first allotment costs nothing.
//
// In a phase with other cores (network_phase), allotments must be on these from when its first record enters. The
// caller is expected to move immediately, or when the move under way is done. Until then all lanes continue and
// complete their invocations: cores are taken between invocations, as the runtime does under another CPU quota.
//
// Invariants are checked in every build; std::logic_error names one that does not hold. check(allotment) finds no
// fault, and no more cores are given away than there are. A core runs one invocation at a time, so none is used for
// more than all of the time. A chain keeps the order of its records. At every move and at the end, records in are
// records out plus records that wait.
class simulated_network {
 public:
  using predictor = record_draws::predictor;

  // Refers to the scenario, which must outlive it. `machine`: its cores, where they are of several kinds. `estimator`:
  // of implementations on devices. REQUIRES: of.validate() passed.
  simulated_network(const scenario& of, std::uint64_t seed, predictor shown = predictor::known,
                    std::shared_ptr<const topology> machine = nullptr, const std::string& estimator = "weir");

  // Changes to another allotment of a machine, in which components of other machines are outside the cores. Throws
  // std::logic_error when check() finds a fault in it. REQUIRES: !is_moving().
  void move_to(const allotment& to, int machine = 0);
  // The part that invocations of a component may get of the shared group's idle cores; one core before.
  void set_group_share(std::size_t component, const group_share& part) { in_group_[component] = part; }
  bool is_moving(int machine = 0) const { return on(machine).is_moving(); }
  const allotment& current(int machine = 0) const { return on(machine).current(); }
  const core_set& cores(int machine = 0) const { return on(machine).cores(); }  // that an allotment may use now

  // Advances to the next event; false when the last record has left. Throws std::invalid_argument that says where
  // records wait when none can move any more. REQUIRES: an allotment.
  bool advance();

  // The predictor values, as the learning side sees them, of the records that wait at a component's input, oldest
  // first; as many as steady_inputs looks at.
  void waiting_x(std::size_t component, std::vector<double>& to) const;

  double time() const { return time_; }  // seconds
  // The invocation that the last event ended, if any. `seconds` is its useful time.
  const std::optional<observation>& ended() const { return ended_; }

  const record_flow& flow() const { return flow_; }
  const device_stations& devices() const { return devices_; }
  const resource_queue& resources() const { return resources_; }
  double busy_core_seconds(std::size_t component) const { return busy_[component]; }

 private:
  struct event {
    double time;
    std::uint64_t order;  // of creation: events at the same time happen in this order
    enum class kind { arrival, end, open, slot } what;
    int machine = 0, lane = 0;  // slot: the device, and its slot
    bool operator>(const event& other) const { return time != other.time ? time > other.time : order > other.order; }
  };
  struct running {
    std::uint64_t ticket = 0;   // of its first record
    std::vector<token> what{};  // its records
    observation seen;
    double end = 0;                              // seconds; another pressure moves it
    std::uint64_t end_event = 0;                 // its order: ends under former pressures are none
    device_stations::record* station = nullptr;  // of a component with a device
    resource_queue::request holds{};             // of one that needs resources
  };

  lane_table& on(int machine) { return lanes_[static_cast<std::size_t>(machine)]; }
  const lane_table& on(int machine) const { return lanes_[static_cast<std::size_t>(machine)]; }
  int machine_of(std::size_t component) const { return scenario_.components[component].machine; }

  void schedule(double time, event::kind what, int machine = 0, int lane = 0);
  void schedule_opening(int machine, const std::vector<int>& lanes, double cost);
  void end(int machine, int lane);
  void give_back(const running& r);
  void end_on_device(std::size_t device, std::size_t slot);
  void look_for_work(int machine, int lane);
  void start_what_can();
  void start(std::size_t component);
  void ask(std::size_t component);
  void take_to_device(std::size_t component);
  void dispatch(std::size_t device);
  bool begin_one(std::size_t component);
  bool start_on_device(std::size_t component);
  bool is_lane_free(std::size_t component) const;
  void start_on_cores(std::size_t component);
  void start_group(int machine);
  bool start_due_groups();
  std::optional<std::size_t> next_member(int machine);
  int idle_cores_for(int machine, std::size_t component) const;
  void start_on_host(int machine, int lane);
  bool can_run(std::size_t component) const;
  void run(int machine, int lane, std::size_t component);
  void take(std::size_t component, running& to);
  void follow_pressure(int machine);
  bool is_superseded(const event& e) const {
    return e.what == event::kind::end && running_[to_index(e.machine)][to_index(e.lane)].end_event != e.order;
  }
  void check_at_end() const;

  const scenario& scenario_;
  invocation_times times_;
  record_flow flow_;
  std::vector<lane_table> lanes_;    // by machine
  std::vector<member_order> order_;  // by machine
  std::vector<bool> due_groups_;     // by machine: its group is to choose when all records have moved
  device_stations devices_;
  resource_queue resources_;
  std::optional<arrival_times> arrivals_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t scheduled_ = 0, arrived_ = 0;
  double time_ = 0;
  running_pressure pressure_;
  std::vector<std::vector<running>> running_;  // by machine, by lane
  std::vector<double> core_until_;             // by core: when its last invocation ends
  std::vector<double> busy_;                   // by component
  std::vector<batch_sizes> sizes_;             // by component
  std::vector<group_share> in_group_;          // by component
  std::optional<observation> ended_;
};

}  // namespace weir::simulation
