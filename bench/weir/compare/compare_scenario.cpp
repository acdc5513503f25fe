#include "bench/weir/compare/compare_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/record/label.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/simulate/scenario_file.hpp"
#include "components/emulated.hpp"
#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/invocation_times.hpp"
#include "scheduler/simulate/record_routes.hpp"

namespace weir::program {
namespace {

using simulation::scenario;
using simulation::simulated_component;
using simulation::token;

// `key` is a token's. A component that chooses gives `back`: the component that the record goes back to, counted from
// 1, or 0 for the next one.
constexpr tag id{"id"}, key{"key"}, back{"back"};

// A rule that keeps one allotment.
class kept_allotment final : public allocation_rule {
 public:
  explicit kept_allotment(allotment kept) : kept_(std::move(kept)) {}
  std::string name() const override { return "one allotment"; }
  allotment decide(const system_view&) const override { return kept_; }

 private:
  allotment kept_;
};

constexpr std::uint64_t most_records = 1'000'000;  // every observation is kept until the end
constexpr double latest_due = 1e9;                 // seconds: a clock may hold no more

// The records of a scenario, as all of its boxes know them. Immutable; any thread may use it.
struct known_records {
  const scenario of;
  const simulation::record_routes routes;
  const simulation::invocation_times times;

  known_records(scenario s, std::uint64_t seed)
      : of(std::move(s)), routes(of, seed), times(of, seed, simulation::record_draws::predictor::known, nullptr) {}

