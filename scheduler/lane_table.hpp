#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/allotment.hpp"

namespace weir::simulation {

// Who may run what where: the lanes of an allotment, and how one allotment becomes another. Records and time are not
// known here but as far as they are told.
//
// A unit is a component, or the shared group (the last one). Its lanes have the cores of core_set::slices; the group
// has one lane a core, or none of its own when it lies on an owner's core, whose lane is then its host. A move closes
// the units whose cores or lanes change: they start nothing more, their lanes finish what they run, and once all cores
// that they are to have are free they may be opened. What does not change goes on. A component that comes to the group
// or leaves it changes; one that stays in it while the group's cores change does not run meanwhile.
class lane_table {
 public:
  struct lane {
    int unit = 0;
    core_set cores;
    int component = -1;    // that it runs; -1: none
    bool retired = false;  // belongs to the allotment before: runs nothing more
    bool hosts = false;    // runs the shared group between its owner's invocations
    bool group_turn = false;
    std::size_t passed = 0;  // members that had their turn since the owner's last invocation
  };

  lane_table(std::size_t components, const core_set& cores);

  // Closes what changes; returns the units that may be opened at once. REQUIRES: no move is under way. Throws
  // std::logic_error when check() finds something wrong with the allotment.
  std::vector<int> move_to(const allotment& to);

  // Opens a unit that a function above or below named. Its components run after a move from here on.
  void open(int unit);

  bool is_moving() const { return closed_ > 0; }
  const allotment& current() const { return current_; }
  bool is_member(std::size_t component) const { return current_.components[component].cores.empty(); }
  const std::vector<std::size_t>& members() const { return members_; }

  // Whether a component may begin another invocation as far as moves and the group's rule (one invocation of a member
  // at a time) are concerned.
  bool may_run(std::size_t component) const;

  // A free lane of the component's own, other than the host of the group, or of the group: -1 when there is none.
  int free_lane(int unit) const;
  int host_lane() const;  // that of the group when it is free, else -1

  // The lane begins, or ends, an invocation of the component. Ending returns the units that may now be opened.
  void begin(int lane, std::size_t component);
  std::vector<int> end(int lane);

  lane& operator[](int i) { return lanes_[static_cast<std::size_t>(i)]; }
  const lane& operator[](int i) const { return lanes_[static_cast<std::size_t>(i)]; }
  int group() const { return static_cast<int>(units_.size()) - 1; }

  // Whether the next invocation of the component is the first since its cores changed; asking makes it the second.
  bool take_first(std::size_t component);

  std::size_t next_member = 0;  // whose turn it is in a group with lanes of its own

 private:
  struct unit_state {
    core_set cores;
    int width = 1;
    bool is_open = false, is_closing = false;
    int draining = 0;  // retired lanes that still run
    std::vector<int> free;
  };

  std::vector<int> ready();
  int make_lane(int unit, core_set cores);
  void retire(int unit);
  void seat_group();

  core_set cores_;
  allotment current_;
  std::vector<unit_state> units_;
  std::vector<std::size_t> members_;
  std::vector<int> running_;  // invocations, by component
  std::vector<bool> first_;   // by component: nothing has run since its cores changed
  std::vector<int> held_;     // by core: retired lanes that still run there
  std::vector<lane> lanes_;
  std::vector<int> unused_;  // of lanes_
  int closed_ = 0;           // units that are closing, or wait to be opened
};

}  // namespace weir::simulation
