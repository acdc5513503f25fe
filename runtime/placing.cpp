#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/run_state.hpp"
#include "scheduler/queueing.hpp"

// An allotment becomes seats on cores, homes for regions, and wishes of what runs fused to what.
namespace weir::detail {

namespace {

// Emitting boxes that are fused nest their calls: this many at most, so that the stack stays small however long the
// chain is.
constexpr int deepest_nesting = 64;

}  // namespace

int run_state::width_limit(const component_state& c) const {
  if (!has_threads()) return 1;
  if (c.is_blocking()) return c.spec->max_width;
  const share& given = in_force_.components[c.index];
  const int lanes = given.cores.empty() ? std::min(shared_->seat_count(), c.spec->max_cores) : given.width;
  return std::max(1, std::min(lanes, c.spec->max_width));
}

int run_state::width_limit(const stage& s) const {
  if (const auto* box = dynamic_cast<const box_stage*>(&s)) return width_limit(box->component);
  return has_threads() ? std::max(1, std::min(shared_->seat_count(), s.max_width())) : 1;
}

void run_state::apply(const allotment& a) {
  constexpr double own_turn = 500e-6;  // where others want an owner's core, too: each turn costs two wake-ups
  const lock_guard lock(placing_);
  allotment next = a;
  const allotment before = std::exchange(in_force_, std::move(next));
  const auto of = [](const allotment& x, std::size_t i) { return i < x.components.size() ? x.components[i] : share{}; };
  in_force_since_.store(now() - started_at_);
  {
    const lock_guard learning(learning_);
    for (auto& c : components_) c->learnt->moved(in_force_since_.load());
  }

  // Seats that go are given up before those that come are waited for; the ledger sees to the order between threads.
  std::vector<core_set> shared_lanes;
  for (const int core : a.shared) shared_lanes.push_back(core_set{core});
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const share now_has = a.components[i];
    const bool changed = before.components.empty() || !(of(before, i) == now_has) ||
                         (now_has.is_member() && !(before.shared == a.shared));
    if (changed) components_[i]->moves.fetch_add(1, std::memory_order_relaxed);
    if (!now_has.cores.empty() && !owners_[i]) {
      owners_[i] = std::make_unique<group>(*this, components_[i]->spec->name, components_[i]->spec->code->takes_grant);
      owners_[i]->set_turn(own_turn);
    }
    if (changed && traces())
      trace([&]() -> trace_event {
        return {trace_kind::move,
                in_force_since_.load(),
                0,
                -1,
                now_has.cores.size(),
                now_has.width,
                0,
                components_[i]->spec->name,
                "",
                now_has.outside       ? "outside the cores"
                : now_has.is_member() ? "shared group"
                                      : "cores " + to_string(now_has.cores)};
      });
    if (owners_[i] && !components_[i]->is_blocking())
      owners_[i]->set_seats(now_has.cores.empty() ? std::vector<core_set>{} : now_has.cores.slices(now_has.width),
                            a.shared);
  }
  shared_->set_seats(shared_lanes, {});
  place();
}

namespace {

// Where a stage would run, by the plan that is being made.
struct planned {
  const stage* head = nullptr;  // of its region; null: of several
  bool shared = false;          // the shared group runs it
  int limit = 1;                // lanes of the region
  int nesting = 0;              // emitting boxes, one within the other, up to here
  bool starts = false;          // an initialiser is among those that run it
  bool outside = false;         // so is a box that waits, on threads outside the cores
};

}  // namespace

