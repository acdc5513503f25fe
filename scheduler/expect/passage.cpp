#include "scheduler/expect/passage.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scheduler/view/numbers.hpp"

namespace weir {

passage::passage(const system_view& view) : nodes_(view.components.size() + 1) {
  const std::size_t n = view.components.size();
  std::vector<link> chain;
  if (view.links.empty())
    for (std::size_t i = 0; i <= n; ++i)
      chain.push_back({static_cast<int>(i) - 1, i < n ? static_cast<int>(i) : -1, 1});
  const std::vector<link>& links = view.links.empty() ? chain : view.links;
  const auto is_forward = [](const link& l) { return l.records > 0 && (l.to < 0 || l.to > l.from); };

  std::vector<double> reach(n + 1, 0.0);
  reach[n] = 1;
  for (const link& l : links)
    if (is_forward(l) && l.to >= 0) reach[static_cast<std::size_t>(l.to)] += l.records;
  for (std::size_t i = 0; i < n; ++i) nodes_[i].repeats = reach[i] > 0 ? view.components[i].visits / reach[i] : 0;
  for (const link& l : links) {
    const std::size_t from = l.from < 0 ? n : static_cast<std::size_t>(l.from);
    if (!is_forward(l) || !(reach[from] > 0)) continue;
    const double records = l.records / reach[from];
    nodes_[from].branches.push_back(
        {l.to < 0 ? n : static_cast<std::size_t>(l.to), std::min(1.0, records), std::max(1.0, records)});
  }
  for (node& from : nodes_) {
    double all = 0;
    for (const branch& b : from.branches) all += b.part;
    // Counting may add a little to the parts of a choice.
    from.spare = all > 1 + relative_rounding ? all - 1 : 0;
    additive_ = additive_ && from.spare == 0;
  }
}

std::vector<double> passage::parts(const node& from, const std::vector<double>& remaining, double sharpness) const {
  std::vector<double> result;
  if (from.spare == 0) return result;
  for (const branch& b : from.branches) result.push_back(b.part);
  const auto way = [&](std::size_t b) { return from.branches[b].copies * remaining[from.branches[b].to]; };
  std::vector<std::size_t> order(result.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return way(a) > way(b); });
  const double longest = way(order[0]);
  if (sharpness == slowest_only || !(longest > 0) || std::isinf(longest)) {
    double left = 1;
    for (std::size_t b : order) left -= result[b] = std::min(result[b], left);
    return result;
  }
  double all = 0;
  for (std::size_t b : order) all += result[b] *= std::pow(way(b) / longest, sharpness);
  for (double& part : result) part /= std::max(1.0, all);
  return result;
}

std::vector<double> passage::remaining(const std::vector<double>& sojourn) const {
  const std::size_t n = sojourn.size();
  // The output's is 0; it has the input's place until that is computed, last.
  std::vector<double> left(n + 1, 0.0);
  const auto way_on = [&](const node& from) {
    double sum = 0;
    const std::vector<double> changed = parts(from, left, slowest_only);
    for (std::size_t b = 0; b < from.branches.size(); ++b) {
      const branch& one = from.branches[b];
      if (const double part = changed.empty() ? one.part : changed[b]; part > 0)
        sum += part * one.copies * left[one.to];
    }
    return sum;
  };
  for (std::size_t i = n; i-- > 0;)
    left[i] = (nodes_[i].repeats > 0 ? nodes_[i].repeats * sojourn[i] : 0) + way_on(nodes_[i]);
  left[n] = way_on(nodes_[n]);
  return left;
}

double passage::seconds(const std::vector<double>& sojourn) const { return remaining(sojourn).back(); }

std::vector<double> passage::weights(const std::vector<double>& sojourn, double sharpness) const {
  const std::size_t n = sojourn.size();
  std::vector<double> left = remaining(sojourn);
  left[n] = 0;  // the output's
  std::vector<double> passing(n + 1, 0.0);
  passing[n] = 1;
  const auto pass_on = [&](std::size_t i) {
    const std::vector<double> changed = parts(nodes_[i], left, sharpness);
    for (std::size_t b = 0; b < nodes_[i].branches.size(); ++b) {
      const branch& one = nodes_[i].branches[b];
      if (one.to < n) passing[one.to] += passing[i] * (changed.empty() ? one.part : changed[b]) * one.copies;
    }
  };
  pass_on(n);
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    pass_on(i);
    result[i] = passing[i] * nodes_[i].repeats;
  }
  return result;
}

}  // namespace weir
