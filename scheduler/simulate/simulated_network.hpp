#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "model/observation.hpp"
#include "scheduler/simulate/arrivals.hpp"
#include "scheduler/simulate/lane_table.hpp"
#include "scheduler/simulate/record_flow.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// A network under virtual time: records, queues, lanes and moves, event by event. It follows from the scenario, the
// seed and the allotments that it is given, and from nothing else; what a record is and costs does not depend on the
// allotments. Not thread-safe.
//
// A lane takes a record when one waits, and takes T(x, cores of the lane) times noise for it; a finished record goes on
// when those before it have and there is room (record_flow.hpp). Members of the shared group run
// on any core of it, taking turns, each as often at once as its box allows; when the group lies on an owner's core, its
// turn after an invocation of that owner begins members' invocations for as long as that took, and at any time while
// the owner has nothing to do. What runs outside the cores takes T(x, 1) there and keeps no core busy.
//
// A move (lane_table.hpp): lanes over the same cores go on; others finish what they run, and a new lane waits for its
// cores, then loses the scenario's move_cost. The next observation of a component whose share changed is marked as
// after_move. The first allotment costs nothing.
//
// Checked all the time, whatever the build; std::logic_error names what does not hold: check(allotment) finds nothing
// and the cores given away are no more than there are; a core runs one invocation at a time, so that none is used for
// more than all of the time; a chain keeps the order of its records; and, at every move and at the end, records in are
// records out and records that wait.
class simulated_network {
 public:
  // What the learning side is shown as predictor value.
  enum class predictor {
    known,     // the x that the cost depends on
    constant,  // always 1: a blind model
    shuffled   // the x of another record: as good as blind
  };

  // Refers to the scenario, which must outlive it. REQUIRES: of.validate() passed.
  simulated_network(const scenario& of, std::uint64_t seed, predictor shown = predictor::known);

  // Goes to another allotment. REQUIRES: !is_moving(). Throws std::logic_error when check() finds something wrong.
  void move_to(const allotment& to);
  bool is_moving() const { return lanes_.is_moving(); }
  const allotment& current() const { return lanes_.current(); }

  // Goes on to the next event; false when the last record has left. REQUIRES: an allotment. Throws
  // std::invalid_argument saying where records wait when nothing moves any more.
  bool advance();

  double time() const { return time_; }  // seconds
  // The invocation that the last event ended, if it ended one. `seconds` is its useful time.
  const std::optional<observation>& ended() const { return ended_; }

  const record_flow& flow() const { return flow_; }
  double busy_core_seconds(std::size_t component) const { return busy_[component]; }

 private:
  struct event {
    double time;
    std::uint64_t order;  // of its making: what happens at one time happens in this order
    enum class kind { arrival, end, open } what;
    int which = 0;  // lane
    bool operator>(const event& other) const { return time != other.time ? time > other.time : order > other.order; }
  };
  struct running {
    std::uint64_t ticket = 0;
    observation seen;
  };

  void schedule(double time, event::kind what, int which);
  void schedule_opening(const std::vector<int>& lanes, double cost);
  void end(int lane);
  void look_for_work(int lane);
  void start_what_can();
  void start(std::size_t component);
  void start_group();
  void start_on_host(int lane);
  bool can_run(std::size_t component) const { return flow_.can_take(component) && lanes_.may_run(component); }
  void run(int lane, std::size_t component);
  double shown_x(double x, std::size_t component, const token& what) const;
  void check_at_end() const;

  const scenario& scenario_;
  std::uint64_t seed_;
  predictor shown_;
  record_flow flow_;
  lane_table lanes_;
  std::optional<arrival_times> arrivals_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t scheduled_ = 0, arrived_ = 0;
  double time_ = 0;
  std::vector<running> running_;    // by lane
  std::vector<double> core_until_;  // by core: when its last invocation ends
  std::vector<double> busy_;        // by component
  std::optional<observation> ended_;
};

}  // namespace weir::simulation
