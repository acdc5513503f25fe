#include "scheduler/simulate/simulated_run.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include <weir/model/named/estimators.hpp>
#include "scheduler/control/learner.hpp"
#include "scheduler/control/learnt_interference.hpp"
#include "scheduler/expect/expectation.hpp"
#include "scheduler/expect/group_share.hpp"

namespace weir::simulation {
namespace {

// Later steps are as far apart as the least of runtime/run/control_loop.cpp, where a step takes time. At first, slow
// components get as many steps as quick ones.
constexpr double first_pause = 1e-3;
constexpr double later_pause = 20e-3;
constexpr std::uint64_t first_steps = 100;
constexpr std::uint64_t most_latencies = 512;  // that a view has

expectation nothing_expected(std::size_t components) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {.seconds = std::vector<double>(components, unknown), .bottleneck = unknown};
}

// The cores of all machines: made once, since those of many take long.
std::shared_ptr<const topology> cores_of(const scenario& of) {
  std::string made = of.machine.empty() ? "core:" + std::to_string(of.cores) + " pu:1" : of.machine;
  if (of.cores % of.machines() == 0 && of.machines() > 1)
    made = "package:" + std::to_string(of.machines()) + " core:" + std::to_string(of.cores / of.machines()) + " pu:1";
  return std::make_shared<const topology>(topology::synthetic(made));
}

// The learning side of a run on one machine: the observations as a view, and the controller that steps on it.
class coordinator {
 public:
  coordinator(const scenario& of, const contender& who, int machine, std::shared_ptr<const topology> cores)
      : scenario_(of),
        machine_(machine),
        controller_(who.rule, who.control),
        learns_(who.rule.adapts()),
        view_(view_before(of, machine, std::move(cores))),
        learners_(of.components.size()),
        interference_(who.control.interference ? of.components.size() : 0),
        visits_(visits_of(of, of.links_in(0))) {
    for (std::size_t i = 0; i < of.components.size(); ++i) {
      if (of.components[i].machine != machine) continue;
      own_.push_back(i);
      const auto prior = who.prior.find(of.components[i].name);
      learners_[i].emplace(prior == who.prior.end() ? make_estimator(who.estimator, degree{of.components[i].degree})
                                                    : prior->second->clone(),
                           view_.machine);
      learners_[i]->fill(view_.components[i]);
    }
    for (component_view& c : view_.components)
      if (!c.model) c.model = nothing_learnt();
  }

  allotment begin() {
    allotment to = controller_.step(view_).value_or(view_.current);
    view_.current = to;
    return to;
  }

  void tell_group_shares(simulated_network& network) const {
    if (!learns_ || !divides_idle_cores(view_.current)) return;
    for (const std::size_t i : own_) network.set_group_share(i, share_in_group(view_, i));
  }

  void observe(const observation& seen) {
    if (!learns_) return;
    if (!is_outside(view_.components[seen.component])) {
      const bool asks = interference_.asks(seen.component);
      const double expected = asks ? learners_[seen.component]->expected(seen) : 1;
      interference_.observe(seen, seen.after_move ? NAN : seen.seconds / expected);
    }
    learners_[seen.component]->observe(seen);
    is_new_ = true;
  }

  // Whether the network has other cores than at the last step.
  bool is_behind(const simulated_network& network) const { return network.cores(machine_) != view_.cores; }

  std::optional<allotment> step(simulated_network& network) {
    if (network.is_moving(machine_)) return std::nullopt;
    if (!is_behind(network) && (!is_new_ || network.time() < next_step_at_)) return std::nullopt;
    is_new_ = false;
    const core_set cores_before = std::exchange(view_.cores, network.cores(machine_));
    look(network);
    tell_group_shares(network);
    next_step_at_ = view_.time + (++steps_ < first_steps ? first_pause : later_pause);
    auto to = controller_.step(view_);
    if (!to && view_.cores != cores_before)
      if (const std::string wrong = check(view_.current, view_.cores); !wrong.empty())
        throw std::logic_error("simulation: an invariant does not hold: a rule gives up cores that are gone: " + wrong);
    if (!to) return to;
    view_.current = *to;
    view_.in_force_since = view_.time;
    left_before_ = network.flow().left();
    for (std::size_t i : own_) learners_[i]->moved(view_.time);
    interference_.moved();
    return to;
  }

