#include "scheduler/expect/passage.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "scheduler/view/numbers.hpp"

namespace weir {

record_paths::record_paths(const system_view& view) : nodes_(view.components.size() + 1) {
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
    if (is_forward(l) && l.to >= 0) reach[to_index(l.to)] += l.records;
  for (std::size_t i = 0; i < n; ++i) nodes_[i].repeats = reach[i] > 0 ? view.components[i].visits / reach[i] : 0;
  for (const link& l : links) {
    const double before = reach[l.from < 0 ? n : to_index(l.from)];
    if (is_forward(l) && before > 0) add({l.from, l.to, l.records / before});
  }
  find_forks();
}

record_paths::record_paths(std::size_t components, const std::vector<link>& links) : nodes_(components + 1) {
  for (const link& l : links) {
    if (!(l.records > 0)) continue;
    add(l);
    if (l.to >= 0) nodes_[to_index(l.to)].repeats = 1;
  }
  find_forks();
}

void record_paths::add(const link& l) {
  if (!(l.records > 0)) return;
  const std::size_t n = nodes_.size() - 1;
  nodes_[l.from < 0 ? n : to_index(l.from)].branches.push_back(
      {l.to < 0 ? n : to_index(l.to), std::min(1.0, l.records), std::max(1.0, l.records)});
  loops_ = loops_ || (l.to >= 0 && l.to <= l.from);
}

void record_paths::find_forks() {
  for (node& from : nodes_) {
    double all = 0;
    for (const branch& b : from.branches) all += b.part;
    // Rounding of counts may raise the sum of a choice's parts a little above 1.
    from.forks = all > 1 + relative_rounding;
    additive_ = additive_ && !from.forks;
  }
}

std::vector<double> record_paths::parts(const node& from, const std::vector<double>& left, double sharpness) const {
  std::vector<double> result;
  for (const branch& b : from.branches) result.push_back(b.part);
  const auto seconds = [&](std::size_t b) { return from.branches[b].copies * left[from.branches[b].to]; };
  std::vector<std::size_t> order(result.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return seconds(a) > seconds(b); });
  const double longest = seconds(order[0]);
  if (sharpness == slowest_only || !(longest > 0) || std::isinf(longest)) {
    double spare = 1;
    for (std::size_t b : order) spare -= result[b] = std::min(result[b], spare);
    return result;
  }
  double all = 0;
  for (std::size_t b : order) all += result[b] *= std::pow(seconds(b) / longest, sharpness);
  for (double& part : result) part /= std::max(1.0, all);
  return result;
}

template <typename Visit>
void record_paths::for_each_branch(const node& from, const std::vector<double>& left, double sharpness,
                                   Visit visit) const {
  if (!from.forks) {
    for (const branch& b : from.branches) visit(b, b.part);
    return;
  }
  const std::vector<double> shared = parts(from, left, sharpness);
  for (std::size_t b = 0; b < from.branches.size(); ++b)
    if (shared[b] > 0) visit(from.branches[b], shared[b]);
}

double record_paths::rest_of_path(const node& from, const std::vector<double>& left) const {
  double sum = 0;
  for_each_branch(from, left, slowest_only, [&](const branch& b, double part) { sum += part * b.copies * left[b.to]; });
  return sum;
}

// One pass against the stream. Without a loop one pass is enough.
void record_paths::update(const std::vector<double>& sojourn, std::vector<double>& left) const {
  for (std::size_t i = sojourn.size(); i-- > 0;)
    left[i] = (nodes_[i].repeats > 0 ? nodes_[i].repeats * sojourn[i] : 0) + rest_of_path(nodes_[i], left);
}

// Solves the linear system of the paths that are slowest according to `left`. False when it has no answer: I - W has no
// positive solution where copies in a loop multiply without end.
bool record_paths::solve_loops(const std::vector<double>& sojourn, std::vector<double>& left) const {
  const auto n = static_cast<Eigen::Index>(sojourn.size());
  Eigen::MatrixXd balance = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd own(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto from = static_cast<std::size_t>(i);
    own[i] = nodes_[from].repeats * sojourn[from];
    for_each_branch(nodes_[from], left, slowest_only, [&](const branch& b, double part) {
      if (const auto j = static_cast<Eigen::Index>(b.to); j < n) balance(i, j) -= part * b.copies;
    });
  }
  const Eigen::VectorXd found = balance.partialPivLu().solve(own);
  for (Eigen::Index i = 0; i < n; ++i) left[static_cast<std::size_t>(i)] = found[i];
  return found.allFinite() && found.minCoeff() >= 0;
}

