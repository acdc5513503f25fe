#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>

namespace weir::simulation {

// The lanes of an allotment, what runs on them, and how one allotment becomes another. It does not know records or
// time, except as far as it is told.
//
// A unit is a component, or the shared group (the last one). A component's lanes have the cores of core_set::slices.
// The group has one lane for each core of its own. If it lies on an owner's core it has none; that owner's lane is its
// host. A component outside the cores has lanes without cores, as many as invocations may wait there concurrently.
//
// An invocation that begins in the group may join further lanes of it, whose cores it then has as well.
//
// A move is like the runtime's (group::set_leases). Lanes over the same cores stay and continue. Other lanes finish
// what they run, and then run nothing more. A new lane may be opened when no such lane still runs on its cores. A
// component never runs more concurrent invocations than it has lanes now, or in the group than its box allows.
class lane_table {
 public:
  struct lane {
    int unit = 0;
    core_set cores;
    int component = -1;         // the component that it runs; -1: none
    bool is_open = false;       // false: it waits for its cores, or for the cost of the move
    bool is_due = false;        // its cores are free: the caller was told to open it
    bool retired = false;       // from an earlier allotment: starts nothing more
    bool hosts = false;         // runs the shared group between its owner's invocations
    double slice_left = 0;      // the group's remaining time slice after the owner's last invocation, seconds
    std::vector<int> joined{};  // the further lanes of its invocation
  };

  // `widths`: for each component, the concurrent invocations that its box allows in the shared group.
  lane_table(std::vector<int> widths, const core_set& cores);

  // Allotments are on these cores from now on; the present one stays. REQUIRES: all of them are the constructor's.
  void set_cores(const core_set& cores) { cores_ = cores; }
  const core_set& cores() const { return cores_; }

  // Changes to another allotment and returns the lanes that may be opened. Throws std::logic_error when check() finds a
  // fault in it. REQUIRES: no move is under way.
  std::vector<int> move_to(const allotment& to);

  // Opens a lane that move_to() or end() returned.
  void open(int lane);

  bool is_moving() const { return closed_ > 0; }  // a lane waits to be opened
  const allotment& current() const { return current_; }
  bool is_member(std::size_t component) const { return current_.components[component].is_member(); }
  const std::vector<std::size_t>& members() const { return members_; }

  // Whether a component may begin another invocation, lanes aside.
  bool may_run(std::size_t component) const { return running_[component] < width_of(component); }

  int running(std::size_t component) const { return running_[component]; }  // its invocations

  // Invocations that it may run concurrently.
  int width_of(std::size_t component) const {
    return is_member(component) ? std::min(widths_[component], current_.shared.size())
                                : current_.components[component].width;
  }

  // A free lane of a unit, except the host lane of the group; -1 when there is none.
  int free_lane(int unit) const;
  int free_in_group() const { return static_cast<int>(free_.back().size()); }  // lanes
  int host_lane() const;  // the host lane of the group when it is free, else -1

  // Begins an invocation of the component on the lane, or ends it. end() returns the lanes that may now be opened.
  void begin(int lane, std::size_t component);
  std::vector<int> end(int lane);
  // `further` free lanes of the group join that of an invocation, until it ends. REQUIRES: there are that many.
  void join(int lane, int further);
  core_set cores_of(int lane) const;  // with those of the lanes that have joined it

  lane& operator[](int i) { return lanes_[static_cast<std::size_t>(i)]; }
  const lane& operator[](int i) const { return lanes_[static_cast<std::size_t>(i)]; }
  int group() const { return static_cast<int>(free_.size()) - 1; }

  // Whether the next invocation of the component is the first since its cores changed. Asking clears the mark.
  bool take_first(std::size_t component);

 private:
  std::vector<int> due();
  void set_lanes(int unit, const std::vector<core_set>& cores);
  void retire(int lane);

  core_set cores_;
  std::vector<int> widths_;
  allotment current_;
  std::vector<std::size_t> members_;
  std::vector<lane> lanes_;
  std::vector<int> unused_;             // indices into lanes_
  std::vector<std::vector<int>> free_;  // by unit: open lanes that run nothing
  std::vector<int> running_;            // invocations, by component
  std::vector<bool> first_;             // by component: nothing has run since its cores changed
  std::vector<int> held_;               // by core: retired lanes that still run there
  int closed_ = 0;                      // lanes that are not open yet
};

}  // namespace weir::simulation