  const std::vector<std::size_t>& own() const { return own_; }  // components

  // Where nothing was learnt, all is NaN.
  expectation expected(const simulated_network& network) {
    if (!learns_) return nothing_expected(learners_.size());
    look(network);
    return expected_times(view_, view_.current);
  }

  std::vector<decision> decisions() const { return controller_.decisions(); }

 private:
  void look(const simulated_network& network) {
    interference_.step();
    view_.interference = interference_.known();
    view_.time = network.time();
    const record_flow& flow = network.flow();
    if (!flow.is_chain()) {
      const std::vector<link> sent = flow.sent();
      visits_ = visits_of(scenario_, sent);
      view_.links = per_input(sent, visits_);
    }
    view_.arrival_rate = flow.arrival_rate();
    view_.left_since_move = flow.left() - left_before_;
    const auto last = static_cast<std::ptrdiff_t>(std::min(view_.left_since_move, most_latencies));
    view_.latencies.assign(flow.latencies().end() - last, flow.latencies().end());
    for (std::size_t i : own_) {
      component_view& c = view_.components[i];
      network.waiting_x(i, waiting_);
      learners_[i]->fill(c, waiting_);
      c.invocations = flow.taken(i);
      c.visits = visits_[i];
      if (network.devices().has(i)) c.visits *= network.devices().rule(i).part_on_cores();  // others need no cores
      if (const resource_queue::bound most = network.resources().most_at_a_time(i);
          most.invocations < std::min(scenario_.components[i].max_width, view_.cores.size()))
        c.max_width = most.invocations, c.limited_by = most.resource;
      else
        c.max_width = scenario_.components[i].max_width, c.limited_by.clear();
      c.queue_length = flow.waiting(i);
      c.arrival_rate = view_.time > 0 ? static_cast<double>(c.invocations + c.queue_length) / view_.time : 0;
    }
  }

  static std::shared_ptr<const estimator> nothing_learnt() {
    // never destroyed: it may be simulated during static destruction
    static const auto* const none = new std::shared_ptr<const estimator>(make_estimator("weir", degree{1}));
    return *none;
  }

