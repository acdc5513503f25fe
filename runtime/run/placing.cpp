#include "runtime/run/placing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "scheduler/expect/group_share.hpp"

namespace weir::detail {
namespace {

// Records that a box whose threads hold no cores may have in work and waiting for them.
int most_outside(const component_state& c) { return c.on_device ? c.on_device->most_in_flight() : c.spec->max_width; }

// The lanes that a member of the shared group takes of its cores.
std::vector<core_set> own_lanes(const component_state& c, std::vector<core_set> shared) {
  shared.resize(
      std::min({shared.size(), static_cast<std::size_t>(c.spec->max_cores), static_cast<std::size_t>(c.widest)}));
  return shared;
}

// Seconds by which a timed invocation of a short box takes longer than others.
constexpr double timing_itself = 30e-9;

bool heads_region(const entity& s) { return !s.is_fused() && s.own_region; }

}  // namespace

placing::placing(run_environment& run, unfolded& net, const options& o, bool sizes_streams)
    : run_(run),
      net_(net),
      sizes_streams_(sizes_streams),
      devices_(run, net.components, o),
      shared_(std::make_unique<group>(run, "the shared group", true)),
      owners_(net.components.size()),
      fusion_(run, net.entities, [this](const entity& s) { return width_of(s); }) {
  for (const auto& c : net_.components)
    if (c->runs_outside()) {
      owners_[c->index] = std::make_unique<group>(run, c->spec->name, c->on_device && c->spec->code->takes_grant);
      owners_[c->index]->set_leases_outside(most_outside(*c));
    }
}

// The group of an initialiser with a core of its own; null: there is none. With several a box behind it would get them.
group* placing::source_owner() const {
  for (const auto& c : net_.components)
    if (c->spec->initialiser && in_force_.components[c->index].cores.size() == 1) return owners_[c->index].get();
  return nullptr;
}

group& placing::home() const {
  group* const source = has_one_lane_ ? source_owner() : nullptr;
  return source ? *source : *shared_;
}

int placing::width_of(const component_state& c) const {
  if (!run_.platform.has_threads()) return 1;
  if (c.on_device) return c.on_device->in_flight();
  if (c.is_blocking()) return most_outside(c);
  const int lanes =
      has_own_cores(c) ? in_force_.components[c.index].width : std::min(shared_lanes(), c.spec->max_cores);
  return std::max(1, std::min(lanes, c.widest));
}

int placing::width_of(const entity& s) const {
  if (const box_entity* const box = net_.box_at[s.index]) {
    const component_state& c = box->component;
    if (c.spec->initialiser) return 1;  // it runs once
    if (c.spec->is_fold() && c.paced.is_inlined() && dynamic_cast<const fold_entity*>(box))
      return 1;  // waiting for each other costs more
    return width_of(c);
  }
  return run_.platform.has_threads() ? std::max(1, std::min(shared_lanes(), s.max_width())) : 1;
}

void placing::apply(const allotment* next, const std::vector<double>& visits, const plan_choice& choice) {
  const lock_guard lock(mutex_);
  if (next) {
    allotment given = *next;
    const allotment before = std::exchange(in_force_, std::move(given));
    since_.store(run_.life.since_start());
    has_one_lane_ = choice.one_lane;
    set_leases(before);
  } else if (std::exchange(has_one_lane_, choice.one_lane) != has_one_lane_) {
    set_shared_leases();
  }
  place(visits, choice);
}

// Leases that go are revoked before threads wait for the new ones; the ledger keeps the order between threads.
void placing::set_leases(const allotment& before) {
  constexpr double own_slice = 500e-6;     // where others want an owner's core, too: each hand-over costs two wake-ups
  shared_->set_divides_idle_cores(false);  // until its leases are those of this allotment
  std::vector<core_set> shared_lanes;
  for (const int core : in_force_.shared) shared_lanes.push_back(core_set{core});
  for (const auto& c : net_.components) {
    const share now_has = in_force_.components[c->index];
    const bool changed = before.components.empty() || !(before.components[c->index] == now_has) ||
                         (now_has.is_member() && !(before.shared == in_force_.shared));
    auto& owner = owners_[c->index];
    if (changed) c->moves.fetch_add(1, std::memory_order_relaxed);
    if (!now_has.cores.empty() && !owner) {
      owner = std::make_unique<group>(run_, c->spec->name, c->spec->code->takes_grant);
      owner->set_time_slice(own_slice);
    }
    if (changed && run_.trace.is_on()) trace_move(*c);
    if (c->on_device)
      c->on_device->set_lanes(now_has.cores.empty() ? own_lanes(*c, shared_lanes) : now_has.cores.slices(now_has.width),
                              in_force_.shared);
    else if (owner && !c->is_blocking())
      owner->set_leases(now_has.cores.empty() ? std::vector<core_set>{} : now_has.cores.slices(now_has.width),
                        in_force_.shared);
  }
  set_shared_leases();
}

void placing::set_shared_leases() {
  shared_->set_divides_idle_cores(false);  // until its leases are those of this allotment
  std::vector<core_set> lanes;
  for (const int core : in_force_.shared)
    if (lanes.empty() || !has_one_lane_ || source_owner()) lanes.push_back(core_set{core});
  shared_->set_leases(lanes, {});
  shared_->set_divides_idle_cores(!has_one_lane_ && divides_idle_cores(in_force_));
}

void placing::trace_move(const component_state& c) const {
  const share& has = in_force_.components[c.index];
  run_.trace.add([&]() -> trace_event {
    return {.kind = trace_kind::move,
            .start = since_.load(),
            .cores = has.cores.size(),
            .width = has.width,
            .entity = c.spec->name,
            .path = "",
            .detail = has.outside       ? "outside the cores"
                      : has.is_member() ? "shared group"
                                        : "cores " + to_string(has.cores)};
  });
}

std::vector<entity_facts> placing::facts(const std::vector<double>& visits) const {
  std::vector<entity_facts> all(net_.entities.size());
  for (const auto& s : net_.entities) {
    entity_facts& f = all[s->index];
    if (s->entered_with) f.entered_with = s->entered_with->index;
    for (const entity* p : s->previous) {
      if (p->entered_with) p = p->entered_with;
      if (p->index < s->index) f.before.push_back(p->index);
    }
    f.records = visits[s->index];
    f.is_fused = s->is_fused();
    f.widest = s->max_width_inline();
    f.limit = width_of(*s);
    f.emits = s->emits();
    f.finds_branch = s->finds_branch();
    f.always_head = s->is_always_head() || s->was_deep.load(std::memory_order_relaxed);
    const box_entity* const box = net_.box_at[s->index];
    f.is_box = box;
    if (!box) continue;
    const component_state& c = box->component;
    const double mean = c.mean_hint.load(std::memory_order_relaxed);
    f.is_inlined = c.paced.is_inlined();
    if (f.records > 0 && !c.spec->initialiser)
      f.seconds = mean > 0 ? f.records * std::max(0.0, mean - (f.is_inlined ? timing_itself : 0))
                           : std::numeric_limits<double>::quiet_NaN();
    f.takes_long = mean >= apart_above;
    // Several regions would look up the states of a fold at the same time.
    f.limits_concurrency = !c.spec->is_fold() && c.admission() && c.admission()->limits_width();
    f.own_cores = has_one_lane_ && c.spec->initialiser ? 0 : in_force_.components[c.index].cores.size();
    f.waits = c.runs_outside();
    f.initialiser = c.spec->initialiser;
  }
  for (const order_exit_entity* const exit : net_.order_exits) all[exit->index].ordered_from = exit->entry->index;
  return all;
}

void placing::place(const std::vector<double>& visits, const plan_choice& choice) {
  const std::vector<entity_facts> of = facts(visits);
  plan_ = plan_fusion(of, std::max(1, shared_lanes()), plan_.separates_sources, choice);
  const std::vector<bool>& fused = plan_.fused;
  for (const auto& s : net_.entities)
    if (!fused[s->index] && !s->own_region && !s->entered_with) s->make_region(net_.capacity);
  shared_->set_allows_inline_send(false);  // until configure_regions() has seen its regions
  for (const auto& s : net_.entities) {
    const entity_facts& f = of[s->index];
    if (f.entered_with) continue;
    box_entity* const box = net_.box_at[s->index];
    const bool is_owner = f.waits || (box && has_own_cores(box->component));
    if (box) box->component.paced.set_on_own_cores(is_owner);
    // The inlet of a fused entity is in a group as well: records that are left in it when it is to be fused must still
    // be run.
    if (s->own_region) group::move(*s->own_region, is_owner ? *owners_[box->component.index] : home());
  }
  fusion_.apply(fused);
  for (const auto& s : net_.entities)
    if (s->own_region && s->own_region->pending() > 0)
      s->own_region->wake_worker_from_outside();  // a limit may have grown
}

bool placing::complete_fusion() noexcept {
  if (!run_.placing.is_incomplete()) return false;
  try {
    const lock_guard lock(mutex_);
    const bool was_incomplete = run_.placing.is_incomplete();
    fusion_.complete();
    return was_incomplete && !run_.placing.is_incomplete();
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
    return false;
  }
}

void placing::wake_others_where_unsure() noexcept {
  const lock_guard lock(mutex_);
  for (const auto& s : net_.entities)
    if (heads_region(*s)) s->own_region->wake_others_if_unsure();
}

// The facts of each region that has a stream, by its first entity.
std::vector<region_facts> placing::facts_of_regions(const std::vector<double>& visits,
                                                    const std::vector<double>& utilisation, double throughput) const {
  const auto of = fusion_.heads();
  const std::vector<double> load = loads(utilisation, of);
  std::vector<region_facts> facts(net_.entities.size());
  for (region_facts& f : facts) {
    f.seconds = 0;
    f.fits_inline_send = f.all_inlined = f.were_short = true;
  }
  for (const box_entity* box : net_.boxes) {
    const component_state& c = box->component;
    const double mean = c.mean_hint.load(std::memory_order_relaxed);
    for (const entity* head : *of[box->index]) {
      region_facts& f = facts[head->index];
      const double enter = visits[head->index], times = enter > 0 ? std::min(visits[box->index] / enter, 1e6) : 1;
      f.seconds += mean > 0 ? mean * times : std::numeric_limits<double>::quiet_NaN();
      f.on_one_core += c.seconds_on_one_core.load(std::memory_order_relaxed) * times;
      f.fits_inline_send = f.fits_inline_send && box->fits_inline_send();
      if (const double all = visits[box->index] * mean; all >= f.seconds_of_heaviest)
        f.seconds_of_heaviest = all, f.priority = c.spec->priority;
      f.were_short = f.were_short && c.spec->earlier.were_short();
      // Boxes fused to an initialiser are inlined.
      f.all_inlined = f.all_inlined && (c.spec->initialiser || c.paced.is_inlined());
    }
  }
  for (const fold_entity* fold : net_.folds)  // at the end of a stream each of few records may take long
    if (fold->end) facts[fold->end->index] = {};
  for (const auto& s : net_.entities) {
    if (!heads_region(*s)) continue;
    const region& r = *s->own_region;
    region_facts& f = facts[s->index];
    const box_entity* const box = net_.box_at[s->index];
    f.lanes = r.limit();
    f.shared = r.in_group.load() == &home();
    f.waits = box && box->component.runs_outside();
    if (box && box->component.batches) {
      const component_state& c = box->component;
      if (c.spec->batch_is_fixed)
        f.seconds *= c.spec->most_in_batch;  // its stream has batches
      else
        f.together = c.on_device ? c.on_device->largest_next() : c.batches->largest_next();
    }
    f.load = load[s->index];
    f.fed_by_its_group =
        !s->previous.empty() && std::all_of(s->previous.begin(), s->previous.end(), [&](const entity* p) {
          return std::all_of(of[p->index]->begin(), of[p->index]->end(), [&](const entity* head) {
            return head->own_region->in_group.load() == r.in_group.load();
          });
        });
    if (const double enter = visits[s->index]; enter > 0 && throughput > 0)
      f.between = 1 / (throughput * enter);  // 0 where nothing in the network takes time
    f.most_capacity = r.inlet().physical();
    if (run_.monitor.measures_bytes()) f.bytes = r.bytes_of_a_record();
  }
  return facts;
}

void placing::configure_regions(const std::vector<double>& visits, const std::vector<double>& utilisation,
                                double throughput) {
  const lock_guard lock(mutex_);
  // On an owner's core the group runs between two of the owner's invocations, for as long as one of them takes. For one
  // record it may need several activations.
  const int host = in_force_.shared_host();
  shared_->set_time_slice(
      host < 0 ? 0 : net_.components[static_cast<std::size_t>(host)]->mean_hint.load(std::memory_order_relaxed));
  const std::vector<region_facts> facts = facts_of_regions(visits, utilisation, throughput);
  double of_a_record = 0;  // seconds of the shared group for each that enters the network; NaN: unknown
  bool fits_inline_send = true;
  for (const auto& s : net_.entities) {
    if (!heads_region(*s)) continue;
    region& r = *s->own_region;
    const region_facts& f = facts[s->index];
    if (f.shared) {
      fits_inline_send = fits_inline_send && f.fits_inline_send;
      of_a_record += visits[s->index] * f.seconds;
    }
    const region_plan plan = plan_work(f);
    r.set(plan.work);
    if (f.shared) home().set_weight(r, f.priority);
    r.seconds_on_one_core.store(f.on_one_core, std::memory_order_relaxed);
    if (f.lanes > 1) r.wake_worker_from_outside();  // with smaller batches another lane may have something to do
    if (sizes_streams_) r.set_capacity(plan.capacity);
  }
  // Records that wait for a slow one to leave first are done: all cores are to be kept busy with others meanwhile.
  constexpr std::size_t for_a_core = 4;
  if (sizes_streams_)
    for (order_exit_entity* const exit : net_.order_exits)
      if (!exit->is_fused())
        exit->set_least_admitted(for_a_core * static_cast<std::size_t>(run_.platform.cores()->size()));
  shared_->set_allows_inline_send(fits_inline_send && &home() == shared_.get() && is_below_wake_up(of_a_record));
}

std::vector<double> placing::loads(const std::vector<double>& utilisation) const {
  return loads(utilisation, fusion_.heads());
}

std::vector<double> placing::loads(const std::vector<double>& utilisation,
                                   const std::vector<fusion::entity_list>& of) const {
  std::vector<double> load(net_.entities.size(), std::numeric_limits<double>::quiet_NaN());
  for (const box_entity* box : net_.boxes)
    for (const entity* head : *of[box->index])
      if (box->component.index < utilisation.size())
        load[head->index] = std::fmax(load[head->index], utilisation[box->component.index]);
  return load;
}

int placing::own_cores(const component_state& c) const {
  const lock_guard lock(mutex_);
  return in_force_.components.empty() ? 0 : in_force_.components[c.index].cores.size();
}

// A thread that waits at a region that is made after this has seen that the run is stopping: both are under the lock.
void placing::wake_all() {
  const lock_guard lock(mutex_);
  for (const auto& s : net_.entities) {
    if (!s->own_region && !s->entered_with) continue;
    s->inlet().space.notify_now();
    if (!s->own_region) continue;
    s->own_region->space.notify_now();
    s->own_region->wake_turn_waiters();
  }
  shared_->wake_all();
  for (auto& g : owners_)
    if (g) g->wake_all();
}

bool placing::run_one(worker& w) {
  if (shared_->run_one(w)) return true;
  return std::any_of(owners_.begin(), owners_.end(), [&](auto& g) { return g && g->run_one(w); });
}

}  // namespace weir::detail