// Under placing_. From the beginning of the stream to its end, since a stage looks at the regions that would be before
// it. What has no cores of its own and is short, or would be run by the same threads anyway, is fused; entities other
// than boxes cost next to nothing and are fused where their state allows it. A stage is fused to several regions at
// once only if any number may run it, or its invocations take turns. To an initialiser only what is short is fused: it
// is about to emit the next; and no box at all when together they would keep its thread, which is the only one, busy.
// To a box that waits outside the cores nothing is fused.
void run_state::place() {
  std::vector<planned> plan(stages_.size());
  const auto was_in = heads();
  const std::uint64_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
  shared_->set_brief(false);  // until tune() has seen what its regions do now
  to_fuse_.clear();
  settled_ = 0;
  settled_heads_.assign(stages_.size(), nullptr);
  for (auto& owned : stages_) {
    stage& s = *owned;
    planned& here = plan[s.index];
    if (s.entered_with) {
      here = plan[s.entered_with->index];
      here.nesting = 0;
      continue;
    }
    planned before;
    bool any = false;
    for (const stage* p : s.previous) {
      if (p->entered_with) p = p->entered_with;
      if (p->index >= s.index) continue;
      const planned& one = plan[p->index];
      if (!any) {
        before = one;
      } else {
        if (before.head != one.head) before.head = nullptr;
        before.shared = before.shared && one.shared;
        before.limit = std::max(before.limit, one.limit);
        before.nesting = std::max(before.nesting, one.nesting);
        before.starts = before.starts || one.starts;
        before.outside = before.outside || one.outside;
      }
      any = true;
    }
    auto* const box = dynamic_cast<box_stage*>(&s);
    const bool waits = box && box->component.is_blocking();
    const bool owner = waits || (box && !in_force_.components[box->component.index].cores.empty());
    const int limit = width_limit(s);
    bool cheap = !box;
    if (box) {
      component_state& c = box->component;
      const bool is_short = c.is_short.load(std::memory_order_relaxed);
      c.is_sampled.store((is_short || c.is_quick.load(std::memory_order_relaxed)) && !owner, std::memory_order_relaxed);
      cheap = is_short && !(before.starts && spares_sources_);
    }
    // A region runs a record through all its stages at the width of the narrowest: fusing must narrow neither the
    // region, nor - unless it is cheap - the stage.
    const int widest = s.max_width();
    const bool any_number = widest == std::numeric_limits<int>::max();
    const bool any_place = any_number || (box && box->component.has_turns());
    const bool fuse = any && !s.is_always_head() && !owner && !before.outside &&
                      (cheap || (before.shared && !before.starts)) &&
                      (before.head ? widest >= before.limit : any_place && cheap) && (limit <= before.limit || cheap) &&
                      before.nesting + s.emits() <= deepest_nesting;
    here = fuse ? before : planned{&s, !owner, limit, 0};
    here.nesting += s.emits();
    here.outside = here.outside || waits;
    s.own_region->let_senders_in(false);  // until tune() has seen what it does now, as the next
    s.own_region->time_one_in(1);
    here.starts = here.starts || (box && box->component.spec->initialiser);
    // Also the inlet of a fused stage has a home: what is left in it when it is to be fused must still be run.
    group::move(*s.own_region, owner ? *owners_[box->component.index] : *shared_);
    const bool is_fused = s.is_fused();
    if (!fuse) {
      s.own_region->inlet().open();
      if (!is_fused) continue;
      for (stage* head : *was_in[s.index])
        if (std::find(cut_from_.begin(), cut_from_.end(), head->own_region.get()) == cut_from_.end())
          cut_from_.push_back(head->own_region.get());
      s.cut_off(epoch);
    } else if (!started_.load()) {
      s.fuse();  // nothing runs yet
    } else if (!is_fused) {
      to_fuse_.push_back(&s);
    }
  }
  epoch_.store(epoch, std::memory_order_release);
  for (region* r : std::exchange(held_, {})) r->release();
  unsettled_.store(!to_fuse_.empty(), std::memory_order_relaxed);
  set_limits();
  for (auto& s : stages_)
    if (s->own_region && s->own_region->kept() > 0)
      s->own_region->call_worker_from_outside();  // a limit may have grown
}

// The heads of the regions that run each stage now.
std::vector<run_state::head_list> run_state::heads() const {
  std::vector<head_list> of(stages_.size());
  for (const auto& s : stages_) of[s->index] = heads_of(*s, of);
  return of;
}

// From those of the stages before it.
run_state::head_list run_state::heads_of(stage& s, const std::vector<head_list>& of) const {
  if (s.entered_with) return of[s.entered_with->index];
  return s.is_fused() ? heads_before(s, of) : std::make_shared<const std::vector<stage*>>(1, &s);
}

