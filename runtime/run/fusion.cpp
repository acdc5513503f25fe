#include "runtime/run/fusion.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace weir::detail {

void fusion::apply(const std::vector<bool>& fused) {
  const bool any_cut = std::any_of(entities_.begin(), entities_.end(), [&](const auto& s) {
    return !s->entered_with && s->is_fused() && !fused[s->index];
  });
  const std::vector<entity_list> was_in = any_cut ? heads() : std::vector<entity_list>{};
  const std::uint64_t epoch = run_.placing.now() + 1;
  to_fuse_.clear();
  decided_ = 0;
  decided_heads_.assign(entities_.size(), nullptr);
  for (const auto& owned : entities_) {
    entity& s = *owned;
    if (s.entered_with) continue;
    if (s.own_region) s.own_region->expect_other_work();
    if (!fused[s.index]) {
      s.own_region->in().open();
      if (s.is_fused()) cut_off(s, was_in[s.index], epoch);
    } else if (!run_.life.has_begun()) {
      s.fuse();  // nothing runs yet
    } else if (!s.is_fused()) {
      to_fuse_.push_back(&s);
    }
  }
  find_narrowest();
  set_limits(limits::narrower);  // an entity that heads a region again, and had more lanes before
  run_.placing.set(epoch);
  for (region* r : std::exchange(held_, {})) r->release();
  run_.placing.set_incomplete(!to_fuse_.empty());
  set_limits(limits::all);
}

void fusion::cut_off(entity& s, const entity_list& was_in, std::uint64_t epoch) {
  for (entity* head : *was_in)
    if (std::find(cut_from_.begin(), cut_from_.end(), head->own_region.get()) == cut_from_.end())
      cut_from_.push_back(head->own_region.get());
  s.cut_off(epoch);
}

std::vector<fusion::entity_list> fusion::heads() const {
  std::vector<entity_list> of(entities_.size());
  for (const auto& s : entities_) of[s->index] = heads_of(*s, of);
  return of;
}

// Derived from the heads of the entities before it.
fusion::entity_list fusion::heads_of(entity& s, const std::vector<entity_list>& of) const {
  if (s.entered_with) return of[s.entered_with->index];
  return s.is_fused() ? heads_before(s, of) : std::make_shared<const std::vector<entity*>>(1, &s);
}

// Long chains share one list.
fusion::entity_list fusion::heads_before(const entity& s, const std::vector<entity_list>& of) const {
  entity_list all;
  for (const entity* p : s.previous) {
    if (p->entered_with) p = p->entered_with;
    if (p->index >= s.index) continue;
    const entity_list& one = of[p->index];
    if (!all || one == all) {
      all = one;
      continue;
    }
    std::vector<entity*> both;
    std::set_union(all->begin(), all->end(), one->begin(), one->end(), std::back_inserter(both),
                   [](const entity* a, const entity* b) { return a->index < b->index; });
    all = std::make_shared<const std::vector<entity*>>(std::move(both));
  }
  return all ? all : std::make_shared<const std::vector<entity*>>();
}

void fusion::find_narrowest() {
  const auto of = heads();
  narrowest_.assign(entities_.size(), std::numeric_limits<int>::max());
  for (const auto& s : entities_)
    for (const entity* head : *of[s->index])
      narrowest_[head->index] =
          std::min(narrowest_[head->index], s->is_fused() ? s->max_width_inline() : s->max_width());
}

// Sets the lanes of each region: those of its head, but no more than any entity fused to it allows. One store for each:
// a worker must never see a wider limit in between. Wider limits come after the epoch in which narrower entities are
// cut off, narrower limits before.
void fusion::set_limits(limits which) {
  for (const auto& s : entities_)
    if (!s->entered_with && !s->is_fused()) {
      const int lanes = std::min(width_(*s), narrowest_[s->index]);
      if (which == limits::all || lanes < s->own_region->limit()) s->own_region->set_limit(lanes);
    }
}

bool fusion::is_held_and_quiet(region& r, std::vector<region*>& keep) {
  if (std::find(held_.begin(), held_.end(), &r) == held_.end()) {
    r.hold();
    held_.push_back(&r);
  }
  keep.push_back(&r);
  return r.is_quiet();
}

void fusion::complete() {
  std::vector<region*> keep;
  while (!to_fuse_.empty() && !cut_from_.empty() && is_held_and_quiet(*cut_from_.back(), keep)) {
    cut_from_.pop_back();
    keep.clear();
  }
  const bool may_fuse = cut_from_.empty();
  for (; may_fuse && !to_fuse_.empty(); ++decided_) {
    entity& s = *entities_[decided_];
    if (&s == to_fuse_.front()) {
      const entity_list before = heads_before(s, decided_heads_);
      keep.clear();
      const bool quiet = std::all_of(before->begin(), before->end(),
                                     [&](entity* head) { return is_held_and_quiet(*head->own_region, keep); });
      // pending() is read first: a record that is taken between the two calls makes the region busy.
      if (!quiet || s.own_region->pending() > 0 || !s.own_region->is_quiet()) break;
      fuse_next(s, before);
      if (to_fuse_.empty()) keep.clear();
    }
    decided_heads_[s.index] = heads_of(s, decided_heads_);
  }
  std::vector<region*> released;
  for (region* r : held_)
    if (std::find(keep.begin(), keep.end(), r) == keep.end()) released.push_back(r);
  held_ = std::move(keep);
  run_.placing.set_incomplete(!to_fuse_.empty());
  for (region* r : released) r->release();
}

void fusion::fuse_next(entity& s, const entity_list& before) {
  s.fuse();
  to_fuse_.pop_front();
  for (entity* head : *before) {
    int& narrowest = narrowest_[head->index];
    narrowest = std::min({narrowest, narrowest_[s.index], s.max_width_inline()});
    head->own_region->set_limit(std::min(width_(*head), narrowest));
    head->own_region->expect_other_work();
  }
}

}  // namespace weir::detail
