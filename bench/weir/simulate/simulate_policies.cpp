#include "bench/weir/simulate/simulate_policies.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "bench/rivals/named_rivals.hpp"
#include "scheduler/policies/adaptive.hpp"
#include "scheduler/policies/equal_shares.hpp"
#include "scheduler/policies/fixed_shares.hpp"

namespace weir::command {
namespace {

using simulation::contender;
using simulation::hindsight;
using simulation::scenario;
using simulation::simulated_result;
using predictor = simulation::simulated_network::predictor;

struct policy_row {
  std::string name;
  bool is_among_all;
  simulated_result hindsight::*told;  // null: the policy is run, not taken from hindsight
  std::function<contender(const scenario&)> contend;
};

contender adaptive_shown(const char* name, predictor shown) {
  return {name, adaptive{objective::throughput}, {}, "weir", shown};
}

const std::vector<policy_row>& table() {
  static const std::vector<policy_row> rows = [] {
    std::vector<policy_row> all{
        {"equal", true, nullptr,
         [](const scenario&) {
           return contender{"equal", equal_shares{}};
         }},
        {"fixed", true, nullptr,
         [](const scenario& of) {
           return contender{"fixed", fixed_shares(of.fixed)};
         }},
        {"best-fixed", true, &hindsight::best_fixed, {}},
        {"clairvoyant", true, &hindsight::clairvoyant, {}},
        {"adaptive", true, nullptr, [](const scenario&) { return adaptive_shown("adaptive", predictor::known); }},
        {"adaptive-blind", false, nullptr,
         [](const scenario&) { return adaptive_shown("adaptive-blind", predictor::constant); }},
        {"adaptive-shuffled", false, nullptr,
         [](const scenario&) { return adaptive_shown("adaptive-shuffled", predictor::shuffled); }},
    };
    // The rivals, then weir's own without one ingredient each; these run only if named.
    for (const rivals::named_rival& one : rivals::named_rivals())
      all.push_back({one.name, !one.name.starts_with("adaptive-"), nullptr, [name = one.name](const scenario&) {
                       const rivals::named_rival fresh = rivals::rival(name);
                       return contender{name, fresh.rule, fresh.options, fresh.estimator, predictor::known};
                     }});
    return all;
  }();
  return rows;
}

}  // namespace

std::vector<known_policy> known_policies() {
  std::vector<known_policy> all;
  for (const policy_row& row : table()) all.push_back({row.name, row.is_among_all});
  return all;
}

simulated_result run_policy(const std::string& name, const scenario& of, std::uint64_t seed, const hindsight& known,
                            int rows) {
  const auto row = std::find_if(table().begin(), table().end(), [&](const policy_row& r) { return r.name == name; });
  if (row == table().end()) throw std::invalid_argument("there is no policy " + name);
  return row->told ? known.*row->told : simulation::run(of, seed, row->contend(of), rows);
}

}  // namespace weir::command
