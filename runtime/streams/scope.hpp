#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weir/record/record.hpp>
#include <weir/threads/primitives.hpp>

namespace weir::detail {

struct run_environment;
class scope;
class error_site;
class finishing;
class order_slot;
class schedulable;

// The memory of one entity in one scope: the records of a synchrocell, the stages of a star, the branches of a split.
class entity_state {
 public:
  virtual ~entity_state() = default;
  virtual std::size_t held() const { return 0; }                        // records
  virtual void each_scope(const std::function<void(scope&)>&) const {}  // that it has made and still has

  virtual bool is_of_other_ranks() const { return false; }  // its scopes are parts of scopes there

  // Resets the state as if it had just been made. True when no later record could tell it from a state not yet made.
  // REQUIRES: no record is in the scope or in scopes within it, and none comes meanwhile.
  virtual bool forget(run_environment& run, const error_site& whose) = 0;
};

// Is told when no record is in a branch that has ended, nor in scopes within it. Then it owns the scope: it may hold it
// again, to be told again, or destroys it.
class branch_listener {
 public:
  virtual void is_left(scope& ended) noexcept = 0;

 protected:
  ~branch_listener() = default;
};

// The inside of a star or a split, or of the whole network, as written down. It lists the entities in it that have a
// state, except those inside further stars and splits. One object serves all scopes of that inside.
struct level {
  std::vector<error_site*> states;   // the entities to whom the states of a scope belong
  std::vector<finishing*> finishes;  // each of them as one that acts at the end of its input; null: it does not
  void add(error_site* has_state, finishing* acts_at_end) {
    states.push_back(has_state);
    finishes.push_back(acts_at_end);
    if (acts_at_end) may_finish = true;
  }

  // Records in all scopes of it, except the ones in synchrocells. Counted where a region (`wake`) is to be called when
  // there are none. Sequentially consistent: the thread that lowers it to 0 looks afterwards whether the region is
  // attended to. That pairs with the seq_cst read of a worker that stops attending (the region's gate).
  schedulable* wake = nullptr;
  threads::atomic<std::int64_t> under_way{0};

  branch_listener* ends = nullptr;  // of the branches of a split that can end

  bool in_paths = true;     // the values of its scopes stand in paths
  bool may_finish = false;  // an entity in it, or in a level within it, has something to do at the end of the input
};

// One instance of the inside of a star or a split: a stage of the star, a branch of the split. The outermost scope is
// the network itself. Networks are not copied when they unfold: a record carries the scope it is in, and an entity that
// has a state looks it up there. So an instance costs a scope, and a state only where one is needed.
//
// A scope is counted by the records in it and in the scopes within it, and by the star or split as long as that may
// give it new records. Any thread may change the count. A scope within a scope ends with it or before: a record holds
// its own scope and all scopes around that. A state is touched by the region that runs its entity. While no record is
// in the scope, it is also touched by the region of the split that could bring one.
class scope {
 public:
  static scope* make(scope* parent, level& of, std::int64_t value);  // held once, by the star or split
  static scope* make_outermost(level& of) { return make(nullptr, of, 0); }

  scope* parent() const { return parent_; }
  // Whether it is the whole network, or stands for it on another rank.
  bool is_outermost() const { return !parent_ || is_outermost_; }
  void be_outermost() { is_outermost_ = true; }
  std::int64_t value() const { return value_; }  // the stage's number in a star, the tag's value in a split
  std::unique_ptr<entity_state>& state(std::size_t index) { return states()[index]; }
  const level& of() const { return level_; }

  // By a record that comes from the scope around this one, which it goes on holding, or that goes back there. Relaxed:
  // a new holder is made from an existing one, which orders it.
  void hold() noexcept {
    holders_.fetch_add(1, std::memory_order_relaxed);
    if (level_.wake) level_.under_way.fetch_add(1, std::memory_order_relaxed);
  }
  void let_go() noexcept {
    if (level_.wake && level_.under_way.fetch_sub(1, std::memory_order_seq_cst) == 1) all_gone();
    give_up();
  }
  // By a record that begins or ends here: all scopes around this one as well, except the outermost, which counts none.
  void hold_with_outer() noexcept {
    for (scope* s = this; s->parent_; s = s->parent_) s->hold();
  }
  void let_go_with_outer() noexcept {
    for (scope* s = this; s->parent_;) std::exchange(s, s->parent_)->let_go();
  }
  // By the star or split. Release, and acquire by the last holder: it sees what every other did before it let go.
  void give_up() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) ended_ ? level_.ends->is_left(*this) : destroy();
  }

  // By the split, in place of give_up(): the branch ends by a record that is in it. It holds the record's position, and
  // the scopes around it, to its end.
  void end(order_slot* by) noexcept;
  order_slot* ended_by() const { return ended_by_; }
  // By the listener: holds it again, without a record; destroys it.
  void take_back() noexcept { holders_.store(1, std::memory_order_relaxed); }
  void destroy_ended() noexcept;

  // By the split: whether no record is in here, nor in any scope within. The caller then also sees what those records
  // did: acquire pairs with the release of each that let go.
  bool is_left() const noexcept { return holders_.load(std::memory_order_acquire) == 1; }
  // By a record in it: whether it is the only one, and stays so until it leaves or another enters. Never in a branch
  // that can end.
  bool has_one_record() const noexcept { return !level_.ends && holders_.load(std::memory_order_acquire) == 2; }
  // By the split: use() says that a record comes, was_used() whether one came since the last call.
  void use() noexcept { used_ = true; }
  bool was_used() noexcept { return std::exchange(used_, false); }
  // Removes the states that equal a state not yet made; true when none is left. REQUIRES: is_left().
  bool forget(run_environment& run);

  // A path as an entity knows it, with a `*` for each value that only the scope knows: ":S2:R*:P1" -> ":S2:R7:P1".
  std::string path(const std::string& pattern) const;

 private:
  scope(scope* parent, level& of, std::int64_t value) : parent_(parent), level_(of), value_(value) {}
  void destroy() noexcept;
  void all_gone() noexcept;
  std::unique_ptr<entity_state>* states() { return reinterpret_cast<std::unique_ptr<entity_state>*>(this + 1); }

  scope* const parent_;
  level& level_;
  const std::int64_t value_;
  threads::atomic<std::uint32_t> holders_{1};
  bool is_outermost_ = false;
  bool used_ = false;
  bool ended_ = false;  // written by a holder, before it lets go
  order_slot* ended_by_ = nullptr;
  // The states follow in memory, one for each of level_.states.
};

struct give_up_scope {
  void operator()(scope* s) const noexcept { s->give_up(); }
};
using owned_scope = std::unique_ptr<scope, give_up_scope>;  // as the star or split holds it

}  // namespace weir::detail