// In the order of the stream. Long chains share one list.
run_state::head_list run_state::heads_before(const stage& s, const std::vector<head_list>& of) const {
  head_list all;
  for (const stage* p : s.previous) {
    if (p->entered_with) p = p->entered_with;
    if (p->index >= s.index) continue;
    const head_list& one = of[p->index];
    if (!all || one == all) {
      all = one;
      continue;
    }
    std::vector<stage*> both;
    std::set_union(all->begin(), all->end(), one->begin(), one->end(), std::back_inserter(both),
                   [](const stage* a, const stage* b) { return a->index < b->index; });
    all = std::make_shared<const std::vector<stage*>>(std::move(both));
  }
  return all ? all : std::make_shared<const std::vector<stage*>>();
}

// Batches so long that a hand-over is cheap beside them and so short that nobody waits for one; streams so long that
// their reader does not run dry while a writer is woken, and that few records find no room at the load which the models
// expect (scheduler/queueing.hpp), and no longer: what waits costs memory and latency. A new grant waits for the end of
// a batch: on cores of its own a component is given little at once.
void run_state::tune() {
  constexpr double wake_up = 10e-6;        // more where the core sleeps, too
  constexpr double batch_seconds = 50e-6;  // some of these
  constexpr double longest_batch_seconds = 500e-6;
  constexpr double own_batch_seconds = 20e-6;
  constexpr double stream_seconds = 1e-3;   // many wake-ups, even on a busy machine
  constexpr double between_samples = 1e-3;  // 1000 a second, where that is more than one in 63
  constexpr std::size_t least = 4;          // one in work, one taken, two to choose from
  const lock_guard lock(placing_);
  const auto of = heads();
  // On an owner's core the group runs, between two of the owner's invocations, for as long as one of them takes: what
  // it does for a record is several activations.
  const int host = in_force_.shared_host();
  shared_->set_turn(host < 0 ? 0
                             : components_[static_cast<std::size_t>(host)]->mean_hint.load(std::memory_order_relaxed));
  const std::vector<double>& records = traffic_->visits();
  std::vector<double> seconds(stages_.size(), 0);  // by head: for each record that enters
  std::vector<bool> known(stages_.size(), true), suits_senders(stages_.size(), true), all_short(stages_.size(), true);
  const std::vector<double> load = loads(of, utilisation_);
  for (const box_stage* box : boxes_)
    for (const stage* head : *of[box->index]) {
      const double mean = box->component.mean_hint.load(std::memory_order_relaxed);
      const double enter = records[head->index];
      known[head->index] = known[head->index] && mean > 0;
      suits_senders[head->index] = suits_senders[head->index] && box->suits_a_sender();
      const bool is_one = box->component.spec->initialiser;  // what is fused to one is short
      all_short[head->index] =
          all_short[head->index] && (is_one || box->component.is_short.load(std::memory_order_relaxed));
      seconds[head->index] += mean * (enter > 0 ? std::min(records[box->index] / enter, 1e6) : 1);
    }
  double of_a_record = 0;  // seconds of the shared group for each that enters the network
  bool known_to_its_end = true;
  for (const auto& s : stages_) {
    if (s->is_fused() || !s->own_region) continue;
    region& r = *s->own_region;
    const bool is_shared = r.home.load() == shared_.get();
    const auto* const box = dynamic_cast<const box_stage*>(s.get());
    const bool waits = box && box->component.is_blocking();
    if (is_shared) {
      known_to_its_end = known_to_its_end && known[s->index] && suits_senders[s->index];
      of_a_record += records[s->index] * seconds[s->index];
    }
    const auto fits = [&](double budget, std::size_t most) {
      if (!known[s->index]) return std::size_t{1};
      const double all = static_cast<double>(most);
      return static_cast<std::size_t>(seconds[s->index] > 0 ? std::clamp(budget / seconds[s->index], 1.0, all) : all);
    };
    r.time_one_in(all_short[s->index]
                      ? region::seldom
                      : static_cast<std::uint32_t>(fits(between_samples * r.limit(), region::seldom - 1)));
    r.let_senders_in(known[s->index] && seconds[s->index] <= wake_up && suits_senders[s->index]);
    r.set_batch(waits ? 1 : fits(batch_seconds, region::largest_batch),
                waits ? 1 : fits(is_shared ? longest_batch_seconds : own_batch_seconds, region::largest_batch));
    if (r.limit() > 1) r.call_worker_from_outside();  // with smaller batches another lane may have something to do
    if (options_.capacity == 0) {
      const auto lanes = static_cast<std::size_t>(r.limit());
      r.set_capacity(std::max({fits(stream_seconds * static_cast<double>(lanes), r.inlet().physical()), least,
                               2 * lanes + 2, std::isnan(load[s->index]) ? 1 : places_for(load[s->index])}));
    }
  }
  shared_->set_brief(known_to_its_end && of_a_record <= wake_up);
}