  const scenario& scenario_;
  const int machine_;
  controller controller_;
  bool learns_;
  system_view view_;
  std::vector<std::size_t> own_;  // components on this machine
  std::vector<std::optional<learner>> learners_;
  learnt_interference interference_;
  std::vector<double> visits_;   // by component
  std::vector<double> waiting_;  // predictor values
  bool is_new_ = false;
  double next_step_at_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t left_before_ = 0;  // records that had left at the last move
};

// The machines' expectations of their own components.
expectation expected(std::deque<coordinator>& minds, const simulated_network& network) {
  expectation all = minds.front().expected(network);
  for (std::size_t m = 1; m < minds.size(); ++m) {
    const expectation one = minds[m].expected(network);
    for (std::size_t i : minds[m].own()) all.seconds[i] = one.seconds[i];
    all.bottleneck = std::max(all.bottleneck, one.bottleneck);
  }
  return all;
}

double quantile(std::vector<double>& values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Rows of the timeline and the course, equally many records apart.
class recorder {
 public:
  recorder(const scenario& of, int rows) : scenario_(of), rows_(rows), taken_(of.components.size(), 0) {
    if (rows > 0) every_ = std::max<std::uint64_t>(1, of.records / static_cast<std::uint64_t>(rows));
  }

  bool is_due(const simulated_network& network) const { return rows_ > 0 && network.flow().left() >= next_; }

  void take(const simulated_network& network, const expectation& expected) {
    next_ = (network.flow().left() / every_ + 1) * every_;
    const double length = network.time() - time_;
    if (!(length > 0)) return;
    const std::vector<double> visits = visits_of(scenario_, network.flow().sent());
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const share& s = network.current(scenario_.components[i].machine).components[i];
      const auto did = static_cast<double>(network.flow().taken(i) - std::exchange(taken_[i], network.flow().taken(i)));
      result_.push_back({network.time(), i, s.cores.size(), s.width, 1 / expected.seconds[i],
                         visits[i] > 0 ? did / visits[i] / length : 0});
    }
    take_course(network.flow(), network.time(), expected);
    time_ = network.time();
  }

  bool wanted() const { return rows_ > 0; }
  void give(simulated_result& to) && {
    to.timeline = std::move(result_);
    to.course = std::move(course_);
  }

 private:
  void take_course(const record_flow& flow, double time, const expectation& expected) {
    course_row row{.time = time, .seconds = time - time_};
    row.entered = flow.entered() - std::exchange(entered_, flow.entered());
    row.left = flow.left() - left_;
    std::vector<double> latencies(flow.latencies().begin() + static_cast<std::ptrdiff_t>(left_),
                                  flow.latencies().end());
    left_ = flow.left();
    row.latency_p50 = row.latency_p99 = std::numeric_limits<double>::quiet_NaN();
    if (!latencies.empty()) {
      row.latency_p50 = quantile(latencies, 0.5);
      row.latency_p99 = quantile(latencies, 0.99);
    }
    const bool is_known = std::none_of(expected.seconds.begin(), expected.seconds.end(),
                                       [](double seconds) { return std::isnan(seconds); });
    row.predicted =
        is_known && expected.bottleneck > 0 ? 1 / expected.bottleneck : std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < taken_.size(); ++i) row.waiting += flow.waiting(i);
    course_.push_back(row);
  }

  const scenario& scenario_;
  int rows_;
  std::uint64_t every_ = 1, next_ = 1;
  double time_ = 0;
  std::vector<std::uint64_t> taken_;
  std::uint64_t entered_ = 0, left_ = 0;
  std::vector<timeline_row> result_;
  std::vector<course_row> course_;
};

simulated_result result_of(const scenario& of, const simulated_network& network) {
  simulated_result r;
  const record_flow& flow = network.flow();
  r.records = flow.left();
  r.seconds = flow.last_left();
  r.throughput = static_cast<double>(r.records) / r.seconds;
  std::vector<double> latencies = flow.latencies();
  r.latency_mean = std::accumulate(latencies.begin(), latencies.end(), 0.0) / static_cast<double>(latencies.size());
  r.latency_p50 = quantile(latencies, 0.5);
  r.latency_p99 = quantile(latencies, 0.99);
  for (std::size_t i = 0; i < of.components.size(); ++i) {
    r.utilisation.push_back(network.busy_core_seconds(i) / (r.seconds * of.cores));
    const double waited = flow.waited(i) + network.devices().seconds_waited(i) + network.resources().seconds_waited(i);
    r.waited.push_back(flow.taken(i) == 0 ? 0 : waited / static_cast<double>(flow.taken(i)));
    if (network.devices().has(i)) {
      const auto device = to_index(of.components[i].second->device);
      r.devices.push_back({i, device, network.devices().read(i, network.time()), static_cast<double>(flow.taken(i)),
                           network.devices().busy(i) / (r.seconds * of.devices[device].slots)});
    }
  }
  for (std::size_t k = 0; k < of.resources.size(); ++k) r.resource_peaks.push_back(network.resources().peak(k));
  return r;
}

}  // namespace

