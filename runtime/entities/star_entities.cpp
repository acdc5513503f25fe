#include "runtime/entities/star_entities.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <limits>
#include <utility>

#include <weir/record/pool.hpp>
#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

// The stages of a star in one scope, by depth. Null: removed. A split may have one of these for each key, so it is
// small.
class star_entry_entity::stages : public entity_state {
 public:
  static void* operator new(std::size_t) {
    static_assert(sizeof(stages) <= pool::block_size && alignof(stages) <= pool::block_alignment);
    return pool::allocate();
  }
  static void operator delete(void* memory) noexcept { pool::release(memory); }

  ~stages() override {
    for (scope* s : depths_)
      if (s) s->give_up();
  }
  void each_scope(const std::function<void(scope&)>& f) const override {
    for (scope* s : depths_)
      if (s) f(*s);
  }
  bool forget(run_environment& run, const error_site& whose) override;
  std::int64_t first() const { return listed_ + static_cast<std::int64_t>(gone_); }
  std::int64_t end() const { return listed_ + static_cast<std::int64_t>(depths_.size()); }  // one past the deepest
  scope* at(std::int64_t depth) const {
    return depth < listed_ || depth >= end() ? nullptr : depths_[static_cast<std::size_t>(depth - listed_)];
  }
  void add(scope* s) { depths_.push_back(s); }
  void remove(std::int64_t depth) {
    std::exchange(depths_[static_cast<std::size_t>(depth - listed_)], nullptr)->give_up();
    while (gone_ < depths_.size() && !depths_[gone_]) ++gone_;
    if (2 * gone_ < depths_.size()) return;  // so that each is moved once at most
    listed_ += static_cast<std::int64_t>(gone_);
    if (gone_ == depths_.size()) {
      depths_.clear();
      if (depths_.capacity() > few) depths_.shrink_to_fit();
    } else {
      depths_.erase(depths_.begin(), depths_.begin() + static_cast<std::ptrdiff_t>(gone_));
    }
    gone_ = 0;
  }

  // In a chain of cells: no cell at a smaller depth has one of these slots empty.
  std::int64_t& open_for(std::uint32_t mask) {
    for (auto& [of, depth] : open_for_)
      if (of == mask) return depth;
    return open_for_.emplace_back(mask, 1).second;
  }

 private:
  static constexpr std::size_t few = 64;  // places to keep when all are removed

  boost::container::small_vector<scope*, 1> depths_;
  std::size_t gone_ = 0;     // removed at the beginning of the list
  std::int64_t listed_ = 1;  // the depth of the first in the list
  boost::container::small_vector<std::pair<std::uint32_t, std::int64_t>, 2> open_for_;  // few masks occur
};

// All or none, since a stage is found by its depth. A removed stage was spent. If it had only a cell, records pass
// through it to the next stage as they would arrive at a new first one.
bool star_entry_entity::stages::forget(run_environment& run, const error_site& whose) {
  const bool spent_is_new = static_cast<const star_entry_entity&>(whose).only_its_depth_tells();
  bool all = first() == 1 || spent_is_new;
  for (scope* s : depths_) all = (s ? s->forget(run) : spent_is_new) && all;
  if (all)
    for (scope* s : depths_)
      if (s) run.trace.removed(whose, *s, ":R*");
  return all;
}

star_entry_entity::star_entry_entity(run_environment& run, std::string path, const pattern_list& exits, level& inside,
                                     std::size_t state_index)
    : entity(run, std::move(path)), exits_(exits), inside_(inside), state_index_(state_index) {}

void star_entry_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->add_unbounded(*back, *back, run_.settings.max_held);
  if (!chain_cell) return;
  inside_.wake = own_region.get();
  own_region->in().set_gate([this] {
    return chain_cell->held() > own_region->inlet().limit() && inside_.under_way.load(std::memory_order_seq_cst) > 0;
  });
}

star_entry_entity::stages& star_entry_entity::stages_in(scope& outer) {
  auto& state = outer.state(state_index_);
  if (!state) state = std::make_unique<stages>();
  return static_cast<stages&>(*state);
}

entity* star_entry_entity::step(record_body*& r, context& c) { return arrive(r, r->where, 1, left_, entered_, c); }

entity* star_return_entity::step(record_body*& r, context& c) {
  scope* const here = r->where;
  return star_.arrive(r, here->parent(), here->value() + 1, left_, entered_, c);
}

bool star_return_entity::leaves_loop(const record_body& r) const noexcept {
  try {
    return star_.exits_.matches(r);
  } catch (...) {
    return true;  // step() finds the same, and says so
  }
}

