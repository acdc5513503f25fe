#include "bench/weir/simulate/simulate_policies.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/best_fixed.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include "bench/rivals/named_rivals.hpp"

namespace weir::program {
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
  std::function<contender(const scenario&, const own_settings&)> contend;
};

contender own_policy(policy rule, const own_settings& own, predictor shown = predictor::known) {
  return {std::move(rule), own.control, own.estimator, shown, own.models};
}

const std::vector<policy_row>& table() {
  static const std::vector<policy_row> rows = [] {
    std::vector<policy_row> all{
        {"equal", true, nullptr, [](const scenario&, const own_settings&) { return contender{equal_shares{}}; }},
        {"fixed", true, nullptr,
         [](const scenario& of, const own_settings&) { return contender{fixed_shares(of.fixed)}; }},
        {"shared", false, nullptr, [](const scenario&, const own_settings&) { return contender{fixed_shares({})}; }},
        {"best-fixed", true, &hindsight::best_fixed, {}},
        {"clairvoyant", true, &hindsight::clairvoyant, {}},
        {"adaptive", true, nullptr,
         [](const scenario&, const own_settings& own) { return own_policy(adaptive{own.goal}, own); }},
        {"adaptive-blind", false, nullptr,
         [](const scenario&, const own_settings& own) {
           return own_policy(adaptive{own.goal}, own, predictor::constant);
         }},
        {"adaptive-shuffled", false, nullptr,
         [](const scenario&, const own_settings& own) {
           return own_policy(adaptive{own.goal}, own, predictor::shuffled);
         }},
        {"best-fixed-by-model", false, nullptr,
         [](const scenario&, const own_settings& own) { return own_policy(best_fixed{own.goal}, own); }},
    };
    // The rivals, then weir's own without one ingredient each; these run only if named.
    for (const rivals::named_rival& one : rivals::named_rivals())
      all.push_back({one.name, !one.name.starts_with("adaptive-"), nullptr,
                     [name = one.name](const scenario&, const own_settings&) {
                       const rivals::named_rival fresh = rivals::rival(name);
                       return contender{fresh.rule, fresh.options, fresh.estimator, predictor::known};
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

simulated_result run_policy(const std::string& name, const own_settings& own, const scenario& of, std::uint64_t seed,
                            const hindsight& known, int rows) {
  const auto row = std::find_if(table().begin(), table().end(), [&](const policy_row& r) { return r.name == name; });
  if (row == table().end()) throw std::invalid_argument("there is no policy " + name);
  return row->told ? known.*row->told : simulation::run(of, seed, row->contend(of, own), rows);
}

}  // namespace weir::program