  token of_record(std::int64_t record, std::int64_t with_key) const {
    token t;
    t.key = static_cast<std::uint64_t>(with_key);
    t.record = static_cast<std::uint32_t>(record);
    const auto& starts = of.phase_starts;
    t.phase = static_cast<std::uint32_t>(
        std::upper_bound(starts.begin(), starts.end(), static_cast<std::uint64_t>(record)) - starts.begin() - 1);
    return t;
  }
  double x(std::size_t component, const token& what) const { return times.draws().x(component, what); }
  void take_time(std::size_t component, const token& what, int cores) const {
    const simulated_component& c = of.components[component];
    const double seconds = c.time_of(x(component, what), cores, c.in(what.phase));
    components::emulate({{times.draws().sample(seconds, component, what)}, 0}, 1, 1);
  }
  // The link on which the component sends the record.
  std::size_t link_of(std::size_t component, const token& what) const {
    const std::vector<link>& all = routes.links();
    std::size_t k = 0;
    while (all[k].from != static_cast<int>(component) || routes.copies_on(k, what) == 0) ++k;
    return k;
  }
};
using shared_records = std::shared_ptr<const known_records>;

network box_of(const shared_records& known, std::size_t i) {
  const simulated_component& c = known->of.components[i];
  const auto with_settings = [&](auto made) {
    made = made.predicted_by(
        [known, i](std::int64_t record, std::int64_t with) { return known->x(i, known->of_record(record, with)); },
        degree{c.degree});
    made = made.width(c.max_width).cores(c.min_cores, c.max_cores).priority(c.priority);
    return network(c.sequential ? made.sequential() : made);
  };
  const auto next_key = [known, i](const token& what, std::size_t link) {
    return static_cast<std::int64_t>(known->routes.key_on(link, what.key, 1));
  };
  if (!c.chooses)
    return with_settings(box(c.name, takes(id, key), gives(id, key),
                             [known, i, next_key](const grant& given, std::int64_t record, std::int64_t with) {
                               const token what = known->of_record(record, with);
                               known->take_time(i, what, given.size());
                               return std::tuple(record, next_key(what, known->link_of(i, what)));
                             }));
  return with_settings(box(c.name, takes(id, key), gives(id, key, back),
                           [known, i, next_key](const grant& given, std::int64_t record, std::int64_t with) {
                             const token what = known->of_record(record, with);
                             known->take_time(i, what, given.size());
                             const std::size_t link = known->link_of(i, what);
                             const int to = known->routes.links()[link].to;
                             const bool leads_back = to >= 0 && to <= static_cast<int>(i);
                             return std::tuple(record, next_key(what, link), std::int64_t{leads_back ? to + 1 : 0});
                           }));
}

// The components that records go round in.
struct loop {
  int first, last;
  bool operator==(const loop&) const = default;
};

// Components `of`, of which the whole is no loop in itself, with the loops inside.
network chain_of(const shared_records& known, const loop& of, const std::vector<loop>& inside) {
  std::optional<network> chain;
  for (int i = of.first; i <= of.last;) {
    const loop* longest = nullptr;
    for (const loop& l : inside)
      if (l.first == i && l.last <= of.last && (!longest || l.last > longest->last)) longest = &l;
    network part = [&] {
      if (!longest) return box_of(known, static_cast<std::size_t>(i));
      std::vector<loop> rest = inside;
      std::erase(rest, *longest);
      return feedback(chain_of(known, *longest, rest), pattern{back}.where(back == i + 1));
    }();
    chain = chain ? *chain >> part : std::move(part);
    i = longest ? longest->last + 1 : i + 1;
  }
  return *chain;
}

// The loops of a network that is a chain but for these.
std::vector<loop> loops_of(const scenario& s, const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    throw bad_input(
        fmt::format("--scenario: {}: links: {}; only a chain can be run, in which components that choose "
                    "may send records back; others can only be simulated (weir simulate)",
                    path, what));
  };
  const int count = static_cast<int>(s.components.size());
  const auto name = [&](int i) {
    return i < 0 || i >= count ? std::string("output") : excerpt(s.components[static_cast<std::size_t>(i)].name);
  };
  std::vector<loop> loops;
  std::vector<bool> goes_on(s.components.size(), false);
  bool enters = false;
  for (const link& l : s.all_links()) {
    const int next = l.from + 1 < count ? l.from + 1 : -1;
    if (l.from < 0) {
      if (l.to != 0 || l.records != 1) refuse(fmt::format("records enter at {}", name(l.to)));
      if (std::exchange(enters, true)) refuse("records enter twice");
      continue;
    }
    const auto from = static_cast<std::size_t>(l.from);
    const bool chooses = s.components[from].chooses;
    if (l.to == next && (chooses || l.records == 1) && !goes_on[from])
      goes_on[from] = true;
    else if (chooses && l.to >= 0 && l.to <= l.from)
      loops.push_back({l.to, l.from});
    else
      refuse(fmt::format("{} gives {:g} records to {}", name(l.from), l.records, name(l.to)));
  }
  for (int i = 0; i < count; ++i)
    if (!goes_on[static_cast<std::size_t>(i)]) refuse(fmt::format("{} gives none to {}", name(i), name(i + 1)));
  for (const loop& a : loops)
    for (const loop& b : loops)
      if (a.first < b.first && b.first <= a.last && a.last < b.last)
        refuse(fmt::format("the ways back of {} and {} cross", name(a.last), name(b.last)));
  return loops;
}

void require_live(const scenario_file& file, const scenario& s, const std::string& path) {
  const auto refuse_if = [&](bool is_so, const std::string& place, const std::string& what) {
    if (is_so)
      throw bad_input(fmt::format("--scenario: {}: {}: {} can only be simulated (weir simulate)", path, place, what));
  };
  const auto of_any = [&](const auto& is_so) { return std::any_of(s.components.begin(), s.components.end(), is_so); };
  refuse_if(file.machines.has_value(), "machines", "a network on several machines");
  refuse_if(s.machine.find("kinds:") != std::string::npos, "machine", "cores of several kinds");
  refuse_if(!s.machine.empty() && machine::synthetic(s.machine).size() != s.cores, "machine",
            "a part of a machine's cores");
  refuse_if(s.records > most_records, "records", fmt::format("more than {} records", most_records));
  refuse_if(!s.devices.empty(), "devices", "a device");
  refuse_if(!s.resources.empty(), "resources", "a resource");
  refuse_if(!s.slow_downs.empty(), "slow_downs", "a slow-down");
  refuse_if(std::any_of(s.phases.begin(), s.phases.end(),
                        [](const simulation::network_phase& p) { return p.cores > 0 || !p.records.empty(); }),
            "phases", "a phase of other cores or links");
  refuse_if(of_any([](const simulated_component& c) { return c.most_in_batch > 1; }), "batch", "a batch");
  refuse_if(of_any([](const simulated_component& c) { return c.pressure > 0 || c.sensitivity > 0; }), "pressure",
            "pressure of components on each other");
  refuse_if(of_any([](const simulated_component& c) { return c.joins; }), "joins", "a component that joins");
}

std::vector<double> times_due(const scenario& s, std::uint64_t seed, const std::string& path) {
  std::vector<double> due;
  if (s.coming.how == simulation::arrivals::kind::closed) return due;
  simulation::arrival_times next(s.coming, seed);
  for (std::uint64_t i = 0; i < s.records; ++i) {
    due.push_back(next.next());
    if (due.back() > latest_due)
      throw bad_input(fmt::format("--scenario: {}: arrivals: record {} comes after {:g} s, expected at most {:g} s",
                                  path, i, due.back(), latest_due));
  }
  return due;
}

// The best fixed division for an objective. Where a record enters when there is room, a demand of the objective says
// when; none where one enters when the last is out, since no scenario has such arrivals.
std::function<planned_policy()> best_fixed_of(const shared_records& known, std::uint64_t seed, const objective& goal,
                                              const std::vector<std::string>& names) {
  const bool is_closed = known->of.coming.how == simulation::arrivals::kind::closed;
  if (is_closed && goal != objective::throughput && goal.rate() <= 0) return nullptr;
  return [=] {
    scenario of = known->of;
    if (is_closed && goal != objective::throughput) {
      of.coming.how = simulation::arrivals::kind::profile;
      of.coming.rates = {{0, goal.rate()}};
    }
    allotment best = simulation::regret_of(of, seed, 0, goal).fixed;
    std::string text = to_string(best, names);
    return planned_policy{best_fixed_name, std::move(text), kept_allotment(std::move(best))};
  };
}

}  // namespace

