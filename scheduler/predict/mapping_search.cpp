#include <weir/scheduler/predict/mapping_search.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "scheduler/expect/queueing.hpp"
#include "scheduler/predict/mapping_choices.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

constexpr int random_starts = 6;  // with these and three others the local search seldom misses the best
constexpr int starts = 3 + random_starts;
constexpr int most_sweeps = 60;
constexpr std::uint64_t most_local_steps = 5'000;   // each; nine take seconds with ten components on 48 cores
constexpr std::uint64_t most_sweep_steps = 20'000;  // where one sweep takes more: with many components
constexpr std::uint64_t steps_between_progress = 16;

// The time of a step is proportional to the number of cores. Beyond this number the limit of steps shrinks, so a search
// takes about a minute on any machine.
constexpr int cores_of_all_steps = 64;

// Initial widths: every number up to this many cores, and powers of two beyond, which bounds the memory.
constexpr int cores_of_all_widths = 1024;

std::uint64_t scaled(std::uint64_t steps, int cores) {
  return steps * cores_of_all_steps / static_cast<std::uint64_t>(std::max(cores, cores_of_all_steps));
}

// How bad a mapping is; members are compared from left to right.
struct badness {
  double violation = 0;  // of the constraints, relative to them
  double first = 0, second = 0, third = 0;
  auto parts() const { return std::tie(violation, first, second, third); }
  bool operator<(const badness& other) const { return parts() < other.parts(); }
};

