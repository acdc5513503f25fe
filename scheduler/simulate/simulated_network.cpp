#include "scheduler/simulate/simulated_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "scheduler/control/steady_inputs.hpp"
#include "scheduler/view/counter_random.hpp"

namespace weir::simulation {
namespace {

void require_invariant(bool holds, const char* invariant) {
  if (!holds) throw std::logic_error(std::string("simulation: an invariant does not hold: ") + invariant);
}

std::vector<int> widths_of(const scenario& of) {
  std::vector<int> widths;
  for (const simulated_component& c : of.components) widths.push_back(std::min(c.max_width, c.max_cores));
  return widths;
}

}  // namespace

simulated_network::simulated_network(const scenario& of, std::uint64_t seed, predictor shown,
                                     std::shared_ptr<const topology> machine, const std::string& estimator)
    : scenario_(of),
      times_(of, seed, shown, std::move(machine)),
      flow_(of, seed),
      order_(static_cast<std::size_t>(of.machines()), member_order(of)),
      due_groups_(static_cast<std::size_t>(of.machines()), false),
      devices_(of, flow_, estimator),
      resources_(of),
      pressure_(of),
      running_(static_cast<std::size_t>(of.machines())),
      core_until_(static_cast<std::size_t>(of.cores), 0),
      busy_(of.components.size(), 0),
      in_group_(of.components.size()) {
  for (int m = 0; m < of.machines(); ++m) {
    lanes_.emplace_back(widths_of(of), of.machine_cores.empty() ? core_set::range(0, of.cores) : of.cores_of(m, 0));
    on(m).set_cores(of.cores_of(m, 0));
  }
  for (const simulated_component& c : of.components) sizes_.emplace_back(static_cast<std::size_t>(c.most_in_batch));
  if (of.coming.how == arrivals::kind::closed) return;
  arrivals_.emplace(of.coming, seed);
  schedule(arrivals_->next(), event::kind::arrival);
}

void simulated_network::schedule(double time, event::kind what, int machine, int lane) {
  events_.push({time, scheduled_++, what, machine, lane});
}

void simulated_network::schedule_opening(int machine, const std::vector<int>& lanes, double cost) {
  for (int lane : lanes) schedule(time_ + cost, event::kind::open, machine, lane);
}

void simulated_network::move_to(const allotment& to, int machine) {
  require_invariant(!is_moving(machine), "moves come one after the other");
  const bool is_initial = current(machine).components.empty();
  schedule_opening(machine, on(machine).move_to(to), is_initial ? 0 : scenario_.move_cost);
  for (std::size_t i = 0; i < to.components.size(); ++i)
    if (machine_of(i) == machine) {
      const int width = on(machine).width_of(i);
      flow_.set_width(i, width);
      if (!devices_.has(i)) continue;
      const core_set& cores = to.components[i].cores;
      devices_.rule(i).set_lanes(std::max(1, width), cores.empty() ? 1 : cores.slices(width).front().size());
    }
  flow_.check_tokens();
}

bool simulated_network::advance() {
  ended_.reset();
  if (flow_.left() == scenario_.records) {
    check_at_end();
    return false;
  }
  while (!events_.empty() && is_superseded(events_.top())) events_.pop();
  if (events_.empty()) flow_.refuse_standstill();
  const event next = events_.top();
  events_.pop();
  require_invariant(next.time >= time_, "time does not go back");
  time_ = next.time;
  switch (next.what) {
    case event::kind::end:
      end(next.machine, next.lane);
      break;
    case event::kind::slot:
      end_on_device(to_index(next.machine), to_index(next.lane));
      break;
    case event::kind::open:
      on(next.machine).open(next.lane);
      look_for_work(next.machine, next.lane);
      // Lanes that open together are all there before an invocation begins.
      if (!events_.empty() && events_.top().what == event::kind::open && events_.top().time == time_) return true;
      break;
    case event::kind::arrival:
      flow_.arrive(time_);
      if (++arrived_ < scenario_.records) schedule(arrivals_->next(), event::kind::arrival);
      break;
  }
  start_what_can();
  return true;
}

void simulated_network::start_what_can() {
  do {
    for (int i; (i = flow_.move_records(time_)) >= 0;) start(static_cast<std::size_t>(i));
  } while (start_due_groups());
  if (!scenario_.machine_cores.empty()) return;
  if (const int cores = scenario_.cores_in(flow_.phase()); cores != lanes_[0].cores().size())
    lanes_[0].set_cores(core_set::range(0, cores));
}

// Groups choose when all records have moved. False where there was none to choose.
bool simulated_network::start_due_groups() {
  const auto due = std::ranges::find(due_groups_, true);
  if (due == due_groups_.end()) return false;
  *due = false;
  start_group(static_cast<int>(due - due_groups_.begin()));
  return true;
}

bool simulated_network::can_run(std::size_t component) const {
  if (!on(machine_of(component)).may_run(component)) return false;
  if (devices_.has(component)) return devices_.rule(component).next_on_cores(time_) != nullptr;
  if (resources_.has_needs(component)) return resources_.may_begin(component);
  return flow_.can_take(component) && resources_.are_ports_free(component);
}

void simulated_network::start(std::size_t component) {
  if (devices_.has(component)) {
    take_to_device(component);
    return dispatch(devices_.device_of(component));
  }
  if (resources_.has_needs(component)) ask(component);
  start_on_cores(component);
}

// As many requests as the component has lanes without an invocation.
void simulated_network::ask(std::size_t component) {
  const simulated_component& c = scenario_.components[component];
  const lane_table& lanes = on(machine_of(component));
  while (flow_.can_take(component) &&
         resources_.waiting(component) + lanes.running(component) < lanes.width_of(component)) {
    resource_queue::request r{component, flow_.taken(component), {}, {}, time_};
    const std::size_t records =
        c.most_in_batch > 1 ? sizes_[component].next(flow_.can_take_now(component)) : std::size_t{1};
    for (std::size_t k = 0; k < records; ++k) r.what.push_back(flow_.take(component, time_));
    r.amounts = resources_.amounts_of(component, times_.draws().x(component, r.what.front()));
    resources_.ask(std::move(r));
  }
}

void simulated_network::take_to_device(std::size_t component) {
  const int lanes = on(machine_of(component)).width_of(component);
  while (flow_.can_take(component) && !devices_.is_full(component, lanes)) {
    const std::uint64_t ticket = flow_.taken(component);
    const device_rule::planned_batch planned = devices_.plan(component, flow_.can_take_now(component), time_);
    std::vector<token> what;
    double x = 0;
    while (what.size() < planned.records) {
      what.push_back(flow_.take(component, time_));
      x += times_.draws().seen_x(component, what.back()) / static_cast<double>(planned.records);
    }
    devices_.add(component, ticket, std::move(what), planned.side, x, time_);
  }
}

// As device_slots::dispatch in a run.
void simulated_network::dispatch(std::size_t device) {
  for (std::size_t in_vain = 0; in_vain < devices_.boxes(device);)
    in_vain = begin_one(devices_.next_box(device)) ? 0 : in_vain + 1;
}

bool simulated_network::begin_one(std::size_t component) {
  const device_rule& rule = devices_.rule(component);
  if (!rule.has_waiting() || on(machine_of(component)).current().components.empty()) return false;
  const auto begins_on_cores = [&] {
    const int before = on(machine_of(component)).running(component);
    start_on_cores(component);
    return on(machine_of(component)).running(component) != before;
  };
  return rule.tries_device() ? start_on_device(component) || begins_on_cores()
                             : begins_on_cores() || start_on_device(component);
}

bool simulated_network::is_lane_free(std::size_t component) const {
  const lane_table& lanes = on(machine_of(component));
  if (!lanes.may_run(component)) return false;
  const int host = lanes.host_lane();
  if (lanes.is_member(component)) return host >= 0 || lanes.free_lane(lanes.group()) >= 0;
  return lanes.free_lane(static_cast<int>(component)) >= 0 ||
         (host >= 0 && lanes[host].unit == static_cast<int>(component));
}

bool simulated_network::start_on_device(std::size_t component) {
  device_stations::record* const r = devices_.begin_on_device(component, time_, is_lane_free(component));
  if (!r) return false;
  const simulated_component::on_device& on = *scenario_.components[component].second;
  const simulated_device& device = scenario_.devices[to_index(on.device)];
  r->seconds = on.batch_start;
  for (const token& what : r->what)
    r->seconds += times_.draws().sample(
        on.cost(times_.draws().x(component, what), 1) * scenario_.components[component].in(what.phase).factor,
        component, what);
  if (!on.slot_factors.empty())
    r->seconds *= on.slot_factors[std::min(to_index(r->in_use), on.slot_factors.size()) - 1];
  require_invariant(is_time(r->seconds), "an invocation on a device takes a time");
  r->will_throw = device_stations::throws_in(device, time_, time_ + r->seconds);
  schedule(time_ + r->seconds, event::kind::slot, on.device, static_cast<int>(r->slot));
  return true;
}

void simulated_network::end_on_device(std::size_t device, std::size_t slot) {
  device_stations::record& r = devices_.on_slot(device, slot);
  const std::size_t component = r.component;
  if (devices_.end_on_device(r, time_)) {
    for (std::uint64_t k = 0; k < r.records; ++k) flow_.finish(component, r.ticket + k);
    devices_.erase(r);
  }
  flow_.note_change(component);
}

void simulated_network::start_on_cores(std::size_t component) {
  const int machine = machine_of(component);
  lane_table& lanes = on(machine);
  if (lanes.is_member(component)) {
    const bool in_order = order_[to_index(machine)].has_priorities() || divides_idle_cores(lanes.current());
    if (!in_order || devices_.has(component)) return start_group(machine);
    due_groups_[to_index(machine)] = true;
    return;
  }
  while (can_run(component)) {
    const int lane = lanes.free_lane(static_cast<int>(component));
    if (lane < 0) break;
    run(machine, lane, component);
  }
  if (const int host = lanes.host_lane(); host >= 0 && lanes[host].unit == static_cast<int>(component))
    start_on_host(machine, host);
}

void simulated_network::start_group(int machine) {
  lane_table& lanes = on(machine);
  if (const int host = lanes.host_lane(); host >= 0) return start_on_host(machine, host);
  for (int lane; (lane = lanes.free_lane(lanes.group())) >= 0;) {
    const std::optional<std::size_t> next = next_member(machine);
    if (!next) return;
    run(machine, lane, *next);
  }
}

// Idle cores of the group for an invocation that has just begun in it, besides its own.
int simulated_network::idle_cores_for(int machine, std::size_t component) const {
  const lane_table& lanes = on(machine);
  if (!divides_idle_cores(lanes.current()) || devices_.has(component)) return 0;
  int running = -1;  // others than itself
  for (const std::size_t m : lanes.members()) running += lanes.running(m);
  group_work work(lanes.current().shared.size(), lanes.free_in_group(), running);
  for (const std::size_t m : lanes.members()) {
    const int waiting = resources_.has_needs(m) ? resources_.may_begin(m) : static_cast<int>(flow_.can_take_now(m));
    const int room = std::max(0, lanes.width_of(m) - lanes.running(m));
    work.add_waiting(std::clamp(waiting, 0, room), in_group_[m].seconds, in_group_[component].seconds);
  }
  return work.cores_of_next(in_group_[component].most_cores) - 1;
}

std::optional<std::size_t> simulated_network::next_member(int machine) {
  return order_[to_index(machine)].take_next(on(machine).members(), [&](std::size_t m) { return can_run(m); });
}

void simulated_network::start_on_host(int machine, int i) {
  lane_table& lanes = on(machine);
  lane_table::lane& host = lanes[i];
  const auto owner = static_cast<std::size_t>(host.unit);
  const bool owner_waits = can_run(owner);
  if (const auto m = owner_waits && host.slice_left <= 0 ? std::nullopt : next_member(machine)) {
    const double began = time_;
    run(machine, i, *m);
    lanes[i].slice_left -= core_until_[static_cast<std::size_t>(lanes[i].cores[0])] - began;
  } else if (owner_waits) {
    run(machine, i, owner);
  }
}

void simulated_network::waiting_x(std::size_t component, std::vector<double>& to) const {
  to.clear();
  for (const token& what : flow_.queue(component)) {
    if (to.size() == steady_inputs::most_ahead) break;
    to.push_back(times_.draws().seen_x(component, what));
  }
}

// Takes the records of its next invocation on cores.
void simulated_network::take(std::size_t component, running& to) {
  const simulated_component& c = scenario_.components[component];
  to.what.clear();
  to.station = nullptr;
  if (devices_.has(component)) {
    to.station = devices_.begin_on_cores(component, time_);
    to.ticket = to.station->ticket;
    to.what = to.station->what;
  } else if (resources_.has_needs(component)) {
    to.holds = resources_.begin(component, time_);
    to.ticket = to.holds.ticket;
    to.what = std::move(to.holds.what);
  } else {
    resources_.take_ports(component);
    to.ticket = flow_.taken(component);
    const std::size_t records =
        c.most_in_batch > 1 ? sizes_[component].next(flow_.can_take_now(component)) : std::size_t{1};
    for (std::size_t k = 0; k < records; ++k) to.what.push_back(flow_.take(component, time_));
  }
}

void simulated_network::run(int machine, int i, std::size_t component) {
  lane_table& lanes = on(machine);
  lanes.begin(i, component);
  const lane_table::lane& lane = lanes[i];
  std::vector<running>& here = running_[static_cast<std::size_t>(machine)];
  if (here.size() <= static_cast<std::size_t>(i)) here.resize(static_cast<std::size_t>(i) + 1);
  running& r = here[static_cast<std::size_t>(i)];
  take(component, r);
  if (lane.unit == lanes.group()) lanes.join(i, idle_cores_for(machine, component));
  const core_set lane_cores = lanes.cores_of(i);
  const bool is_alone = lane.unit == static_cast<int>(component) || lane.unit == lanes.group();
  const int cores = is_alone && !lane_cores.empty() ? lane_cores.size() : 1;
  const std::size_t records = r.what.size();
  const invocation_times::work alone = times_.of(component, r.what, lane_cores, cores, time_, flow_.phase());
  const double seconds = alone.seconds * pressure_.begin(machine, i, {component, cores, alone.seconds, time_});

  observation& seen = r.seen;
  seen.component = static_cast<std::uint32_t>(component);
  seen.records = static_cast<std::uint32_t>(records);
  seen.x = alone.shown_x;
  seen.cores = cores;
  seen.start = time_;
  seen.seconds = seconds / static_cast<double>(records);
  seen.width = lanes.width_of(component);
  seen.queue = static_cast<std::uint32_t>(flow_.waiting(component));
  seen.first_core = lane_cores.empty() ? 0 : static_cast<std::uint32_t>(lane_cores[0]);
  seen.after_move = lanes.take_first(component);
  const double end = time_ + seconds;
  require_invariant(std::isfinite(end), "times are finite");
  if (!lane.cores.empty()) busy_[component] += seconds * cores;
  for (int k = 0; k < std::min(cores, lane_cores.size()); ++k) {
    double& until = core_until_[static_cast<std::size_t>(lane_cores[k])];
    require_invariant(until <= time_, "a core runs one invocation at a time");
    until = end;
  }
  r.end = end;
  r.end_event = scheduled_;
  schedule(end, event::kind::end, machine, i);
  follow_pressure(machine);
}

// Invocations that begin or end on a machine change when others there end.
void simulated_network::follow_pressure(int machine) {
  if (!pressure_.acts()) return;
  lane_table& lanes = on(machine);
  for (const running_pressure::changed& c : pressure_.ends(machine, time_)) {
    running& r = running_[to_index(machine)][to_index(c.lane)];
    lane_table::lane& lane = lanes[c.lane];
    const std::size_t component = r.seen.component;
    const double later = c.end - std::exchange(r.end, c.end);
    r.seen.seconds = (c.end - r.seen.start) / static_cast<double>(r.seen.records);
    if (!lane.cores.empty()) busy_[component] += later * r.seen.cores;
    const core_set cores = lanes.cores_of(c.lane);
    for (int k = 0; k < std::min<int>(r.seen.cores, cores.size()); ++k) core_until_[to_index(cores[k])] = c.end;
    if (lane.hosts && lane.unit != static_cast<int>(component)) lane.slice_left -= later;
    r.end_event = scheduled_;
    schedule(c.end, event::kind::end, machine, c.lane);
  }
}

void simulated_network::end(int machine, int i) {
  const running& r = running_[static_cast<std::size_t>(machine)][static_cast<std::size_t>(i)];
  lane_table& lanes = on(machine);
  const int unit = lanes[i].unit;
  const std::size_t component = r.seen.component;
  ended_ = r.seen;
  if (lanes.is_member(component)) order_[to_index(machine)].charge(component, r.seen.seconds * r.seen.records);
  pressure_.end(machine, i);
  follow_pressure(machine);
  lane_table::lane& lane = lanes[i];
  if (lane.hosts && unit == static_cast<int>(component)) lane.slice_left = r.seen.seconds * r.seen.records;
  schedule_opening(machine, lanes.end(i), scenario_.move_cost);
  for (std::uint64_t k = 0; k < r.seen.records; ++k) flow_.finish(component, r.ticket + k);
  if (scenario_.components[component].most_in_batch > 1)
    sizes_[component].note(r.seen.records, r.seen.seconds, r.seen.after_move, std::numeric_limits<double>::infinity());
  look_for_work(machine, i);
  give_back(r);
}

void simulated_network::give_back(const running& r) {
  const std::size_t component = r.seen.component;
  if (r.station) {
    device_rule& rule = devices_.rule(component);
    rule.left_cores(*r.station, time_);
    if (!r.seen.after_move)
      rule.observe_on_cores(r.seen.x, r.seen.cores, r.seen.seconds * r.seen.records, r.seen.records);
    devices_.erase(*r.station);
    flow_.note_change(component);
  } else if (resources_.has_needs(component)) {
    resources_.end(r.holds);
    flow_.note_change(component);
    for (const std::size_t i : resources_.components_waiting()) flow_.note_change(i);
  } else {
    for (const std::size_t i : resources_.give_back_ports(component)) flow_.note_change(i);
  }
}

// Marks every component that may have work for a free lane.
void simulated_network::look_for_work(int machine, int lane) {
  const lane_table& lanes = on(machine);
  const int unit = lanes[lane].unit;
  if (unit != lanes.group()) flow_.note_change(static_cast<std::size_t>(unit));
  if (unit == lanes.group() || lanes[lane].hosts)
    for (std::size_t m : lanes.members()) flow_.note_change(m);
}

void simulated_network::check_at_end() const {
  flow_.check_records();
  double busy = 0;
  for (double b : busy_) busy += b;
  require_invariant(busy <= time_ * scenario_.cores * (1 + 1e-9), "no core is used for more than all of the time");
}

}  // namespace weir::simulation
