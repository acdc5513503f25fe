#include "scheduler/simulate/simulated_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "scheduler/control/steady_inputs.hpp"
#include "scheduler/expect/kind_times.hpp"
#include "scheduler/view/counter_random.hpp"

namespace weir::simulation {
namespace {

// Purposes of random numbers; each component has its own numbers for each.
enum purpose : std::uint64_t { of_x, of_noise, of_late, of_lateness, of_another, purposes };

std::uint64_t draw(const token& what, std::size_t component, purpose why) {
  return mix(what.key, component * purposes + why);
}

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
                                     std::shared_ptr<const topology> machine)
    : scenario_(of),
      seed_(mix(seed, 2)),
      shown_(shown),
      machine_(machine && machine->kinds().size() > 1 ? std::move(machine) : nullptr),
      flow_(of, seed),
      slow_(of, seed),
      running_(static_cast<std::size_t>(of.machines())),
      core_until_(static_cast<std::size_t>(of.cores), 0),
      busy_(of.components.size(), 0) {
  for (int m = 0; m < of.machines(); ++m) {
    lanes_.emplace_back(widths_of(of), of.machine_cores.empty() ? core_set::range(0, of.cores) : of.cores_of(m, 0));
    on(m).set_cores(of.cores_of(m, 0));
  }
  for (const simulated_component& c : of.components) sizes_.emplace_back(static_cast<std::size_t>(c.most_in_batch));
  for (const simulated_component& c : of.components)
    if (machine_) kind_factors_.push_back(factors_of(c, *machine_));
  for (std::size_t i = 0; i < of.components.size(); ++i)
    for (int taken : of.components[i].takes) {
      const auto t = static_cast<std::size_t>(taken);
      if (takers_.size() <= t) takers_.resize(t + 1), is_taken_.resize(t + 1);
      takers_[t].push_back(i);
    }
  if (of.coming.how == arrivals::kind::closed) return;
  arrivals_.emplace(of.coming, mix(mix(seed), 1));
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
    if (machine_of(i) == machine) flow_.set_width(i, on(machine).width_of(i));
  flow_.check_tokens();
}

bool simulated_network::advance() {
  ended_.reset();
  if (flow_.left() == scenario_.records) {
    check_at_end();
    return false;
  }
  if (events_.empty()) flow_.refuse_standstill();
  const event next = events_.top();
  events_.pop();
  require_invariant(next.time >= time_, "time does not go back");
  time_ = next.time;
  switch (next.what) {
    case event::kind::end:
      end(next.machine, next.lane);
      break;
    case event::kind::open:
      on(next.machine).open(next.lane);
      look_for_work(next.machine, next.lane);
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
  for (int i; (i = flow_.move_records(time_)) >= 0;) start(static_cast<std::size_t>(i));
  if (!scenario_.machine_cores.empty()) return;
  if (const int cores = scenario_.cores_in(flow_.phase()); cores != lanes_[0].cores().size())
    lanes_[0].set_cores(core_set::range(0, cores));
}

bool simulated_network::can_run(std::size_t component) const {
  const std::vector<int>& takes = scenario_.components[component].takes;
  return flow_.can_take(component) && on(machine_of(component)).may_run(component) &&
         std::none_of(takes.begin(), takes.end(), [&](int t) { return is_taken_[static_cast<std::size_t>(t)]; });
}

void simulated_network::start(std::size_t component) {
  const int machine = machine_of(component);
  lane_table& lanes = on(machine);
  if (lanes.is_member(component)) return start_group(machine);
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
  const auto& members = lanes.members();
  for (int lane; (lane = lanes.free_lane(lanes.group())) >= 0;) {
    std::size_t tried = 0;
    while (tried < members.size() && !can_run(members[(lanes.next_member + tried) % members.size()])) ++tried;
    if (tried == members.size()) return;
    const std::size_t chosen = (lanes.next_member + tried) % members.size();
    lanes.next_member = (chosen + 1) % members.size();
    run(machine, lane, members[chosen]);
  }
}

void simulated_network::start_on_host(int machine, int i) {
  lane_table& lanes = on(machine);
  lane_table::lane& host = lanes[i];
  const auto owner = static_cast<std::size_t>(host.unit);
  const auto& members = lanes.members();
  const auto member = [&] {
    for (std::size_t tried = 0; tried < members.size(); ++tried)
      if (const std::size_t k = (lanes.next_member + tried) % members.size(); can_run(members[k])) {
        lanes.next_member = (k + 1) % members.size();
        return static_cast<int>(members[k]);
      }
    return -1;
  };
  const bool owner_waits = can_run(owner);
  if (const int m = owner_waits && host.slice_left <= 0 ? -1 : member(); m >= 0) {
    const double began = time_;
    run(machine, i, static_cast<std::size_t>(m));
    lanes[i].slice_left -= core_until_[static_cast<std::size_t>(lanes[i].cores[0])] - began;
  } else if (owner_waits) {
    run(machine, i, owner);
  }
}

double simulated_network::shown_x(double x, std::size_t component, const token& what) const {
  const simulated_component& c = scenario_.components[component];
  switch (shown_) {
    case predictor::known:
      return x;
    case predictor::constant:
      return 1;
    case predictor::shuffled:
      break;
  }
  return c.in(what.phase).x.at(uniform(draw(what, component, of_another)));
}

double simulated_network::true_x(std::size_t component, const token& what) const {
  const simulated_component& c = scenario_.components[component];
  const double u = uniform(c.common_x ? mix(mix(seed_, what.record), of_x) : draw(what, component, of_x));
  return c.in(what.phase).x.at(u);
}

void simulated_network::waiting_x(std::size_t component, std::vector<double>& to) const {
  to.clear();
  for (const token& what : flow_.queue(component)) {
    if (to.size() == steady_inputs::most_ahead) break;
    to.push_back(shown_x(true_x(component, what), component, what));
  }
}

// Members of the shared group run on the first core of a lane.
double simulated_network::kind_factor(const lane_table::lane& lane, std::size_t component, double x, int cores,
                                      std::size_t phase) const {
  if (!machine_ || lane.cores.empty()) return 1;
  const simulated_component& c = scenario_.components[component];
  return lane_factor(lane.cores.part(0, std::min(cores, lane.cores.size())), *machine_, kind_factors_[component],
                     [&](int on) { return c.time_of(x, on, c.in(phase)); });
}

// Seconds of one record, by its draws.
double simulated_network::seconds_of(const token& what, double x, const lane_table::lane& lane, std::size_t component,
                                     int cores) {
  const simulated_component& c = scenario_.components[component];
  double seconds = c.time_of(x, cores, c.in(what.phase)) * kind_factor(lane, component, x, cores, what.phase);
  if (c.noise > 0) seconds *= std::exp(c.noise * normal(draw(what, component, of_noise)) - c.noise * c.noise / 2);
  if (c.late.part > 0 && uniform(draw(what, component, of_late)) < c.late.part)
    seconds *= c.late.low * std::pow(uniform(draw(what, component, of_lateness)), -1 / c.late.exponent);
  return seconds;
}

void simulated_network::run(int machine, int i, std::size_t component) {
  lane_table& lanes = on(machine);
  lanes.begin(i, component);
  const lane_table::lane& lane = lanes[i];
  const simulated_component& c = scenario_.components[component];
  for (int taken : c.takes) is_taken_[static_cast<std::size_t>(taken)] = true;
  std::vector<running>& here = running_[static_cast<std::size_t>(machine)];
  if (here.size() <= static_cast<std::size_t>(i)) here.resize(static_cast<std::size_t>(i) + 1);
  running& r = here[static_cast<std::size_t>(i)];
  r.ticket = flow_.taken(component);
  const bool is_own = lane.unit == static_cast<int>(component) && !lane.cores.empty();
  const int cores = is_own ? lane.cores.size() : 1;
  const std::size_t records =
      c.most_in_batch > 1 ? sizes_[component].next(flow_.can_take_now(component)) : std::size_t{1};
  const int degree = records > 1 ? std::max(1, c.degree) : 1;
  double seconds = c.batch_start, sum = 0;
  for (std::size_t k = 0; k < records; ++k) {
    const token what = flow_.take(component, time_);
    const double x = true_x(component, what);
    seconds += seconds_of(what, x, lane, component, cores);
    sum += std::pow(shown_x(x, component, what), degree);
  }
  seconds *= slow_.factor(component, time_, flow_.phase());

  observation& seen = r.seen;
  seen.component = static_cast<std::uint32_t>(component);
  seen.records = static_cast<std::uint32_t>(records);
  seen.x = std::pow(sum / static_cast<double>(records), 1.0 / degree);
  seen.cores = cores;
  seen.start = time_;
  seen.seconds = seconds / static_cast<double>(records);
  seen.width = lanes.width_of(component);
  seen.queue = static_cast<std::uint32_t>(flow_.waiting(component));
  seen.first_core = lane.cores.empty() ? 0 : static_cast<std::uint32_t>(lane.cores[0]);
  seen.after_move = lanes.take_first(component);
  const double end = time_ + seconds;
  require_invariant(std::isfinite(end), "times are finite");
  if (!lane.cores.empty()) busy_[component] += seconds * cores;
  for (int k = 0; k < std::min(cores, lane.cores.size()); ++k) {
    double& until = core_until_[static_cast<std::size_t>(lane.cores[k])];
    require_invariant(until <= time_, "a core runs one invocation at a time");
    until = end;
  }
  schedule(end, event::kind::end, machine, i);
}

void simulated_network::end(int machine, int i) {
  const running& r = running_[static_cast<std::size_t>(machine)][static_cast<std::size_t>(i)];
  lane_table& lanes = on(machine);
  const int unit = lanes[i].unit;
  const std::size_t component = r.seen.component;
  ended_ = r.seen;
  lane_table::lane& lane = lanes[i];
  if (lane.hosts && unit == static_cast<int>(component)) lane.slice_left = r.seen.seconds * r.seen.records;
  schedule_opening(machine, lanes.end(i), scenario_.move_cost);
  for (std::uint64_t k = 0; k < r.seen.records; ++k) flow_.finish(component, r.ticket + k);
  if (scenario_.components[component].most_in_batch > 1)
    sizes_[component].note(r.seen.records, r.seen.seconds, r.seen.after_move, std::numeric_limits<double>::infinity());
  look_for_work(machine, i);
  give_back(component);
}

// Visits components that take the same in turn: the one marked last comes first.
void simulated_network::give_back(std::size_t component) {
  for (int taken : scenario_.components[component].takes) {
    const auto t = static_cast<std::size_t>(taken);
    is_taken_[t] = false;
    const std::vector<std::size_t>& all = takers_[t];
    const auto self = static_cast<std::size_t>(std::find(all.begin(), all.end(), component) - all.begin());
    for (std::size_t k = 0; k < all.size(); ++k) flow_.note_change(all[(self + all.size() - k) % all.size()]);
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
