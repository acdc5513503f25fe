#include <algorithm>

#include "runtime/run_state.hpp"

// An allotment becomes seats on cores, homes for regions, and wishes of what runs fused to what.
namespace weir::detail {

namespace {

// Emitting boxes that are fused nest their calls: this many at most, so that the stack stays small however long the
// chain is.
constexpr int deepest_nesting = 64;

}  // namespace

int run_state::width_limit(const component_state& c) const {
  if (!has_threads()) return 1;
  const int own =
      in_force_.components[c.index].cores.empty() ? shared_->seat_count() : in_force_.components[c.index].width;
  return std::max(1, std::min(own, c.spec->max_width));
}

region& run_state::region_of(stage& s) {
  stage* head = &s;
  while (head->fused) head = head->previous;
  return static_cast<box_stage*>(head)->own_region;
}

void run_state::apply(const allotment& a) {
  const std::lock_guard lock(placing_);
  const allotment before = std::exchange(in_force_, a);
  const auto of = [](const allotment& x, std::size_t i) { return i < x.components.size() ? x.components[i] : share{}; };
  in_force_since_.store(now() - started_at_);

  // Seats that go are given up before those that come are waited for; the ledger sees to the order between threads.
  std::vector<core_set> shared_lanes;
  for (const int core : a.shared) shared_lanes.push_back(core_set{core});
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const share now_has = a.components[i];
    const bool changed = before.components.empty() || !(of(before, i) == now_has) ||
                         (now_has.cores.empty() && !(before.shared == a.shared));
    if (changed) components_[i]->moves.fetch_add(1, std::memory_order_relaxed);
    if (!now_has.cores.empty() && !owners_[i])
      owners_[i] = std::make_unique<group>(*this, components_[i]->spec->name, components_[i]->spec->takes_grant);
    if (owners_[i])
      owners_[i]->set_seats(now_has.cores.empty() ? std::vector<core_set>{} : now_has.cores.slices(now_has.width));
  }
  shared_->set_seats(shared_lanes);
  place();
}

// Under placing_.
void run_state::place() {
  // The plan: which stages head a region, from left to right; a stage looks at the region that would be before it.
  std::vector<wish> cuts, fusions;
  bool before_shared = false;
  int before_limit = 1, nesting = 0;
  for (auto& s : stages_) {
    component_state& c = s->component;
    const bool owner = !in_force_.components[c.index].cores.empty();
    const int limit = width_limit(c);
    const bool is_short = c.is_short.load(std::memory_order_relaxed);
    c.is_sampled.store(is_short && !owner, std::memory_order_relaxed);
    const bool emits = !c.spec->returns_one;
    // A region runs a record through all its boxes at the width of the narrowest: fusing must narrow neither the
    // region, nor - unless it is short - the box.
    const bool same_home = before_shared || is_short;
    const bool fuse = s->previous && !owner && same_home && c.spec->max_width >= before_limit &&
                      (limit <= before_limit || is_short) && nesting + emits <= deepest_nesting;
    // Also the inlet of a fused stage has a home: what is left in it when the wish is made must still be run.
    group::move(s->own_region, owner ? *owners_[c.index] : *shared_);
    if (!fuse) {
      before_shared = !owner;
      before_limit = limit;
      nesting = 0;
    }
    nesting += emits;
    if (fuse != s->fused) (fuse ? fusions : cuts).push_back({s.get(), fuse});
  }
  wishes_ = std::move(cuts);  // cuts first: they make room for cores, fusions only save hand-overs
  wishes_.insert(wishes_.end(), fusions.begin(), fusions.end());
  for (region* r : held_)
    if (wishes_.empty() || r != &region_of(*wishes_.front().at->previous)) r->release();
  held_.clear();
  unsettled_.store(!wishes_.empty(), std::memory_order_relaxed);
  set_limits();
  for (auto& s : stages_)
    if (s->own_region.inlet().size() > 0) s->own_region.call_worker();  // a limit may have grown
}

// Batches so long that a hand-over is cheap beside them and so short that nobody waits for one; streams so long that
// their reader does not run dry while a writer is woken, and no longer: what waits costs memory and latency.
void run_state::tune() {
  constexpr double batch_seconds = 50e-6;  // ten wake-ups
  constexpr double stream_seconds = 1e-3;  // many wake-ups, even on a busy machine
  constexpr std::size_t least = 4;         // one in work, one taken, two to choose from
  const std::lock_guard lock(placing_);
  for (std::size_t i = 0; i < stages_.size();) {
    region& r = stages_[i]->own_region;
    double seconds = 0;
    bool known = true;
    std::size_t last = i;
    do {
      const double mean = stages_[last]->component.mean_hint.load(std::memory_order_relaxed);
      known = known && mean > 0;
      seconds += mean;
    } while (++last < stages_.size() && stages_[last]->fused);
    i = last;
    const auto fits = [&](double budget, std::size_t most) {
      return known ? static_cast<std::size_t>(std::clamp(budget / seconds, 1.0, static_cast<double>(most))) : 1;
    };
    r.set_batch(fits(batch_seconds, region::largest_batch));
    if (options_.capacity == 0) {
      const auto lanes = static_cast<std::size_t>(r.limit());
      r.inlet().set_limit(
          std::max({fits(stream_seconds * static_cast<double>(lanes), r.inlet().physical()), least, 2 * lanes + 2}));
      if (r.has_room()) r.room.ring();
    }
  }
}

// Lanes of each region as it is now: of its first box, and no more than any that is still fused to it allows.
void run_state::set_limits() {
  for (std::size_t i = 0; i < stages_.size();) {
    region& head = stages_[i]->own_region;
    int limit = width_limit(stages_[i]->component);
    while (++i < stages_.size() && stages_[i]->fused) limit = std::min(limit, stages_[i]->component.spec->max_width);
    head.set_limit(limit);  // once: a worker must never see a wider one in between
  }
}

// Makes the wished changes one after the other, each when the regions it touches are quiet: the one that the stage is,
// or becomes, part of is held meanwhile, and for a fusion the stage's own inlet runs empty. Called by whoever may have
// made a region quiet.
void run_state::settle() {
  const std::lock_guard lock(placing_);
  std::size_t done = 0;
  region* before = nullptr;
  const stage* last = nullptr;
  for (; done < wishes_.size(); ++done) {
    const wish& w = wishes_[done];
    // Neighbours often change together, and long chains must not be walked once a stage.
    if (w.at->previous != last || !before) before = &region_of(*w.at->previous);
    if (std::find(held_.begin(), held_.end(), before) == held_.end()) {
      before->hold();
      held_.push_back(before);
    }
    if (!before->is_quiet()) break;
    // The inlet first: a record that is taken between the two looks makes the region busy.
    if (w.fused && (w.at->own_region.inlet().size() > 0 || !w.at->own_region.is_quiet())) break;
    w.at->fused = w.fused;
    last = w.at;
    if (!w.fused) before = &w.at->own_region;
  }
  wishes_.erase(wishes_.begin(), wishes_.begin() + static_cast<std::ptrdiff_t>(done));
  if (done > 0) set_limits();
  region* const still = wishes_.empty() ? nullptr : &region_of(*wishes_.front().at->previous);
  for (region* r : held_)
    if (r != still) r->release();
  held_.clear();
  if (still) held_.push_back(still);
  unsettled_.store(!wishes_.empty(), std::memory_order_relaxed);
}

}  // namespace weir::detail