live_scenario read_live_scenario(const std::string& path, const objective& goal, std::uint64_t seed,
                                 std::optional<std::size_t> records) {
  const scenario_file file = read_scenario(path, std::nullopt);
  scenario s = file.at(seed);
  if (records) s.records = *records;
  try {
    s.validate();
  } catch (const std::invalid_argument& e) {
    throw bad_input(records ? fmt::format("--records {}: {}: {}", *records, path, e.what())
                            : fmt::format("--scenario: {}: {}", path, e.what()));
  }
  require_live(file, s, path);
  const std::vector<loop> loops = loops_of(s, path);

  const auto known = std::make_shared<const known_records>(std::move(s), seed);
  const scenario& of = known->of;
  const int last = static_cast<int>(of.components.size()) - 1;
  compared_workload w{{chain_of(known, {0, last}, loops), {}, of.records, {}, {}},
                      of.coming.how != simulation::arrivals::kind::closed ? "they come when the scenario says"
                      : goal == objective::throughput                     ? "they enter when there is room"
                                                                          : "they enter as the objective says"};
  w.max_width = 1;
  for (const simulated_component& c : of.components) {
    w.components.push_back(c.name);
    w.max_width = std::max(w.max_width, c.max_width);
  }
  w.input = [known](std::size_t i) {
    return record(id = static_cast<std::int64_t>(i), key = static_cast<std::int64_t>(known->routes.first_key(i)));
  };
  w.index_of = [](const record& result) { return static_cast<std::size_t>(result[id]); };
  w.due = times_due(of, seed, path);
  w.best_fixed = best_fixed_of(known, seed, goal, w.components);
  w.try_on = [known](const policy& rule) {
    system_view before = simulation::view_before(known->of);
    for (component_view& c : before.components) c.model = make_estimator("weir", degree{0});
    rule.decide(before);
  };
  w.fixed_how = "found by simulating the scenario";
  return {file.name, of.machine.empty() ? fmt::format("core:{} pu:1", of.cores) : of.machine, std::move(w)};
}

}  // namespace weir::program
