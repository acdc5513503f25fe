#include "scheduler/control/sharing_residuals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "scheduler/control/indexing.hpp"
#include "scheduler/control/squared.hpp"

namespace weir {
namespace {

// Standard deviations of the logarithm over ways to share: of the part common to all, of the part of equal members, and
// of the rest.
constexpr double spread_of_all = 0.21, spread_of_members = 0.16, spread_of_one = 0.13;
constexpr double scatter_of_record = 1;    // of one record's logarithm: inputs differ, and records leave in bursts. A
                                           // batch of records counts as one
constexpr double drift_in_sharing = 0.01;  // of the logarithm, one standard deviation in 100 records
constexpr double period = 6;               // records, at least
constexpr double most_weight = 64;         // records that a way remembers

// Records of the largest batches.
double together_in(const system_view& view) {
  double most = 1;
  for (const component_view& c : view.components) most = std::max(most, c.visits > 0 ? c.together : 1);
  return most;
}

}  // namespace

bool is_full(const system_view& view) {
  const auto waits = [](const component_view& c) { return c.queue_length > 0; };
  if (view.links.empty()) return !view.components.empty() && waits(view.components.front());
  return std::ranges::all_of(view.links, [&](const link& l) { return l.from >= 0 || waits(at(view, l.to)); });
}

std::vector<int> sharing_residuals::key_of(const allotment& given) {
  std::vector<int> key;
  for (const share& s : given.components) key.push_back(s.is_member());
  key.push_back(given.shared_host());
  key.push_back(given.shared_host() < 0 ? given.shared.size() : 0);
  return key;
}

sharing_residuals::way& sharing_residuals::place_of(const allotment& given) {
  std::vector<int> key = key_of(given);
  const auto found = std::ranges::find(ways_, key, &way::key);
  if (found != ways_.end()) return *found;
  if (ways_.size() == most_ways) ways_.erase(std::ranges::min_element(ways_, {}, &way::latest));
  ways_.push_back({std::move(key), 0, 0, 0});
  return ways_.back();
}

void sharing_residuals::take(const system_view& view, int reference, double expected) {
  const component_view& c = at(view, reference);
  const auto begin = [&] {
    reference_ = is_full(view) ? reference : -1;
    in_force_since_ = view.in_force_since;
    from_ = view.time;
    invocations_ = c.invocations;
  };
  if (reference_ != reference || in_force_since_ != view.in_force_since || !is_full(view)) return begin();
  if (!(c.visits > 0 && expected > 0)) return;
  const double records =
      static_cast<double>(c.invocations - std::min(c.invocations, invocations_)) / c.visits / together_in(view);
  if (records < period || !(view.time > from_)) return;
  way& w = place_of(view.current);
  const double weight = std::min(w.records, most_weight);
  const double log_ratio = std::log((view.time - from_) / (records * together_in(view)) / expected);
  w.log_ratio = (w.log_ratio * weight + log_ratio * records) / (weight + records);
  w.records = weight + records;
  w.latest = records_ += records;
  begin();
}

double sharing_residuals::covariance(const std::vector<int>& a, const std::vector<int>& b) {
  constexpr std::size_t host_and_size = 2;
  const auto members = [](const std::vector<int>& of) { return std::span(of).first(of.size() - host_and_size); };
  const bool same_members = std::ranges::equal(members(a), members(b));
  return squared(spread_of_all) + (same_members ? squared(spread_of_members) : 0) +
         (a == b ? squared(spread_of_one) : 0);
}

double sharing_residuals::factor(const allotment& of) const {
  const std::vector<int> key = key_of(of);
  const auto n = static_cast<Eigen::Index>(ways_.size());
  const auto seen = [&](Eigen::Index i) -> const way& { return ways_[static_cast<std::size_t>(i)]; };
  Eigen::MatrixXd noisy =
      Eigen::MatrixXd::NullaryExpr(n, n, [&](auto i, auto j) { return covariance(seen(i).key, seen(j).key); });
  for (Eigen::Index i = 0; i < n; ++i)
    noisy(i, i) +=
        squared(scatter_of_record) / seen(i).records + squared(drift_in_sharing) * (records_ - seen(i).latest) / 100;
  const Eigen::VectorXd ratios = Eigen::VectorXd::NullaryExpr(n, [&](auto i) { return seen(i).log_ratio; });
  const Eigen::VectorXd cross = Eigen::VectorXd::NullaryExpr(n, [&](auto i) { return covariance(key, seen(i).key); });
  return std::exp(noisy.llt().solve(cross).dot(ratios));
}

}  // namespace weir
