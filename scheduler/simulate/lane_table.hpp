#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "scheduler/view/allotment.hpp"

namespace weir::simulation {

// Who may run what where: the lanes of an allotment, and how one allotment becomes another. Records and time are not
// known here but as far as they are told.
//
// A unit is a component, or the shared group (the last one). Its lanes have the cores of core_set::slices; the group
// has one lane a core, or none of its own when it lies on an owner's core, whose lane is then its host. What runs
// outside the cores has lanes without cores, as many as invocations wait at once. A move is that of the runtime
// (group::set_seats): lanes over the same cores stay and go on, others run nothing more once they have finished what
// they run, and a new lane may be opened when all its cores are free of those. A component never runs more invocations
// at once than it has lanes now, or in the group than its box allows.
class lane_table {
 public:
  struct lane {
    int unit = 0;
    core_set cores;
    int component = -1;    // that it runs; -1: none
    bool is_open = false;  // not yet: it waits for its cores, or for the cost of the move
    bool is_due = false;   // its cores are free: somebody was told to open it
    bool retired = false;  // belongs to an allotment before: runs nothing more
    bool hosts = false;    // runs the shared group between its owner's invocations
    double turn = 0;       // seconds of the group's turn after the owner's last invocation that are left
  };

  // `widths`: invocations of each component that its box allows at once in the shared group.
  lane_table(std::vector<int> widths, const core_set& cores);

  // Goes to another allotment; returns the lanes that may be opened. REQUIRES: no move is under way. Throws
  // std::logic_error when check() finds something wrong with it.
  std::vector<int> move_to(const allotment& to);

  // Opens a lane that a function above or below named.
  void open(int lane);

  bool is_moving() const { return closed_ > 0; }  // a lane waits to be opened
  const allotment& current() const { return current_; }
  bool is_member(std::size_t component) const { return current_.components[component].is_member(); }
  const std::vector<std::size_t>& members() const { return members_; }

  // Whether a component may begin another invocation, lanes aside.
  bool may_run(std::size_t component) const { return running_[component] < width_of(component); }

  // Invocations that it may run at once.
  int width_of(std::size_t component) const {
    return is_member(component) ? std::min(widths_[component], current_.shared.size())
                                : current_.components[component].width;
  }

  // A free lane of a unit, other than the host of the group: -1 when there is none.
  int free_lane(int unit) const;
  int host_lane() const;  // that of the group when it is free, else -1

  // The lane begins, or ends, an invocation of the component. Ending returns the lanes that may now be opened.
  void begin(int lane, std::size_t component);
  std::vector<int> end(int lane);

  lane& operator[](int i) { return lanes_[static_cast<std::size_t>(i)]; }
  const lane& operator[](int i) const { return lanes_[static_cast<std::size_t>(i)]; }
  int group() const { return static_cast<int>(free_.size()) - 1; }

  // Whether the next invocation of the component is the first since its cores changed; asking makes it the second.
  bool take_first(std::size_t component);

  std::size_t next_member = 0;  // whose turn it is in a group with lanes of its own

 private:
  std::vector<int> due();
  void set_lanes(int unit, const std::vector<core_set>& cores);
  void retire(int lane);

  core_set cores_;
  std::vector<int> widths_;
  allotment current_;
  std::vector<std::size_t> members_;
  std::vector<lane> lanes_;
  std::vector<int> unused_;             // of lanes_
  std::vector<std::vector<int>> free_;  // by unit: open lanes that run nothing
  std::vector<int> running_;            // invocations, by component
  std::vector<bool> first_;             // by component: nothing has run since its cores changed
  std::vector<int> held_;               // by core: retired lanes that still run there
  int closed_ = 0;                      // lanes that are not open yet
};

}  // namespace weir::simulation