std::vector<double> run_state::loads(const std::vector<head_list>& of, const std::vector<double>& utilisation) const {
  std::vector<double> load(stages_.size(), std::numeric_limits<double>::quiet_NaN());
  for (const box_stage* box : boxes_)
    for (const stage* head : *of[box->index])
      if (box->component.index < utilisation.size())
        load[head->index] = std::fmax(load[head->index], utilisation[box->component.index]);
  return load;
}

std::size_t run_state::places_for(double load) {
  // Of records that come at random to a busy component, one in twenty finds no room; at full load that takes 19 places.
  constexpr double turned_away = 0.05;
  constexpr std::size_t most = 64;
  return queue_capacity(std::min(load, 1.0), turned_away, 1, most);
}

// Lanes of each region as it is now: of its head, and no more than any stage that is fused to it allows.
void run_state::set_limits() {
  const auto of = heads();
  narrowest_.assign(stages_.size(), std::numeric_limits<int>::max());
  for (const auto& s : stages_)
    for (const stage* head : *of[s->index]) narrowest_[head->index] = std::min(narrowest_[head->index], s->max_width());
  for (const auto& s : stages_)
    if (!s->entered_with && !s->is_fused()) set_limit(*s);
}

// Once for each: a worker must never see a wider limit in between.
void run_state::set_limit(stage& head) {
  head.own_region->set_limit(std::min(width_limit(head), narrowest_[head.index]));
}

// Fuses what is to be fused, one stage after the other, each when that overtakes nothing: the regions that lead to it
// are held, from the first on, and quiet, and its own has run empty. Before the first, each region from which something
// was cut off must have been quiet once: until then it may have records that went through what was cut off and are on
// their way to what is behind that. Called by whoever may have made a region quiet, and goes on where it stopped.
void run_state::settle() noexcept {
  try {
    try_to_settle();
  } catch (const std::bad_alloc&) {
    out_of_memory();
  }
}

void run_state::try_to_settle() {
  const lock_guard lock(placing_);
  std::vector<region*> keep;
  const auto is_held_and_quiet = [&](region& r) {
    if (std::find(held_.begin(), held_.end(), &r) == held_.end()) {
      r.hold();
      held_.push_back(&r);
    }
    keep.push_back(&r);
    return r.is_quiet();
  };
  while (!to_fuse_.empty() && !cut_from_.empty() && is_held_and_quiet(*cut_from_.back())) {
    cut_from_.pop_back();
    keep.clear();
  }
  const bool may_fuse = cut_from_.empty();
  for (; may_fuse && !to_fuse_.empty(); ++settled_) {
    stage& s = *stages_[settled_];
    if (&s == to_fuse_.front()) {
      const head_list before = heads_before(s, settled_heads_);
      keep.clear();
      const bool quiet = std::all_of(before->begin(), before->end(),
                                     [&](stage* head) { return is_held_and_quiet(*head->own_region); });
      // The inlet first: a record that is taken between the two looks makes the region busy.
      if (!quiet || s.own_region->inlet().size() > 0 || !s.own_region->is_quiet()) break;
      s.fuse();
      to_fuse_.pop_front();
      for (stage* head : *before) {
        narrowest_[head->index] = std::min(narrowest_[head->index], narrowest_[s.index]);
        set_limit(*head);
        head->own_region->let_senders_in(false);  // until tune() has seen what it does now, as the next
        head->own_region->time_one_in(1);
      }
      if (to_fuse_.empty()) keep.clear();
    }
    settled_heads_[s.index] = heads_of(s, settled_heads_);
  }
  std::vector<region*> released;
  for (region* r : held_)
    if (std::find(keep.begin(), keep.end(), r) == keep.end()) released.push_back(r);
  held_ = std::move(keep);
  unsettled_.store(!to_fuse_.empty(), std::memory_order_relaxed);
  for (region* r : released) r->release();
}

}  // namespace weir::detail
