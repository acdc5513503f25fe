#include <weir/scheduler/predict/core_sharing.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "scheduler/expect/queueing.hpp"
#include "scheduler/predict/linear_program.hpp"
#include "scheduler/predict/mapping_choices.hpp"

namespace weir {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double full = 1 - 1e-9;

// A lane of a component, or for a roaming one all its lanes on cores of one kind. On cores of a kind the same
// components run in the same lanes.
struct lane {
  std::size_t component, number;
  int first_core;  // represents all cores of the lane, or of the kind if it roams
  int kinds_cores = 1;
  double seconds = 0;
  bool roams = false;
};

class sharing_cores {
 public:
  sharing_cores(const network_model& network, const std::vector<double>& visits, const mapping& given, int cores)
      : network_(network), visits_(visits), given_(given), on_(lanes_by_core(given, cores)) {
    const std::size_t n = visits.size();
    for (lanes_on_core& here : on_) std::erase_if(here, [&](const auto& lane) { return !(visits[lane.first] > 0); });
    all_.by_cores.assign(n, no_limit);
    all_.alone.assign(n, no_limit);
    all_.busy.assign(on_.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (!(visits[i] > 0)) continue;
      all_.by_cores[i] = service_rate(network, given, i) / visits[i];
      all_.alone[i] = std::min(all_.by_cores[i], by_needs(i));
    }
  }

  capacity work_conserving() {
    std::vector<std::size_t> leader(visits_.size());
    std::iota(leader.begin(), leader.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
      while (leader[i] != i) i = leader[i] = leader[leader[i]];
      return i;
    };
    for (const auto& here : on_)
      for (const auto& [i, l] : here) leader[find(i)] = find(here.front().first);
    std::map<std::size_t, std::vector<std::size_t>> together;
    for (std::size_t i = 0; i < visits_.size(); ++i)
      if (visits_[i] > 0) together[find(i)].push_back(i);
    for (const auto& [first, members] : together) {
      if (members.size() == 1)
        use_alone(members[0]);
      else
        share(members);
    }
    return finished();
  }

  capacity equal_parts() {
    for (std::size_t i = 0; i < visits_.size(); ++i) {
      const mapping::entry& e = given_.components[i];
      if (e.cores.empty() || !(visits_[i] > 0)) continue;
      double rate = 0;
      for (const core_set& own : e.lanes()) {
        std::size_t most = 1;
        for (int core : own) most = std::max(most, on(core).size());
        rate += 1 / (seconds(i, own.size()) * static_cast<double>(most));
      }
      if (e.roams) rate = std::min(rate, e.width / seconds(i, 1));
      all_.by_cores[i] = rate / visits_[i];
      for (const core_set& own : e.lanes())
        for (int core : own) all_.busy[static_cast<std::size_t>(core)] += 1.0 / static_cast<double>(on(core).size());
    }
    return finished();
  }

 private:
  const lanes_on_core& on(int core) const { return on_[static_cast<std::size_t>(core)]; }
  // Records a second that the needs of one component allow.
  double by_needs(std::size_t i) const {
    return network_.components[i].needs.empty() ? no_limit : network_.most_by_needs(i) / in_lanes(i) / visits_[i];
  }
  double in_lanes(std::size_t i) const { return given_.components[i].width / service_rate(network_, given_, i); }
  double seconds(std::size_t i, int cores) const { return network_.components[i].time_on(cores); }

  void use_alone(std::size_t i) {
    const mapping::entry& e = given_.components[i];
    for (int core : e.cores)
      all_.busy[static_cast<std::size_t>(core)] = e.roams ? static_cast<double>(e.width) / e.cores.size() : 1;
  }

  // The lanes of components that share cores, one for all equal ones.
  std::vector<lane> lanes_of(const std::vector<std::size_t>& members) const {
    std::vector<lane> lanes;
    for (std::size_t i : members) {
      const mapping::entry& e = given_.components[i];
      std::map<lanes_on_core, lane> kinds;
      const std::vector<core_set> own = e.lanes();
      for (std::size_t l = 0; l < own.size(); ++l) {
        if (!e.roams)
          lanes.push_back({i, l, own[l][0], 1, seconds(i, own[l].size()), false});
        else if (const auto [at, is_new] =
                     kinds.try_emplace(on(own[l][0]), lane{i, 0, own[l][0], 1, seconds(i, 1), true});
                 !is_new)
          ++at->second.kinds_cores;
      }
      for (const auto& [kind, one] : kinds) lanes.push_back(one);
    }
    return lanes;
  }

  bool lies_on(const lane& one, int core) const {
    if (one.roams) return on(one.first_core) == on(core);
    const std::pair<std::size_t, std::size_t> as{one.component, one.number};
    return std::find(on(core).begin(), on(core).end(), as) != on(core).end();
  }

