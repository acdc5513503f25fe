#include "scheduler/simulate/simulated_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "scheduler/control/steady_inputs.hpp"
#include "scheduler/simulate/counter_random.hpp"

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

simulated_network::simulated_network(const scenario& of, std::uint64_t seed, predictor shown)
    : scenario_(of),
      seed_(mix(seed, 2)),
      shown_(shown),
      flow_(of, seed),
      lanes_(widths_of(of), core_set::range(0, of.cores)),
      slow_(of, seed),
      core_until_(static_cast<std::size_t>(of.cores), 0),
      busy_(of.components.size(), 0) {
  lanes_.set_cores(core_set::range(0, of.cores_in(0)));
  if (of.coming.how == arrivals::kind::closed) return;
  arrivals_.emplace(of.coming, mix(mix(seed), 1));
  schedule(arrivals_->next(), event::kind::arrival, 0);
}

void simulated_network::schedule(double time, event::kind what, int which) {
  events_.push({time, scheduled_++, what, which});
}

void simulated_network::schedule_opening(const std::vector<int>& lanes, double cost) {
  for (int lane : lanes) schedule(time_ + cost, event::kind::open, lane);
}

void simulated_network::move_to(const allotment& to) {
  require_invariant(!is_moving(), "moves come one after the other");
  const bool is_initial = current().components.empty();
  schedule_opening(lanes_.move_to(to), is_initial ? 0 : scenario_.move_cost);
  for (std::size_t i = 0; i < to.components.size(); ++i) flow_.set_width(i, lanes_.width_of(i));
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
      end(next.which);
      break;
    case event::kind::open:
      lanes_.open(next.which);
      look_for_work(next.which);
      break;
    case event::kind::arrival:
      flow_.arrive(time_);
      if (++arrived_ < scenario_.records) schedule(arrivals_->next(), event::kind::arrival, 0);
      break;
  }
  start_what_can();
  return true;
}

void simulated_network::start_what_can() {
  for (int i; (i = flow_.settle(time_)) >= 0;) start(static_cast<std::size_t>(i));
  if (const int cores = scenario_.cores_in(flow_.phase()); cores != lanes_.cores().size())
    lanes_.set_cores(core_set::range(0, cores));
}

void simulated_network::start(std::size_t component) {
  if (lanes_.is_member(component)) return start_group();
  while (can_run(component)) {
    const int lane = lanes_.free_lane(static_cast<int>(component));
    if (lane < 0) break;
    run(lane, component);
  }
  if (const int host = lanes_.host_lane(); host >= 0 && lanes_[host].unit == static_cast<int>(component))
    start_on_host(host);
}

void simulated_network::start_group() {
  if (const int host = lanes_.host_lane(); host >= 0) return start_on_host(host);
  const auto& members = lanes_.members();
  for (int lane; (lane = lanes_.free_lane(lanes_.group())) >= 0;) {
    std::size_t tried = 0;
    while (tried < members.size() && !can_run(members[(lanes_.next_member + tried) % members.size()])) ++tried;
    if (tried == members.size()) return;
    const std::size_t chosen = (lanes_.next_member + tried) % members.size();
    lanes_.next_member = (chosen + 1) % members.size();
    run(lane, members[chosen]);
  }
}

void simulated_network::start_on_host(int i) {
  lane_table::lane& host = lanes_[i];
  const auto owner = static_cast<std::size_t>(host.unit);
  const auto& members = lanes_.members();
  const auto member = [&] {
    for (std::size_t tried = 0; tried < members.size(); ++tried)
      if (const std::size_t k = (lanes_.next_member + tried) % members.size(); can_run(members[k])) {
        lanes_.next_member = (k + 1) % members.size();
        return static_cast<int>(members[k]);
      }
    return -1;
  };
  const bool owner_waits = can_run(owner);
  if (const int m = owner_waits && host.slice_left <= 0 ? -1 : member(); m >= 0) {
    const double began = time_;
    run(i, static_cast<std::size_t>(m));
    lanes_[i].slice_left -= core_until_[static_cast<std::size_t>(lanes_[i].cores[0])] - began;
  } else if (owner_waits) {
    run(i, owner);
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

void simulated_network::run(int i, std::size_t component) {
  lanes_.begin(i, component);
  const lane_table::lane& lane = lanes_[i];
  const simulated_component& c = scenario_.components[component];
  if (running_.size() <= static_cast<std::size_t>(i)) running_.resize(static_cast<std::size_t>(i) + 1);
  running& r = running_[static_cast<std::size_t>(i)];
  r.ticket = flow_.taken(component);
  const token what = flow_.take(component, time_);

  const bool is_own = lane.unit == static_cast<int>(component) && !lane.cores.empty();
  const int cores = is_own ? lane.cores.size() : 1;
  const simulated_component::phase& now = c.in(what.phase);
  const double x = true_x(component, what);
  double seconds = c.cost(x, cores) * now.factor;
  if (c.noise > 0) seconds *= std::exp(c.noise * normal(draw(what, component, of_noise)) - c.noise * c.noise / 2);
  if (c.late.part > 0 && uniform(draw(what, component, of_late)) < c.late.part)
    seconds *= c.late.low * std::pow(uniform(draw(what, component, of_lateness)), -1 / c.late.exponent);

  seconds *= slow_.factor(component, time_, flow_.phase());

  observation& seen = r.seen;
  seen.component = static_cast<std::uint32_t>(component);
  seen.x = shown_x(x, component, what);
  seen.cores = cores;
  seen.start = time_;
  seen.seconds = seconds;
  seen.width = lanes_.width_of(component);
  seen.queue = static_cast<std::uint32_t>(flow_.waiting(component));
  seen.first_core = lane.cores.empty() ? 0 : static_cast<std::uint32_t>(lane.cores[0]);
  seen.after_move = lanes_.take_first(component);
  const double end = time_ + seconds;
  require_invariant(std::isfinite(end), "times are finite");
  if (!lane.cores.empty()) busy_[component] += seconds * cores;
  for (int k = 0; k < std::min(cores, lane.cores.size()); ++k) {
    double& until = core_until_[static_cast<std::size_t>(lane.cores[k])];
    require_invariant(until <= time_, "a core runs one invocation at a time");
    until = end;
  }
  schedule(end, event::kind::end, i);
}

void simulated_network::end(int i) {
  const running& r = running_[static_cast<std::size_t>(i)];
  const int unit = lanes_[i].unit;
  const std::size_t component = r.seen.component;
  ended_ = r.seen;
  lane_table::lane& lane = lanes_[i];
  if (lane.hosts && unit == static_cast<int>(component)) lane.slice_left = r.seen.seconds;
  schedule_opening(lanes_.end(i), scenario_.move_cost);
  flow_.finish(component, r.ticket);
  look_for_work(i);
}

// Marks every component that may have work for a free lane.
void simulated_network::look_for_work(int lane) {
  const int unit = lanes_[lane].unit;
  if (unit != lanes_.group()) flow_.look_at(static_cast<std::size_t>(unit));
  if (unit == lanes_.group() || lanes_[lane].hosts)
    for (std::size_t m : lanes_.members()) flow_.look_at(m);
}

void simulated_network::check_at_end() const {
  flow_.check_records();
  double busy = 0;
  for (double b : busy_) busy += b;
  require_invariant(busy <= time_ * scenario_.cores * (1 + 1e-9), "no core is used for more than all of the time");
}

}  // namespace weir::simulation