system_view view_before(const scenario& of, int machine, std::shared_ptr<const topology> cores) {
  system_view view;
  const std::vector<link> each = of.links_in(0);
  const std::vector<double> visits = visits_of(of, each);
  if (!of.links.empty() || of.changes_routing()) view.links = per_input(each, visits);
  for (std::size_t i = 0; i < of.components.size(); ++i) {
    const simulated_component& c = of.components[i];
    component_view v;
    v.name = c.name;
    v.visits = visits[i];
    v.min_cores = c.min_cores;
    v.max_cores = c.max_cores;
    v.max_width = c.max_width;
    v.sequential = c.sequential;
    v.most_together = c.most_in_batch;
    v.priority = c.priority;
    v.blocking = c.blocking;
    if (const resource_queue::bound most = usual_bound(of, c); most.invocations < std::min(v.max_width, of.cores))
      v.max_width = most.invocations, v.limited_by = most.resource;
    if (c.machine != machine) v.visits = 0, v.blocking = 1, v.min_cores = 1;
    view.components.push_back(std::move(v));
  }
  view.machine = cores ? std::move(cores) : cores_of(of);
  view.cores = of.cores_of(machine, 0);
  view.move_cost = of.move_cost;
  return view;
}

simulated_result run(const scenario& of, std::uint64_t seed, const contender& who, int rows) {
  const std::shared_ptr<const topology> cores = cores_of(of);
  simulated_network network(of, seed, who.shown, cores, who.estimator);
  std::deque<coordinator> minds;
  for (int m = 0; m < of.machines(); ++m) minds.emplace_back(of, who, m, cores);
  recorder record(of, rows);
  std::uint64_t moves = 0;
  for (int m = 0; m < of.machines(); ++m) {
    coordinator& mind = minds[static_cast<std::size_t>(m)];
    const allotment first = mind.begin();
    mind.tell_group_shares(network);
    network.move_to(first, m);
  }
  const auto note = [&] { record.take(network, expected(minds, network)); };
  while (network.advance()) {
    if (record.is_due(network)) note();
    const auto& ended = network.ended();
    const int machine = ended ? of.components[ended->component].machine : 0;
    coordinator& mind = minds[static_cast<std::size_t>(machine)];
    if (!ended && !mind.is_behind(network)) continue;
    if (ended) mind.observe(*ended);
    if (const auto to = mind.step(network)) {
      if (record.wanted()) note();
      network.move_to(*to, machine);
      ++moves;
    }
  }
  simulated_result r = result_of(of, network);
  r.moves = moves;
  for (const coordinator& mind : minds) {
    const std::vector<decision> decisions = mind.decisions();
    r.cores_used += mean_cores(decisions, r.seconds);
    if (minds.size() == 1) r.decisions = decisions;
  }
  std::move(record).give(r);
  return r;
}

simulated_result run(const scenario& of, std::uint64_t seed, const std::vector<planned_move>& plan, int rows) {
  // To read a machine takes longer than some runs.
  const bool may_have_kinds = of.machine.find("kinds:") != std::string::npos;
  simulated_network network(of, seed, simulated_network::predictor::known, may_have_kinds ? cores_of(of) : nullptr);
  recorder record(of, rows);
  const expectation nothing = nothing_expected(of.components.size());
  std::uint64_t moves = 0;
  std::vector<decision> made;
  const auto note = [&](const allotment& from, const allotment& to) {
    decision& d = made.emplace_back();
    d.time = network.time();
    d.from = from;
    d.to = to;
    d.why = "planned";
    d.predicted_gain = std::numeric_limits<double>::quiet_NaN();
  };
  note({}, plan.front().to);
  network.move_to(plan.front().to);
  auto next = plan.begin() + 1;
  while (network.advance()) {
    if (record.is_due(network)) record.take(network, nothing);
    if (next == plan.end() || network.is_moving()) continue;
    const auto is_due = [&](const planned_move& m) {
      return (m.when_left ? network.flow().left() : network.flow().entered()) >= m.records;
    };
    if (!is_due(*next)) continue;
    if (!check(next->to, network.cores()).empty()) {
      if (next + 1 != plan.end() && is_due(next[1])) ++next;
      continue;
    }
    if (next->to != network.current()) {
      note(network.current(), next->to);
      network.move_to(next->to);
      ++moves;
    }
    ++next;
  }
  simulated_result r = result_of(of, network);
  r.moves = moves;
  r.decisions = std::move(made);
  r.cores_used = mean_cores(r.decisions, r.seconds);
  std::move(record).give(r);
  return r;
}

}  // namespace weir::simulation
