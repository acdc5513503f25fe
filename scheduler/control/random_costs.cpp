#include "scheduler/control/random_costs.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "scheduler/view/counter_random.hpp"

namespace weir {
namespace {

constexpr std::uint64_t of_proposals = 1000;  // draws that no cost is by

system_view with_factors(const system_view& view, const std::vector<core_factors>& by, bool believes_fewer) {
  system_view out = view;
  for (std::size_t i = 0; i < by.size(); ++i)
    out.components[i].model = corrected(out.components[i].model, by[i], believes_fewer);
  return out;
}

system_view slower(const system_view& view, double factor) {
  system_view out = view;
  for (component_view& c : out.components) c.time_factor *= factor;
  return out;
}

}  // namespace

random_costs::random_costs(const system_view& view, std::vector<residual_belief> beliefs, const policy& rule,
                           const sharing_residuals& sharing, bool by_bottleneck)
    : view_(view), beliefs_(std::move(beliefs)), rule_(rule), sharing_(sharing), by_bottleneck_(by_bottleneck) {
  if (beliefs_.empty()) {
    believed_ = view_;
    samples_.push_back(view_);
    return;
  }
  std::vector<core_factors> likely;
  for (const residual_belief& b : beliefs_) likely.push_back(b.expected());
  believed_ = with_factors(view_, likely, false);
  for (std::uint64_t k = 0; k < draws / 2; ++k)
    for (const double sign : {1.0, -1.0}) samples_.push_back(sample(k, sign));
}

// Trials may be made on fewer cores than a model has seen, so draws believe models there.
system_view random_costs::sample(std::uint64_t number, double sign) const {
  std::vector<core_factors> factors;
  for (std::size_t i = 0; i < beliefs_.size(); ++i) factors.push_back(beliefs_[i].sample(mix(number, i), sign));
  return with_factors(view_, factors, true);
}

// The rule's answer where members of the shared group count as much as the bottleneck: then they get cores of their
// own. `all`: all members; else the one with the most seconds. A group that still lies on an owner's core lies on that
// with most to spare.
allotment random_costs::without_members(bool all) const {
  const assessment now = rule_.assess(believed_, view_.current);
  const auto seconds = [&](std::size_t i) { return view_.current.components[i].is_member() ? now.seconds[i] : 0; };
  std::size_t heaviest = 0;
  for (std::size_t i = 1; i < now.seconds.size(); ++i)
    if (seconds(i) > seconds(heaviest)) heaviest = i;
  system_view other = believed_;
  for (std::size_t i = 0; i < now.seconds.size(); ++i)
    if (seconds(i) > 0 && (all || i == heaviest)) other.components[i].time_factor *= now.bottleneck / seconds(i);
  allotment result = rule_.decide(other);
  if (result.shared_host() < 0) return result;
  const std::vector<double> taken = rule_.assess(believed_, result).seconds;
  std::size_t host = static_cast<std::size_t>(result.shared_host());
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!result.components[i].cores.empty() && taken[i] < taken[host]) host = i;
  result.shared = {result.components[host].cores[0]};
  return result;
}

std::vector<allotment> random_costs::proposed(std::uint64_t round) const {
  std::vector<allotment> all{rule_.decide(believed_)};
  if (!beliefs_.empty() && factor_of(view_.current) > 1)
    for (const bool every : {false, true}) all.push_back(without_members(every));
  for (std::uint64_t k = 0; !beliefs_.empty() && k < proposals / 2; ++k)
    for (const double sign : {1.0, -1.0})
      all.push_back(rule_.decide(sample(of_proposals + round * proposals + k, sign)));
  return all;
}

double random_costs::factor_of(const allotment& given) const {
  return rule_.is_best(believed_, given) ? 1 : sharing_.factor(given);
}

std::vector<random_costs::random_cost> random_costs::costs(const allotment& of) const {
  const double factor = beliefs_.empty() ? 1 : factor_of(of);
  std::vector<random_cost> all;
  for (const system_view& v : samples_) {
    const assessment a = rule_.assess(factor == 1 ? v : slower(v, factor), of);
    all.push_back({by_bottleneck_ ? a.bottleneck : a.cost, a.cores > 0 ? INFINITY : a.bottleneck});
  }
  return all;
}

}  // namespace weir
