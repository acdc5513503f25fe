#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "runtime/run_state.hpp"
#include "runtime/saved_models.hpp"
#include "runtime/thrown.hpp"
#include "scheduler/flow.hpp"

// Observations become models, models become decisions.
namespace weir::detail {

namespace {

// A hand-over to another thread costs about 5 us, the wake-up: a box below that is better run inline. It counts as
// short until it costs four times as much, so that noise does not move it to and fro.
constexpr double short_below = 5e-6;
constexpr double long_above = 20e-6;
// What an initialiser's thread takes upon itself of the way of a record that it emits: several times what it costs to
// hand one over to another core. As above, what is near that is left where it is.
constexpr double most_beside_source = 3e-6;
constexpr double least_beside_source = 2.5e-6;
constexpr std::uint64_t enough_to_call_short = 4;  // a first invocation runs cold; three more outvote it
// What takes longer is timed each time, which then costs less than a hundredth of it; as above, four times as long.
constexpr double quick_below = 50e-6;
constexpr double quick_above = 200e-6;
constexpr std::uint64_t enough_to_call_quick = learner::window;  // no model learns the slower for it

// How often the controller looks: at first as soon as anything was observed, since every early decision counts, then
// when a quarter more time has passed since then; in the end seldom enough to cost nothing.
constexpr double first_pause = 1e-3;
constexpr double pause_by_age = 0.25;
constexpr double later_pause = 20e-3;
// What looks may take of a thread, without taking in what was observed, which costs the same however often, and without
// moves: as a rule, where that does not keep the run waiting for too long; at first; and in all, but for so many
// seconds.
constexpr double usual_time_for_looks = 0.0025;
constexpr double longest_pause = 100e-3;
constexpr double most_time_at_first = 0.5;
constexpr double most_time_for_looks = 0.02;
constexpr double free_of_that = 4e-3;

}  // namespace

void run_state::make_models() {
  for (auto& c : components_) {
    const auto prior = options_.prior_models.find(c->spec->name);
    if (prior == options_.prior_models.end()) {
      c->learnt = std::make_unique<learner>(make_estimator(options_.estimator, degree{c->spec->degree}));
      continue;
    }
    const saved_model& saved = prior->second;
    const std::string which = "options.prior_models: the model for '" + c->spec->name + "'";
    if (saved.degree != c->spec->degree)
      throw std::invalid_argument(which + " has degree " + std::to_string(saved.degree) + ", expected was a " +
                                  saved.estimator + " model of degree " + std::to_string(c->spec->degree));
    try {
      c->learnt = std::make_unique<learner>(estimator_of(saved));
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(which + ": " + e.what());
    }
  }
}

void run_state::observe(worker& w, const observation& o) noexcept {
  if (!w.observations.push(o)) [[unlikely]] {
    const lock_guard lock(learning_);
    absorb(w);
    w.observations.push(o);
  }
  if (messages_.is_behind() && has_threads()) [[unlikely]] {
    const off_cores meanwhile;
    messages_.wait_until_told_some();
  }
  if (o.start + o.seconds >= next_step_at_.load(std::memory_order_relaxed) &&
      !wants_step_.load(std::memory_order_relaxed) && !wants_step_.exchange(true) && has_threads())
    machine_->wake_controller();
}

void run_state::absorb(worker& w) noexcept {
  w.observations.consume_all([&](const observation& o) {
    try {
      absorb(o);
    } catch (const std::bad_alloc&) {  // one observation less
    }
  });
}

void run_state::absorb(const observation& o) {
  component_state& c = *components_[o.component];
  if (options_.on_observation) messages_.put(messenger::observed{&c.spec->name, o});
  const double cost = c.is_blocking() ? o.seconds : cost_of(o, options_.learn_from);  // waiting is what it costs
  if (o.after_move && !c.is_sampled.load(std::memory_order_relaxed)) {  // else it was hardly the first
    const double expected = c.learnt->model().mean(o.x, static_cast<int>(o.cores));
    if (std::isfinite(expected)) {
      move_costs_.of_last += std::max(0.0, cost - expected);
      move_costs_.seen = true;
    }
  }
  c.learnt->observe(o, cost);
}

void run_state::absorb_all() noexcept {
  const lock_guard lock(workers_mutex_);
  for (auto& w : workers_) absorb(*w);
  if (helper_) absorb(*helper_);
}

bool run_state::learn_costs() {
  bool changed = false;
  for (auto& c : components_) {
    const double mean = c->learnt->mean_seconds();
    if (mean <= 0) continue;
    c->mean_hint.store(mean, std::memory_order_relaxed);
    const auto judge = [&](std::atomic<bool>& takes_less, double below, double above, std::uint64_t enough) {
      const bool was = takes_less.load(std::memory_order_relaxed);
      const bool is = c->learnt->observed() >= enough && mean < (was ? above : below);
      takes_less.store(is, std::memory_order_relaxed);
      return is != was;
    };
    changed |= judge(c->is_short, short_below, long_above, enough_to_call_short);
    changed |= judge(c->is_quick, quick_below, quick_above, enough_to_call_quick) && !c->is_short.load();
  }
  return changed;
}

// Whether the short boxes together would keep the thread of an initialiser, which is the only one there, busy.
bool run_state::learn_to_spare_sources() {
  if (net_stages_.sources.empty() || in_force_.components.empty()) return false;
  const std::vector<double>& records = traffic_->visits();
  double seconds = 0;  // of a record, in all of them
  for (const box_stage* box : boxes_) {
    const component_state& c = box->component;
    if (c.is_short.load(std::memory_order_relaxed) && in_force_.components[c.index].cores.empty() && !c.is_blocking())
      seconds += records[box->index] * c.mean_hint.load(std::memory_order_relaxed);
  }
  const bool spares = seconds > (spares_sources_ ? least_beside_source : most_beside_source);
  return std::exchange(spares_sources_, spares) != spares;
}

// How often each component ran, from the counts that the record path keeps: what gives one for one is not counted; what
// reaches a stage is what those before it sent on.
std::vector<std::uint64_t> run_state::invocations() const {
  std::vector<std::uint64_t> by_component(components_.size(), 0), arrived(stages_.size(), 0);
  if (net_stages_.entry != exit_.get()) arrived[net_stages_.entry->index] = sent_.load(std::memory_order_relaxed);
  for (const source_place& source : net_stages_.sources) arrived[source.box->index] = 1;
  for (const auto& s : stages_)
    for (const stage* p : s->previous) arrived[s->index] += p->sent_to(*s, arrived[p->index]);
  for (const box_stage* box : boxes_) by_component[box->component.index] += box->invocations(arrived[box->index]);
  return by_component;
}

system_view run_state::view() {
  system_view v;
  v.machine = machine_->cores();
  v.cores = lease_;
  v.current = in_force_;
  v.needs_shared = stages_.size() > boxes_.size();
  v.in_force_since = in_force_since_.load();
  v.time = now() - started_at_;
  v.move_cost = move_cost();
  const auto ran = invocations();
  const std::vector<double>& by_stage = traffic_->visits();
  v.links = traffic_->links();
  v.arrival_rate = traffic_->arrival_rate();
  std::vector<double> visits(components_.size(), 0);
  std::vector<int> instances(components_.size(), 0);
  std::vector<std::size_t> waiting(components_.size(), 0);
  for (const box_stage* box : boxes_) {
    visits[box->component.index] += by_stage[box->index];
    ++instances[box->component.index];
    waiting[box->component.index] += box->own_region->inlet().size();
  }
  for (const auto& c : components_) {
    component_view x;
    x.name = c->spec->name;
    c->learnt->fill(x);
    x.invocations = ran[c->index];
    x.visits = visits[c->index];
    x.arrival_rate = v.arrival_rate * x.visits;
    x.queue_length = waiting[c->index];
    x.instances = instances[c->index];
    x.min_cores = c->spec->min_cores;
    x.max_cores = c->spec->max_cores;
    x.max_width = c->spec->max_width;
    x.sequential = c->spec->sequential;
    x.blocking = c->is_blocking() ? c->spec->max_width : 0;
    x.runs_inline = c->is_short.load(std::memory_order_relaxed) && c->spec->min_cores == 1 && !c->is_blocking();
    v.components.push_back(std::move(x));
  }
  return v;
}

double run_state::move_cost() const {
  const int moves = move_costs_.earlier + move_costs_.seen;
  return moves > 0 ? (move_costs_.of_earlier + move_costs_.of_last) / moves : 0;
}

void run_state::set_lease(core_set cores) noexcept {
  const lock_guard lock(learning_);
  lease_ = std::move(cores);
  wants_step_.store(true);
}

// A network without boxes: nothing to decide, threads on all cores.
std::optional<allotment> run_state::for_no_components() const {
  allotment all;
  all.shared = lease_;
  return all == in_force_ ? std::nullopt : std::optional(all);
}

bool run_state::has_observed() const {
  return std::any_of(components_.begin(), components_.end(), [](const auto& c) { return c->learnt->observed() > 0; });
}

// `spent` is CPU time: a thread that was kept from its core has taken none of it.
double run_state::looks_so_far::next(double began, double spent, bool observed) {
  if (!observed) return began + first_pause;
  if (!since) since = began;
  spent = std::max(0.0, spent);  // also of what is not a number
  of_all += spent;
  const double later = std::clamp(spent / usual_time_for_looks, later_pause, longest_pause);
  return std::max({began + std::clamp(pause_by_age * (began - *since), first_pause, later),
                   began + spent / most_time_at_first, *since + (of_all - free_of_that) / most_time_for_looks});
}

void run_state::step() {
  wants_step_.store(false);  // what happens from here on asks anew; what is observed, when it is time for the next
  failures_.has_ended() ? stop_by_controller() : look_and_move();
}

void run_state::look_and_move() {
  const lock_guard one_at_a_time(stepping_);
  const double began = now() - started_at_;
  next_step_at_.store(std::numeric_limits<double>::infinity(), std::memory_order_relaxed);
  double next_look;
  system_view v;
  std::optional<allotment> move;
  bool shorts_changed;
  {
    const lock_guard lock(learning_);
    absorb_all();
    const double used_before = platform_.usage().cpu_seconds;
    traffic_->look(now() - started_at_, sent_.load(std::memory_order_relaxed));
    latency_.aim(traffic_->arrival_rate());
    shorts_changed = learn_costs();
    shorts_changed |= learn_to_spare_sources();
    v = view();
    try {
      move = components_.empty() ? for_no_components() : controller_->step(v);
    } catch (const std::exception& e) {
      const bool running = !in_force_.components.empty();
      if (running) {
        note("the allotment stays as it is, policy " + options_.policy.name() +
             " has none: " + (e.what() ? e.what() : quoted(e)));
      } else if (v.cores == machine_->cores()->all()) {
        throw;
      } else {
        // Other runs have cores of this machine, and what is left does not do: take turns with them on all of it.
        v.cores = machine_->cores()->all();
        move = controller_->step(v);
        note(std::string("cores are shared with another run: ") + e.what());
      }
    }
    if (move) {
      if (move_costs_.seen) move_costs_.of_earlier += move_costs_.of_last, ++move_costs_.earlier;
      move_costs_.of_last = 0;
      move_costs_.seen = false;
    }
    next_look = looks_.next(began, platform_.usage().cpu_seconds - used_before, has_observed());
  }
  if (move) {
    apply(*move);
  } else if (shorts_changed) {
    const lock_guard lock(placing_);
    place();
  }
  if (options_.capacity == 0 && !v.current.components.empty())
    utilisation_ = expected_flow(v, in_force_, v.arrival_rate).utilisation;
  tune();
  settle_if_needed();
  next_step_at_.store(next_look, std::memory_order_relaxed);
}

void run_state::step_or_end() noexcept {
  try {
    step();
  } catch (const std::bad_alloc&) {
    out_of_memory();
  }
}

prediction run_state::predict(const std::string& component, double x, int on) {
  const telling afterwards(*this);
  const lock_guard lock(learning_);
  absorb_all();
  std::string names;
  for (auto& c : components_) {
    if (c->spec->name == component) return c->learnt->model().predict(x, std::max(1, on));
    names += (names.empty() ? "" : ", ") + c->spec->name;
  }
  throw std::invalid_argument("predict: no component is named '" + component + "'; there are " + names);
}

std::map<std::string, saved_model> run_state::models() {
  const telling afterwards(*this);
  const lock_guard lock(learning_);
  absorb_all();
  std::map<std::string, saved_model> all;
  for (auto& c : components_) {
    const estimator& model = c->learnt->model();
    all[c->spec->name] = {model.describe().estimator, c->spec->degree, model.state()};
  }
  return all;
}

}  // namespace weir::detail