// At the entry a record is in the scope around the star, on its return in the scope of the stage it comes from. `outer`
// is the scope around the star, which the record holds in either case; null where that is the whole network.
entity* star_entry_entity::arrive(record_body*& r, scope* outer, std::int64_t depth,
                                  threads::atomic<std::uint64_t>& left, threads::atomic<std::uint64_t>& entered,
                                  const context& c) {
  if (outer && !outer->parent()) outer = nullptr;
  bool leaves = false;
  try {
    leaves = exits_.matches(*r);
  } catch (const division_by_zero& e) {
    place_at(depth).fail(failure_kind::division_by_zero, r,
                         "the guard of the exit " + to_string(*e.guarded) + " divides by zero");
    return nullptr;
  }
  place to{outer};
  if (!leaves) {
    to = stage_for(r, outer, depth);
    if (!to.in) return nullptr;
  }
  if (r->where != outer) r->where->let_go();
  r->where = to.in;
  count_alone(leaves ? left : entered);
  if (leaves) return next;
  return to.mask && body->is_fused_for(c.epoch) ? chain_cell->step_or_fail_with(r, to.mask) : body;
}

// The place of a record that arrives at this depth: still before the star, or in the stage that it comes from.
entity& star_entry_entity::place_at(std::int64_t depth) { return depth == 1 ? static_cast<entity&>(*this) : *back; }

bool star_entry_entity::only_its_depth_tells() const {
  return chain_cell && !chain_rest && run_.settings.max_depth == std::numeric_limits<std::int64_t>::max();
}

star_entry_entity::place star_entry_entity::stage_for(record_body* r, scope* outer, std::int64_t depth) {
  scope& around = outer ? *outer : *run_.outermost;
  stages& all = stages_in(around);
  scope* at = nullptr;
  std::uint32_t mask = 0;
  if (chain_cell && (!chain_rest || chain_rest->passes(r->shape))) {
    try {
      mask = chain_cell->mask(*r);
    } catch (const division_by_zero& e) {
      place_at(depth).fail(failure_kind::division_by_zero, r, chain_cell->why(e));
      return {};
    }
    if (mask == 0) {
      place_at(depth).fail(failure_kind::no_match, r,
                           "it passes through every stage unchanged and would never leave the star");
      return {};
    }
    at = first_that_may_keep(all, depth, mask);
  } else if (depth < all.end()) {
    at = all.at(depth);
    if (!at) {                                                       // it was removed when its cell was spent
      const owned_scope made(scope::make(&around, inside_, depth));  // only this record comes here
      chain_cell->in(*made).spent = true;
      at = made.get();
      at->hold();
      return {at};
    }
  }
  if (!at) {
    if (all.end() > run_.settings.max_depth) {
      scope* const deepest = all.at(all.end() - 1);
      if (deepest && deepest != r->where) {  // it would have come that far
        deepest->hold();
        if (r->where != outer) r->where->let_go();
        r->where = deepest;
      }
      place_at(deepest ? all.end() : depth)
          .fail(failure_kind::too_deep, r,
                "the star would be " + std::to_string(all.end()) + " stages deep, option max_depth is " +
                    std::to_string(run_.settings.max_depth));
      return {};
    }
    owned_scope made(scope::make(&around, inside_, all.end()));
    all.add(made.get());
    at = made.release();
    run_.trace.unfolded(*this, *at, ":R*");
  }
  at->hold();
  return {at, mask};
}

// The first stage at this depth or deeper whose cell has one of these slots empty; null when there is none yet.
scope* star_entry_entity::first_that_may_keep(stages& all, std::int64_t depth, std::uint32_t mask) {
  std::int64_t& known = all.open_for(mask);
  std::int64_t at = std::max({depth, known, all.first()});
  const bool contiguous = depth <= std::max(known, all.first());  // what was skipped is known to be full or gone
  for (; at < all.end(); ++at) {
    scope* const s = all.at(at);
    if (!s) continue;
    const cell* c = chain_cell->peek(*s);
    if (!c || (mask & ~c->filled)) break;
  }
  if (contiguous) known = std::max(known, at);
  return all.at(at);
}

void star_entry_entity::spent(scope& depth) {
  scope& around = *depth.parent();
  run_.trace.removed(*this, depth, ":R*");
  stages_in(around).remove(depth.value());
}

// ---- the network's numbers ----

std::uint64_t star_entry_entity::sent_to(const entity& to, std::uint64_t) const {
  return (&to == body ? entered_ : left_).load(std::memory_order_relaxed);
}

std::uint64_t star_return_entity::sent_to(const entity& to, std::uint64_t) const {
  return (&to == star_.body ? entered_ : left_).load(std::memory_order_relaxed);
}

std::uint64_t star_entry_entity::entered() const {
  return left_.load(std::memory_order_relaxed) + entered_.load(std::memory_order_relaxed);
}

flow_count star_entry_entity::passed_to(const entity& to) const {
  return {sent_to(to, 0) + back->sent_to(to, 0), entered()};
}

flow_count star_entry_entity::passed_once_to(const entity& to) const {
  return {sent_to(to, 0), entered(), &to == body ? 1.0 : 0.0};
}

flow_count star_return_entity::passed_once_to(const entity& to) const {
  if (&to != next) return {0, 0, 0};
  return {left_.load(std::memory_order_relaxed), star_.entered()};
}

}  // namespace weir::detail
