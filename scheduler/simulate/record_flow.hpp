#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/simulate/record_routes.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// The places of records: the source, the queues, and the records that were taken from these and have not left. It does
// not know what serves them.
//
// A component's outputs leave in the order of its inputs. Up to `window` of its records may have been taken and not
// left, as in the runtime, times the records of a batch. With one lane that is one: blocking after service, where a
// finished record without space behind it keeps the lane. With more lanes it is 2 width + 2, and with a device as many
// as may wait there. Records wait until there is space; none is ever lost.
class record_flow {
 public:
  // Refers to the scenario, which must outlive it.
  record_flow(const scenario& of, std::uint64_t seed);

  // A record is at the source from `time` on. Do not call it for closed arrivals, which always have one.
  void arrive(double time);

  // Sets the lanes that a component has from now on.
  void set_width(std::size_t component, int lanes);

  // Whether a record may be taken, and then take() takes it. Its ticket is taken(component) before that call.
  bool can_take(std::size_t component) const {
    const station& s = stations_[component];
    return !s.queue.empty() && s.held.size() < s.window;
  }
  token take(std::size_t component, double now);
  // How many may be taken one after the other.
  std::size_t can_take_now(std::size_t component) const {
    const station& s = stations_[component];
    return std::min(s.queue.size(), s.window - s.held.size());
  }
  void finish(std::size_t component, std::uint64_t ticket);

  // Lets every record leave and enter that can. Returns a component that may have something to start; call it until it
  // returns -1, which means that no more has.
  int move_records(double now);
  void note_change(std::size_t component) { mark(component); }  // move_records() will return it

  std::uint64_t entered() const { return entered_; }
  std::size_t phase() const { return phase_; }              // of the record that entered last
  std::uint64_t left() const { return latencies_.size(); }  // records of which nothing is left in the network
  const std::vector<double>& latencies() const { return latencies_; }  // in order of leaving; seconds
  double last_left() const { return last_left_; }

  std::uint64_t taken(std::size_t component) const { return stations_[component].taken; }
  const std::deque<token>& queue(std::size_t component) const { return stations_[component].queue; }
  std::size_t waiting(std::size_t component) const { return stations_[component].queue.size(); }
  double waited(std::size_t component) const { return stations_[component].waited; }  // seconds, of all records taken
  double arrival_rate() const;  // recent records a second at the source; 0: closed, or fewer than two

  // Records that an invocation sends on each link, from the counts so far; where nothing was counted, the scenario's.
  // Where routing changes in phases, older counts weigh less and less, as in the runtime.
  std::vector<link> sent() const;
  bool is_chain() const { return is_chain_; }  // of all components, where each gives one record for one

  // Both throw std::logic_error. The first does so unless records that entered and were made equal records that left
  // and are still here. The second also does so when any part of a record is still here.
  void check_tokens() const;
  void check_records() const;

  // Throws std::invalid_argument that says where records wait. Call it when none can move any more.
  [[noreturn]] void refuse_standstill() const;

 private:
  struct held_record {
    token what;
    bool done = false;
  };
  struct way {
    int to = -1;
    std::size_t index = 0;  // in routes_.links()
    bool back = false;
  };
  struct station {
    std::deque<token> queue;
    std::deque<held_record> held;  // taken and not left, oldest first
    std::size_t window = 1, limit = 4;
    std::uint64_t taken = 0, gone = 0;  // gone: taken and left
    double counted = 0;                 // `gone`, where older ones weigh less, like counted_
    std::vector<way> ways;
    std::size_t next_way = 0;  // of the front of `held`: outputs that have already left
    int copies_left = -1;      // on next_way; negative: not drawn yet
    std::size_t ways_in = 0;
    std::unordered_map<std::uint32_t, std::size_t> partials;  // of a join: number of copies that came, by record
    std::size_t partial_copies = 0;
    std::vector<int> blocked;  // components that wait for space here, in order of waiting; -1: the source
    bool is_dirty = false;
    double waited = 0;
  };
  struct live_record {
    double since = 0;
    std::int32_t tokens = 0;
  };

  void mark(std::size_t component);
  void wake_blocked(station& s);
  void admit(double now);
  bool flush_one(std::size_t component, double now);
  bool has_room(std::size_t component) const { return stations_[component].queue.size() < stations_[component].limit; }
  bool wait_for_room(int who, std::size_t at);
  void put(std::size_t component, token what, double now);
  void leave(std::uint32_t record, double now);

  const scenario& scenario_;
  const record_routes routes_;
  std::vector<double> counted_;  // records that took each link
  double kept_ = 1;              // of a count after another invocation
  std::vector<station> stations_;
  std::vector<way> entries_;
  bool is_chain_ = true;

  std::vector<live_record> live_;
  std::deque<double> at_source_;
  std::deque<double> last_arrivals_;  // times, oldest first
  bool source_is_dirty_ = true;
  std::uint64_t entered_ = 0;
  std::uint64_t next_to_leave_ = 0;
  std::int64_t tokens_ = 0;  // in the network
  std::size_t phase_ = 0;
  std::vector<int> dirty_;
  std::vector<double> latencies_;
  double last_left_ = 0;
};

}  // namespace weir::simulation