  // Variables of the program: the rate, in parts of `scale`, and the busy part of each lane's time. For a roaming one
  // it is the number of cores that it keeps busy.
  void share(const std::vector<std::size_t>& members) {
    const std::vector<lane> lanes = lanes_of(members);
    double scale = no_limit;
    for (std::size_t i : members) scale = std::min(scale, all_.alone[i]);
    if (!(scale < no_limit)) return;  // such rare records take no time of the cores
    core_set cores;
    for (std::size_t i : members) cores = cores | given_.components[i].cores;
    linear_program program{1 + lanes.size(), {}};
    std::map<lanes_on_core, std::size_t> kinds;
    for (int core : cores) {
      if (!kinds.try_emplace(on(core), program.rows.size()).second) continue;
      linear_program::row row{std::vector<double>(program.variables, 0.0), 1};
      for (std::size_t l = 0; l < lanes.size(); ++l)
        if (lies_on(lanes[l], core)) row.factors[1 + l] = 1.0 / lanes[l].kinds_cores;
      program.rows.push_back(std::move(row));
    }
    for (std::size_t i : members) {
      const mapping::entry& e = given_.components[i];
      linear_program::row runs{std::vector<double>(program.variables, 0.0), 0}, at_once = runs;
      const double one = seconds(i, std::max(1, e.invocation_cores()));
      runs.factors[0] = scale * visits_[i] * one;
      for (std::size_t l = 0; l < lanes.size(); ++l)
        if (lanes[l].component == i) runs.factors[1 + l] = -one / lanes[l].seconds, at_once.factors[1 + l] = 1;
      program.rows.push_back(std::move(runs));
      at_once.limit = e.width;
      if (e.roams && e.width < e.cores.size()) program.rows.push_back(std::move(at_once));
    }
    const std::vector<double> x = solution_of(program);
    for (std::size_t i : members) all_.by_cores[i] = std::min(all_.by_cores[i], x[0] * scale);
    for (const auto& [kind, row] : kinds) {
      double busy = 0;
      for (std::size_t l = 0; l < lanes.size(); ++l) busy += program.rows[row].factors[1 + l] * x[1 + l];
      for (int core : cores)
        if (on(core) == kind) all_.busy[static_cast<std::size_t>(core)] = busy;
    }
  }

  // The most records a second for which a resource suffices to all that need it.
  double limit_by_resources() {
    double limit = no_limit;
    for (std::size_t r = 0; r < network_.resources.size(); ++r) {
      double amount = 0;  // times seconds, for a record that enters
      for (std::size_t i = 0; i < visits_.size(); ++i)
        for (const network_model::need& n : network_.components[i].needs)
          if (n.resource == static_cast<int>(r) && visits_[i] > 0) amount += visits_[i] * in_lanes(i) * n.amount;
      const double most = amount > 0 ? network_.resources[r].total / amount : no_limit;
      if (most < limit) limit = most, scarcest_ = static_cast<int>(r);
    }
    return limit;
  }

  capacity finished() {
    all_.throughput = no_limit;
    all_.limit = all_.by_cores;
    for (std::size_t i = 0; i < visits_.size(); ++i)
      if (visits_[i] > 0) all_.limit[i] = std::min(all_.limit[i], by_needs(i));
    const double by_resources = limit_by_resources();
    for (std::size_t i = 0; by_resources < no_limit && i < visits_.size(); ++i)
      for (const network_model::need& n : network_.components[i].needs)
        if (n.resource == scarcest_ && visits_[i] > 0) all_.limit[i] = std::min(all_.limit[i], by_resources);
    std::size_t least = 0;
    for (std::size_t i = 0; i < visits_.size(); ++i)
      if (all_.limit[i] < all_.throughput) all_.throughput = all_.limit[i], least = i;
    // Among components with the same limit, prefers one that would be no faster alone.
    for (std::size_t i = visits_.size(); i-- > 0;)
      if (all_.limit[i] * full <= all_.throughput && all_.alone[i] * full <= all_.throughput)
        all_.component = static_cast<int>(i);
    if (all_.component < 0 && by_resources * full <= all_.throughput) {
      all_.resource = scarcest_;
      return std::move(all_);
    }
    if (all_.component < 0)
      for (int core : given_.components[least].cores)
        if (all_.busy[static_cast<std::size_t>(core)] >= full) all_.cores = all_.cores | core_set{core};
    if (all_.component < 0 && all_.cores.empty()) all_.cores = given_.components[least].cores;
    return std::move(all_);
  }

  const network_model& network_;
  const std::vector<double>& visits_;
  const mapping& given_;
  std::vector<lanes_on_core> on_;  // by core, of components that are visited
  int scarcest_ = -1;              // resource
  capacity all_;
};

#ifndef NDEBUG
bool has_places(const network_model& network, const std::vector<double>& visits, const mapping& given, int cores) {
  if (visits.size() != network.components.size() || visits.size() != given.components.size()) return false;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const mapping::entry& e = given.components[i];
    if (!(visits[i] > 0)) continue;
    if (e.width < 1 || (e.cores.empty() && network.components[i].device < 0)) return false;
    if (e.cores.empty()) continue;
    if (e.width > e.cores.size() || e.cores[0] < 0 || e.cores[e.cores.size() - 1] >= cores) return false;
  }
  return true;
}
#endif

}  // namespace

double service_rate(const network_model& network, const mapping& given, std::size_t component) {
  const mapping::entry& e = given.components[component];
  return rate_of_lanes(e.cores_at_once(), e.width,
                       [&](int cores) { return network.components[component].time_on(cores); });
}

capacity capacity_of(const network_model& network, const std::vector<double>& visits, const mapping& given, int cores,
                     sharing rule) {
  assert(has_places(network, visits, given, cores));
  sharing_cores all(network, visits, given, cores);
  return rule == sharing::work_conserving ? all.work_conserving() : all.equal_parts();
}

}  // namespace weir