class mapping_search {
 public:
  mapping_search(const network_model& network, int cores, const mapping_goal& goal, const search_progress& progress)
      : network_(network),
        cores_(cores),
        goal_(goal),
        progress_(progress),
        of_(network),
        n_(network.components.size()),
        random_(1) {
    const bool needs_rate = goal.wanted == mapping_goal::kind::cores || goal.at.rate > 0;
    needed_ = std::max(goal.least_throughput, needs_rate ? goal.at.rate : 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      const network_model::component& c = network.components[i];
      const int most = c.device >= 0 ? 1 : std::min(cores, c.max_cores);
      double least = infinite_seconds, work = infinite_seconds;
      for (int p = 1; p <= most; ++p) {
        least = std::min(least, c.time_on(p));
        work = std::min(work, p * c.time_on(p));
      }
      least_seconds_.push_back(least);
      least_work_.push_back(c.device >= 0 ? 0 : visits()[i] * work);
      order_.push_back(i);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return visits()[a] * network.components[a].time_on(1) > visits()[b] * network.components[b].time_on(1);
    });
  }

  mapping_search_result run() {
    for (int start = 0; start < starts; ++start)
      if (mapping from = started(start); check(from, network_, cores_).empty()) improve(std::move(from));
    last_step_ = result_.steps + scaled(goal_.most_steps, cores_);
    mapping begun;
    begun.components.resize(n_);
    result_.complete = extend(begun, 0, std::vector<double>(n_, 0.0));
    std::sort(best_.begin(), best_.end(), [](const kept& a, const kept& b) { return a.is < b.is; });
    for (kept& one : best_) {
      network_prediction predicted = predict_flow(network_, one.where, cores_, goal_.at);
      result_.best.push_back({std::move(one.where), std::move(predicted)});
    }
    return std::move(result_);
  }

 private:
  struct kept {
    mapping where;
    badness is;
    std::string form;
  };

  const std::vector<double>& visits() const { return of_.flow().visits; }

  // The slots of the component's device that others leave; unplaced ones count with one invocation.
  int slots_for(const mapping& given, std::size_t i) const {
    const int device = network_.components[i].device;
    if (device < 0) return 0;
    int left = network_.devices[static_cast<std::size_t>(device)].slots;
    for (std::size_t j = 0; j < n_; ++j)
      if (j != i && network_.components[j].device == device)
        left -= network_.components[j].slots * given.components[j].width;
    return left;
  }

  void count_step() {
    if (++result_.steps % steps_between_progress == 0 && progress_) progress_(result_.steps, last_step_);
  }

  badness badness_of(const mapping& given, bool smooth) {
    count_step();
    const capacity limits = capacity_of(network_, visits(), given, cores_, goal_.at.rule);
    const double seconds = 1 / limits.throughput, latency = of_.latency(given, limits, goal_.at.rate);
    const auto used = static_cast<double>(given.used().size());
    badness is;
    if (limits.throughput < needed_ * (1 - relative_rounding)) is.violation += needed_ / limits.throughput - 1;
    if (latency > goal_.most_latency * (1 + relative_rounding))
      is.violation += std::isinf(latency) ? 1 : latency / goal_.most_latency - 1;
    switch (goal_.wanted) {
      case mapping_goal::kind::throughput:
        is.first = seconds;
        is.second = used;
        is.third = latency;
        break;
      case mapping_goal::kind::latency:
        is.first = latency;
        is.second = seconds;
        is.third = used;
        break;
      case mapping_goal::kind::cores:
        is.first = used;
        is.second = seconds;
        is.third = latency;
        break;
    }
    if (smooth && goal_.wanted == mapping_goal::kind::throughput) {
      // One of two equal bottlenecks can be helped first. So all count, the slower ones more.
      double sum = 0;
      for (double limit : limits.limit) sum += std::pow(limits.throughput / limit, 8);
      is.third = is.second;
      is.second = seconds * sum;
    }
    for (double* const part : {&is.violation, &is.first, &is.second, &is.third})
      if (std::isnan(*part)) *part = infinite_seconds;  // an order needs numbers that compare
    return is;
  }

  void keep(const mapping& given, const badness& is) {
    if (is.violation > 0 || (best_.size() >= goal_.top && !(is < worst()))) return;
    std::string form = form_of(given, cores_);
    if (!forms_.insert(form).second) return;
    best_.push_back({given, is, std::move(form)});
    if (best_.size() <= goal_.top) return;
    const auto last =
        std::max_element(best_.begin(), best_.end(), [](const kept& a, const kept& b) { return a.is < b.is; });
    forms_.erase(last->form);
    best_.erase(last);
  }

  badness worst() const {
    badness most = best_.front().is;
    for (const kept& one : best_)
      if (most < one.is) most = one.is;
    return most;
  }

  // ---- local search ----

  mapping started(int which) {
    mapping from;
    const core_set all = core_set::range(0, cores_);
    double sum = 0, taken = 0;
    for (std::size_t i = 0; i < n_; ++i)
      sum += std::max(visits()[i], relative_rounding) * network_.components[i].time_on(1);
    for (std::size_t i = 0; i < n_; ++i) {
      const network_model::component& c = network_.components[i];
      if (c.device >= 0) {
        from.components.push_back({});
        continue;
      }
      const double part = std::max(visits()[i], relative_rounding) * c.time_on(1) / sum;
      int size = cores_, first = 0;
      if (which == 2) {
        size = as_int(std::round(part * cores_), 1, cores_);
        first = as_int(taken * cores_, 0, cores_);
        taken += part;
      } else if (which > 2) {
        size = std::uniform_int_distribution<int>(1, cores_)(random_);
        first = std::uniform_int_distribution<int>(0, cores_ - size)(random_);
      }
      size = std::min(cores_, std::clamp(size, c.min_cores, c.max_cores));
      const std::vector<mapping::entry> ways =
          ways_on(core_set::range(std::min(first, cores_ - size), size), c, cores_ <= cores_of_all_widths);
      std::size_t way = which == 1 || ways.empty() ? 0 : ways.size() - 1;
      if (which > 2 && !ways.empty()) way = std::uniform_int_distribution<std::size_t>(0, way)(random_);
      from.components.push_back(ways.empty() ? mapping::entry{} : ways[way]);
    }
    return from;
  }

  void improve(mapping now) {
    const std::uint64_t last = result_.steps + scaled(most_local_steps, cores_);
    last_of_sweeps_ = result_.steps + scaled(most_sweep_steps, cores_);
    badness is = badness_of(now, true);
    keep(now, badness_of(now, false));
    const auto better = [&](const mapping& changed) {
      const badness then = badness_of(changed, true);
      if (then < is || best_.size() < goal_.top) keep(changed, badness_of(changed, false));
      if (!(then < is)) return false;
      is = then;
      return true;
    };
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const badness before = is;
      for (std::size_t i : order_) place_anew(now, i, better);
      for (std::size_t i : order_)
        for (std::size_t j : order_) hand_over(now, i, j, better);
      if (!(is < before) || result_.steps >= last) return;
    }
  }

  template <typename Better>
  void place_anew(mapping& now, std::size_t i, const Better& better) {
    const network_model::component& c = network_.components[i];
    mapping changed = now;
    changed.components[i] = {};
    const std::vector<core_set> classes = core_classes(changed, cores_);
    for (mapping::entry& way : some_ways(classes, c, slots_for(now, i), now.components[i])) {
      if (result_.steps >= last_of_sweeps_) return;
      changed.components[i] = std::move(way);
      if (better(changed)) now = changed;
    }
  }

  // Moves a core from j to i.
  template <typename Better>
  void hand_over(mapping& now, std::size_t i, std::size_t j, const Better& better) {
    const core_set of_i = now.components[i].cores, of_j = now.components[j].cores, only_j = of_j - of_i;
    if (i == j || of_i.empty() || of_j.size() < 2 || only_j.empty()) return;
    const core_set core{only_j[only_j.size() - 1]};
    mapping changed = now;
    for (const mapping::entry& more : ways_on(of_i | core, network_.components[i], false))
      for (const mapping::entry& less : ways_on(of_j - core, network_.components[j], false)) {
        if (result_.steps >= last_of_sweeps_) return;
        changed.components[i] = more;
        changed.components[j] = less;
        if (better(changed)) now = changed;
      }
  }

  // ---- branch and bound ----

  // A lower bound: no completion of this partial mapping is better.
  badness bound(const mapping& begun, const std::vector<double>& placed) {
    const capacity limits = capacity_of(network_, placed, begun, cores_, goal_.at.rule);
    double work = 0;  // seconds of all cores together for each record that enters
    std::vector<double> sojourn = least_seconds_;
    for (std::size_t i = 0; i < n_; ++i) {
      const mapping::entry& e = begun.components[i];
      if (!(placed[i] > 0)) {
        work += least_work_[i];
        continue;
      }
      const double seconds = e.width / service_rate(network_, begun, i);
      if (!e.cores.empty())
        work += e.cores.size() % e.width == 0 || e.roams ? placed[i] * seconds * e.invocation_cores() : least_work_[i];
      sojourn[i] = seconds + (network_.components[i].together > 1  // the wait of single records is no bound of theirs
                                  ? 0
                                  : waiting_time({goal_.at.rate * placed[i], seconds, network_.components[i].variation},
                                                 e.width));
    }
    const double seconds = std::max(1 / limits.throughput, work / cores_);
    badness least;
    switch (goal_.wanted) {
      case mapping_goal::kind::throughput:
        least.first = seconds;
        least.second = static_cast<double>(begun.used().size());
        break;
      case mapping_goal::kind::latency:
        least.first = of_.latency(sojourn);
        least.second = seconds;
        break;
      case mapping_goal::kind::cores:
        least.first = static_cast<double>(begun.used().size());
        least.second = seconds;
        break;
    }
    if (seconds * needed_ > 1 + relative_rounding) least.violation = 1;
    return least;
  }

  // Whether a mapping with this bound could beat the last of the best.
  bool could_be_better(const badness& least) const {
    const badness last = worst();
    if (least.first < last.first * (1 - relative_rounding)) return true;
    return least.first <= last.first * (1 + relative_rounding) && least.second < last.second * (1 - relative_rounding);
  }

  // False when it took too long.
  bool extend(mapping& begun, std::size_t depth, std::vector<double> placed) {
    if (depth == n_) {
      keep(begun, badness_of(begun, false));
      return true;
    }
    const std::size_t i = order_[depth];
    const network_model::component& c = network_.components[i];
    placed[i] = visits()[i];
    struct next {
      mapping::entry way;
      badness least;
    };
    std::vector<next> ways;
    const std::vector<core_set> classes = core_classes(begun, cores_);
    const auto left = static_cast<double>(last_step_ - std::min(last_step_, result_.steps));
    const int slots = slots_for(begun, i);
    const bool are_few = count_ways(classes, c, slots) <= left;
    if (!are_few && placed[i] > 0) return false;  // too many to consider even once
    for (mapping::entry& way : are_few ? all_ways(classes, c, slots) : some_ways(classes, c, slots, {})) {
      if (result_.steps >= last_step_) return false;
      if (!ways.empty() && !(placed[i] > 0)) break;  // no record comes here, so all places are equal
      count_step();
      begun.components[i] = std::move(way);
      const badness least = bound(begun, placed);
      ways.push_back({begun.components[i], least});
    }
    std::stable_sort(ways.begin(), ways.end(), [](const next& a, const next& b) { return a.least < b.least; });
    for (next& one : ways) {
      if (one.least.violation > 0) break;
      if (best_.size() >= goal_.top && !could_be_better(one.least)) continue;
      begun.components[i] = std::move(one.way);
      if (!extend(begun, depth + 1, placed)) return false;
    }
    begun.components[i] = {};
    return true;
  }

  const network_model& network_;
  const int cores_;
  const mapping_goal& goal_;
  const search_progress& progress_;
  const flow_predictor of_;
  const std::size_t n_;
  std::mt19937_64 random_;
  double needed_ = 0;
  std::vector<double> least_seconds_, least_work_;
  std::vector<std::size_t> order_;  // most work first
  std::vector<kept> best_;
  std::set<std::string> forms_;
  // Where a sweep of the local search and the search as a whole end at the latest.
  std::uint64_t last_of_sweeps_ = 0, last_step_ = scaled(starts * most_sweep_steps + goal_.most_steps, cores_);
  mapping_search_result result_;
};

}  // namespace

void mapping_goal::validate() const {
  at.validate();
  require("mapping_goal", wanted != kind::cores || at.rate > 0,
          "the fewest cores for which rate? It must be more than 0");
  require("mapping_goal", least_throughput >= 0 && !std::isinf(least_throughput),
          "the least throughput is " + in_digits(least_throughput) + "; it must be finite and 0 or more");
  require("mapping_goal", most_latency > 0,
          "the longest latency is " + in_digits(most_latency) + "; it must be more than 0");
  require("mapping_goal", top >= 1, "the best 0 were asked for; it must be 1 or more");
}

mapping_search_result best_mappings(const network_model& network, int cores, const mapping_goal& goal,
                                    const search_progress& progress) {
  network.validate();
  goal.validate();
  if (cores < 1) throw std::invalid_argument("mappings were asked for on " + std::to_string(cores) + " cores");
  return mapping_search(network, cores, goal, progress).run();
}

}  // namespace weir
