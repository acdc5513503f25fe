#include "bench/rivals/model_bandit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include <weir/scheduler/divide/throughput.hpp>
#include "scheduler/view/counter_random.hpp"

namespace weir::rivals {
namespace {

// Standard deviations of the logarithm of true over modelled cost: of an allotment that was never in force, and of one
// record.
constexpr double prior = 0.2, scatter = 0.5;
constexpr std::size_t most_arms = 16;

struct arm {
  allotment given;
  double log_ratio = 0;  // measured over modelled cost, when it was in force last
  double records = 0;    // that tell it

  double cost(double modelled, double deviate) const {
    const double precision = 1 / (prior * prior), told = records / (scatter * scatter);
    return modelled * std::exp(log_ratio * told / (precision + told) + deviate / std::sqrt(precision + told));
  }
};

// The arm in force, by the invocations since the last move.
arm measured(const system_view& view, const adaptive& models) {
  system_view since = view;
  double records = std::numeric_limits<double>::infinity();
  for (component_view& c : since.components) {
    if (c.visits <= 0) continue;
    const auto n = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(c.recent.size(), c.invocations_since_move));
    double seconds = 0, expected = 0;
    for (auto s = c.recent.end() - n; s != c.recent.end(); ++s) {
      seconds += s->seconds;
      expected += c.model->mean(s->x, s->cores) * c.time_factor;
    }
    if (seconds > 0 && expected > 0) c.time_factor *= seconds / expected;
    records = std::min(records, static_cast<double>(n) / c.visits);
  }
  const double ratio = models.assess(since, view.current).cost / models.assess(view, view.current).cost;
  if (!(ratio > 0 && std::isfinite(ratio) && std::isfinite(records))) return {view.current};
  return {view.current, std::log(ratio), records};
}

}  // namespace

struct model_bandit::memory {
  std::mutex mutex;
  std::vector<arm> arms;  // the last one in force is the last
};

model_bandit::model_bandit() : memory_(std::make_shared<memory>()) {}

allotment model_bandit::decide(const system_view& view) const {
  allotment likely = models_.decide(view);
  if (!all_observed(view) || !check(view.current, view.cores).empty()) return likely;
  const std::lock_guard lock(memory_->mutex);
  std::vector<arm>& arms = memory_->arms;
  std::erase_if(arms, [&](const arm& a) { return a.given == view.current || !check(a.given, view.cores).empty(); });
  if (arms.size() == most_arms) arms.erase(arms.begin());
  arms.push_back(measured(view, models_));
  std::vector<arm> all = arms;
  if (std::ranges::find(all, likely, &arm::given) == all.end()) all.push_back({std::move(likely)});
  std::uint64_t asked = 0;
  for (const component_view& c : view.components) asked += c.invocations;
  double least = std::numeric_limits<double>::infinity();
  const allotment* best = &view.current;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double cost = all[i].cost(models_.assess(view, all[i].given).cost, normal(mix(asked, i)));
    if (cost < least) least = cost, best = &all[i].given;
  }
  return *best;
}

}  // namespace weir::rivals
