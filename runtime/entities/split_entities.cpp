#include "runtime/entities/split_entities.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/branch_table.hpp"
#include "runtime/entities/endings.hpp"

namespace weir::detail {

// The branches of a split in one scope. All are checked when they have become half as many again as the last check
// left. So a new value pays for the check of a few, and a record of a known value for none. A branch that a new one
// could replace goes if no record came to it since the last check: so values that recur are not made again and again.
// Branches made since the last check stay, so a split keeps up to twice as many as it needs, or some thousands more.
class split_entry_entity::branches : public entity_state {
 public:
  void each_scope(const std::function<void(scope&)>& f) const override { by_value_.each(f); }
  bool forget(run_environment& run, const error_site& whose) override {
    remove(run, whose, [](scope&) { return true; });
    return by_value_.count() == 0;
  }

  scope* find(std::int64_t value) const { return by_value_.find(value); }
  void prefetch(std::int64_t value) const { by_value_.prefetch(value); }
  std::size_t count() const { return by_value_.count(); }
  scope& add(scope& outer, level& inside, std::int64_t value) {
    return by_value_.add(value, owned_scope(scope::make(&outer, inside, value)));
  }

  // Lets go of a branch that ends by a record at this position.
  void end(std::int64_t value, order_slot* by) { by_value_.take(value).release()->end(by); }

  // Whether there may be one more branch, of at most `most`.
  bool has_room(run_environment& run, const error_site& whose, std::size_t most) {
    if (by_value_.count() < next_look_) return true;
    if (refusals_ > 0) return --refusals_, false;
    remove(run, whose, [](scope& branch) { return !branch.was_used() && branch.is_left(); });
    if (by_value_.count() >= most) remove(run, whose, [](scope& branch) { return branch.is_left(); });
    const std::size_t left = by_value_.count();
    next_look_ = std::min(std::max(few, left + std::max(std::min(left, few), left / 2)), most);
    if (left < most) return true;
    refusals_ = left / looks_for_one;
    return false;
  }

 private:
  static constexpr std::size_t few = 8192;          // to keep, and as many again before they go: some three megabytes
  static constexpr std::size_t looks_for_one = 64;  // about a microsecond: what a refused record costs anyway

  // Removes the branches that `may_go` accepts, if a new one could replace them.
  template <class MayGo>
  void remove(run_environment& run, const error_site& whose, MayGo may_go) {
    by_value_.remove_if([&](scope& branch) {
      if (!may_go(branch) || !branch.forget(run)) return false;
      run.trace.removed(whose, branch, ":I*");
      return true;
    });
  }

  branch_table by_value_;
  std::size_t next_look_ = 1;  // the count for the next check; the first check takes account of `most`
  std::size_t refusals_ = 0;   // new values to refuse without a check, after one that found all in use
};

split_entry_entity::split_entry_entity(run_environment& run, std::string path, const label_info* by,
                                       const pattern_list* last, level& inside, std::size_t state_index,
                                       std::size_t ordered_around)
    : entity(run, std::move(path)),
      ordered_around_(ordered_around),
      by_(by),
      inside_(inside),
      state_index_(state_index) {
  if (!last) return;
  last_.emplace(*last);
  inside.ends = this;
}

split_entry_entity::branches& split_entry_entity::branches_in(scope& outer) {
  auto& state = outer.state(state_index_);
  if (!state) state = std::make_unique<branches>();
  return static_cast<branches&>(*state);
}

scope* split_entry_entity::branch_for(scope& outer, std::int64_t value) {
  branches& all = branches_in(outer);
  if (scope* const known = all.find(value)) return known;
  if (!all.has_room(run_, *this, run_.settings.max_branches)) return nullptr;
  scope& made = all.add(outer, inside_, value);
  run_.trace.unfolded(*this, made, ":I*");
  return &made;
}

// The branches of a batch lie anywhere in memory, so those of all records are fetched together.
bool split_entry_entity::prefetch(std::span<record_body* const> batch) {
  const auto with_branches = [&](const auto& use) {
    for (const record_body* const r : batch)
      if (const int slot = r->shape->find(by_->key); slot >= 0)
        use(run_.scope_of(*r).state(state_index_).get(), static_cast<std::int64_t>(r->slots()[slot]));
  };
  bool has_room = true;
  with_branches([&](const entity_state* all, std::int64_t value) {
    if (!all) return;
    static_cast<const branches*>(all)->prefetch(value);
    has_room = has_room && static_cast<const branches*>(all)->count() + batch.size() <= run_.settings.max_branches;
  });
  with_branches([&](const entity_state* all, std::int64_t value) {
    if (all) __builtin_prefetch(static_cast<const branches*>(all)->find(value), 1);
  });
  return has_room;
}

// Together only where no record needs the place of a branch that one before it leaves.
entity* split_entry_entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  if (!prefetch(batch)) return entity::step_all(batch, c);
  std::size_t left = 0;
  for (record_body* r : batch)
    if (step_or_fail(r, c)) batch[left++] = r;
  batch = batch.first(left);
  return next;
}

entity* split_entry_entity::step(record_body*& r, context&) {
  const int slot = r->shape->find(by_->key);
  if (slot < 0) {
    fail(failure_kind::tag_missing, r, "the record lacks the tag " + weir::to_string(*by_) + " that says which branch");
    return nullptr;
  }
  const auto value = static_cast<std::int64_t>(r->slots()[slot]);
  bool ends = false;
  try {
    ends = last_ && last_->matches(*r);
  } catch (const division_by_zero& e) {
    fail(failure_kind::division_by_zero, r,
         "the guard of what ends a branch, " + to_string(*e.guarded) + ", divides by zero");
    return nullptr;
  }
  scope& outer = run_.scope_of(*r);
  scope* const branch = branch_for(outer, value);
  if (!branch) {
    fail(failure_kind::too_many_branches, r,
         "a branch for " + weir::to_string(*by_) + " = " + std::to_string(value) + " would be one more than " +
             std::to_string(run_.settings.max_branches) +
             ", option max_branches, all of which hold or remember records");
    return nullptr;
  }
  branch->hold();
  branch->use();
  r->where = branch;
  if (ends) branches_in(outer).end(value, r->order);
  return next;
}

void split_entry_entity::is_left(scope& ended) noexcept {
  if (!run_.life.is_stopping()) try {
      ended.take_back();
      if (endings::finish_next(ended, ended.ended_by(), ordered_around_)) return ended.give_up();
    } catch (const std::bad_alloc&) {
      run_.out_of_memory();
    }
  endings::leave_behind(ended);
  run_.trace.removed(*this, ended, ":I*");
  ended.destroy_ended();
}

entity* split_exit_entity::step(record_body*& r, context&) {
  scope* const branch = r->where;
  scope* const outer = branch->parent();         // which it holds already
  r->where = outer->parent() ? outer : nullptr;  // outside of all scopes `where` is null
  branch->let_go();
  return next;
}

}  // namespace weir::detail