// A few passes are enough where few records go back. Otherwise it continues as a search for the slowest paths (Howard's
// policy iteration), which seldom takes more than three rounds. False: the paths are infinite.
bool record_paths::settle_loops(const std::vector<double>& sojourn, std::vector<double>& left) const {
  constexpr int most_rounds = 50;
  constexpr double settled = 1e-12;
  std::vector<double> before(left.size(), 0.0);
  for (int round = 1;; ++round) {
    double changed = 0;
    for (std::size_t i = 0; i < sojourn.size(); ++i) {
      if (std::isinf(left[i])) return false;
      changed = std::max(changed, std::abs(left[i] - before[i]) / left[i]);
    }
    if (!(changed > settled) || round == 2 * most_rounds) return true;
    before = left;
    if (round < most_rounds)
      update(sojourn, left);
    else if (!solve_loops(sojourn, left))
      return false;
  }
}

std::vector<double> record_paths::remaining(const std::vector<double>& sojourn) const {
  const std::size_t n = sojourn.size();
  // The output's value is 0. It is in the input's place until the input's value is computed, last.
  std::vector<double> left(n + 1, 0.0);
  update(sojourn, left);
  const bool is_finite = !loops_ || settle_loops(sojourn, left);
  left[n] = is_finite ? rest_of_path(nodes_[n], left) : infinite_seconds;
  return left;
}

double record_paths::seconds(const std::vector<double>& sojourn) const { return remaining(sojourn).back(); }

random_time record_paths::moments(const std::vector<random_time>& sojourn) const {
  const std::size_t n = sojourn.size();
  std::vector<random_time> left(n + 1);
  std::vector<double> means(n + 1, 0.0);
  const auto rest = [&](const node& from) {
    time_mixture ways;
    for_each_branch(from, means, slowest_only,
                    [&](const branch& b, double part) { ways.add(part, left[b.to].times(b.copies)); });
    return ways.result();
  };
  for (std::size_t i = n; i-- > 0;) {
    left[i] = rest(nodes_[i]);
    if (nodes_[i].repeats > 0) left[i] += sojourn[i].times(nodes_[i].repeats);
    means[i] = left[i].mean;
  }
  return rest(nodes_[n]);
}

std::vector<double> record_paths::weights(const std::vector<double>& sojourn, double sharpness) const {
  const std::size_t n = sojourn.size();
  std::vector<double> left = remaining(sojourn);
  left[n] = 0;  // now stands for the output
  std::vector<double> passing(n + 1, 0.0);
  passing[n] = 1;
  const auto pass_on = [&](std::size_t i) {
    const double records = passing[i];
    for_each_branch(nodes_[i], left, sharpness,
                    [&](const branch& b, double part) { passing[b.to] += records * part * b.copies; });
  };
  pass_on(n);
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    pass_on(i);
    result[i] = passing[i] * nodes_[i].repeats;
  }
  return result;
}

std::vector<std::vector<std::size_t>> record_paths::side_by_side() const {
  const std::size_t n = nodes_.size() - 1;
  std::vector<std::vector<bool>> leads(n, std::vector<bool>(n + 1, false));
  for (std::size_t from = 0; from < n; ++from) {
    std::vector<std::size_t> open{from};
    leads[from][from] = true;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      for (const branch& b : nodes_[i].branches)
        if (!leads[from][b.to]) {
          leads[from][b.to] = true;
          if (b.to < n) open.push_back(b.to);
        }
    }
  }
  std::vector<std::vector<std::size_t>> result(n);
  const auto add_pairs = [&](std::size_t one, std::size_t other) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (leads[one][i] && leads[other][j] && !leads[i][j] && !leads[j][i] &&
            std::find(result[i].begin(), result[i].end(), j) == result[i].end())
          result[i].push_back(j);
  };
  for (const node& from : nodes_)
    for (const branch& one : from.branches)
      for (const branch& other : from.branches)
        if (from.forks && &one != &other && one.to < n && other.to < n) add_pairs(one.to, other.to);
  return result;
}

}  // namespace weir
