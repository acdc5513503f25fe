#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/record/record.hpp"

namespace weir::detail {

struct run_environment;
class scope;
class entity;
class schedulable;

// What one entity remembers in one scope: a synchrocell its records, a star its stages, a split its branches.
class entity_state {
 public:
  virtual ~entity_state() = default;
  virtual std::size_t held() const { return 0; }                        // records
  virtual void each_scope(const std::function<void(scope&)>&) const {}  // that it has made and still has

  // Removes what is in here as if it had just been made. True when nothing is left that a later record could tell from
  // a state not yet made. REQUIRES: no record is in the scope, nor in those within it, and none comes meanwhile.
  virtual bool forget(run_environment& run, const entity& whose) = 0;
};

// The inside of a star, a split, or of the whole network, as written down: how many entities in it, not counting what
// is inside further stars and splits, have a state. One object for all scopes of that inside.
struct level {
  std::vector<const entity*> states;  // whose they are

  // Records in all scopes of it, but for those that synchrocells hold: counted where a region wants to be called when
  // there are none. seq_cst: who lowers it to 0 looks whether the region is attended to afterwards; pairs with the
  // seq_cst look of a worker that turns away (the region's gate).
  schedulable* wake = nullptr;
  std::atomic<std::int64_t> under_way{0};
};

// One instance of what is inside a star or a split: a stage of the star, a branch of the split; and the outermost one,
// the network itself. Networks are not copied when they unfold: a record carries the scope it is in, and an entity that
// has a state looks it up there. So an instance costs a scope, and a state only where one is needed.
//
// Counted by the records in it and in the scopes within it, and by the star or split as long as it may get new records.
// The count may be changed by any thread. Scopes within a scope end with it or before: a record holds the scope that it
// is in and all those around that. A state is touched by the region that runs its entity; and where no record is in the
// scope, by that of the split which could bring one.
class scope {
 public:
  static scope* make(scope* parent, level& of, std::int64_t value);  // held once, by the star or split
  static scope* make_outermost(level& of) { return make(nullptr, of, 0); }

  scope* parent() const { return parent_; }
  std::int64_t value() const { return value_; }  // the stage's number in a star, the tag's value in a split
  std::unique_ptr<entity_state>& state(std::size_t index) { return states()[index]; }
  const level& of() const { return level_; }

  // By a record that comes from the scope around this one, which it goes on holding, or goes back there. relaxed: a new
  // holder is made from an existing one, which orders it.
  void hold() noexcept {
    holders_.fetch_add(1, std::memory_order_relaxed);
    if (level_.wake) level_.under_way.fetch_add(1, std::memory_order_relaxed);
  }
  void let_go() noexcept {
    if (level_.wake && level_.under_way.fetch_sub(1, std::memory_order_seq_cst) == 1) all_gone();
    give_up();
  }
  // By a record that comes to be here, or ends here: the scopes around as well, but for the outermost, where none is
  // counted.
  void hold_with_outer() noexcept {
    for (scope* s = this; s->parent_; s = s->parent_) s->hold();
  }
  void let_go_with_outer() noexcept {
    for (scope* s = this; s->parent_;) std::exchange(s, s->parent_)->let_go();
  }
  // By the star or split. release, and acquire by the last: it sees what every other holder did before it let go.
  void give_up() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  // By the split: no record is in here, nor in any scope within, and what those did that were is seen. acquire pairs
  // with the release of each that let go.
  bool is_left() const noexcept { return holders_.load(std::memory_order_acquire) == 1; }
  // By the split: a record comes. And whether one came since this was asked last.
  void use() noexcept { used_ = true; }
  bool was_used() noexcept { return std::exchange(used_, false); }
  // Removes the states that are as if not yet made; true when no other is left. REQUIRES: is_left().
  bool forget(run_environment& run);

  // A path as an entity knows it, with a `*` for each value that is known only here: ":S2:R*:P1" -> ":S2:R7:P1".
  std::string path(const std::string& pattern) const;

 private:
  scope(scope* parent, level& of, std::int64_t value) : parent_(parent), level_(of), value_(value) {}
  void destroy() noexcept;
  void all_gone() noexcept;
  std::unique_ptr<entity_state>* states() { return reinterpret_cast<std::unique_ptr<entity_state>*>(this + 1); }

  scope* const parent_;
  level& level_;
  const std::int64_t value_;
  std::atomic<std::uint32_t> holders_{1};
  bool used_ = false;
  // One state for each of the level's follows in memory.
};

struct give_up_scope {
  void operator()(scope* s) const noexcept { s->give_up(); }
};
using owned_scope = std::unique_ptr<scope, give_up_scope>;  // by the star or split

}  // namespace weir::detail
