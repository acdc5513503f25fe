#include "bench/weir/simulate/simulate_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/weir/simulate/simulate_policies.hpp"
#include "scheduler/simulate/hindsight.hpp"

namespace weir::program {
namespace {

constexpr int rows_of_report = 200;  // moments: as fine as a plot can show

}  // namespace

std::vector<simulated_row> simulate(const simulate_plan& plan,
                                    const std::function<void(const std::string&, std::uint64_t)>& about_to,
                                    const std::function<void()>& done) {
  const int timeline = plan.report || plan.timeline ? rows_of_report : 0;
  std::vector<simulated_row> rows;
  try {
    for (std::uint64_t seed : plan.seeds) {
      const simulation::scenario network = plan.file.at(seed);
      about_to("hindsight", seed);
      const simulation::hindsight known = simulation::regret_of(network, seed, timeline, plan.own.goal);
      done();
      for (const std::string& policy : plan.policies) {
        if (interruption::asked()) return rows;
        about_to(policy, seed);
        simulated_row row{policy, seed, run_policy(policy, plan.own, network, seed, known, timeline)};
        row.over_clairvoyant = simulation::advantage(plan.own.goal, row.result, known.clairvoyant);
        row.over_best_fixed = simulation::advantage(plan.own.goal, row.result, known.best_fixed);
        rows.push_back(std::move(row));
        done();
      }
    }
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", plan.path, e.what()));
  }
  return rows;
}

std::vector<simulated_summary> summaries_of(const simulate_plan& plan, const std::vector<simulated_row>& rows) {
  std::vector<simulated_summary> all;
  for (const std::string& policy : plan.policies) {
    simulated_summary s;
    s.policy = policy;
    s.least_over_clairvoyant = s.least_over_best_fixed = INFINITY;
    double n = 0, throughput = 0, clairvoyant = 0, fixed = 0;
    for (const simulated_row& row : rows) {
      if (row.policy != policy) continue;
      n += 1;
      throughput += std::log(row.result.throughput);
      clairvoyant += std::log(row.over_clairvoyant);
      fixed += std::log(row.over_best_fixed);
      s.least_over_clairvoyant = std::min(s.least_over_clairvoyant, row.over_clairvoyant);
      s.least_over_best_fixed = std::min(s.least_over_best_fixed, row.over_best_fixed);
      s.latency_mean += row.result.latency_mean;
      s.latency_p99 += row.result.latency_p99;
      s.cores_used += row.result.cores_used;
      s.moves += static_cast<double>(row.result.moves);
    }
    s.throughput = std::exp(throughput / n);
    s.over_clairvoyant = std::exp(clairvoyant / n);
    s.over_best_fixed = std::exp(fixed / n);
    s.latency_mean /= n;
    s.latency_p99 /= n;
    s.cores_used /= n;
    s.moves /= n;
    all.push_back(s);
  }
  return all;
}

}  // namespace weir::program
