#include <weir/scheduler/expect/record_paths.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// How much a delay counts next to another, of which the longer one is taken.
double counted_part(double delay, double other, double sharpness) {
  if (!(delay > 0)) return 0;
  if (sharpness == record_paths::slowest_only || !std::isfinite(delay + other)) return delay >= other ? 1 : 0;
  return 1 / (1 + std::pow(other / delay, sharpness));
}

// The links of a run. Records of a component without a link to it, an initialiser, count as coming from the input.
std::vector<link> links_from_input(const system_view& view) {
  const std::size_t n = view.components.size();
  std::vector<link> links = view.links;
  if (links.empty())
    for (std::size_t i = 0; i <= n; ++i)
      links.push_back({static_cast<int>(i) - 1, i < n ? static_cast<int>(i) : -1, 1});
  std::vector<bool> is_led_to(n, false);
  for (const link& l : links)
    if (l.to >= 0) is_led_to[to_index(l.to)] = true;
  for (link& l : links)
    if (l.from >= 0 && !is_led_to[to_index(l.from)]) l.from = -1;
  return links;
}

// Where links lead back: the components from the first to the last of each loop, in network order. A loop in which a
// component gives more records than it takes is none, since copies go round it side by side.
std::vector<std::pair<std::size_t, std::size_t>> loops_of(const system_view& view, const std::vector<link>& links) {
  const std::size_t n = view.components.size();
  std::vector<std::size_t> last(n, n);  // n: no link leads back to it
  std::vector<double> given(n, 0.0);
  for (const link& l : links) {
    if (l.from < 0 || !(l.records > 0)) continue;
    given[to_index(l.from)] += l.records;
    if (l.to < 0 || l.to > l.from) continue;
    std::size_t& end = last[to_index(l.to)];
    end = end == n ? to_index(l.from) : std::max(end, to_index(l.from));
  }
  std::vector<std::pair<std::size_t, std::size_t>> loops;
  for (std::size_t i = 0; i < n; ++i) {
    if (last[i] == n) continue;
    std::size_t end = last[i];
    bool multiplies = false;
    for (std::size_t j = i; j <= end; ++j) {
      if (last[j] != n) end = std::max(end, last[j]);
      multiplies = multiplies || given[j] > view.components[j].visits * (1 + relative_rounding);
    }
    if (!multiplies) loops.emplace_back(i, end);
    i = end;
  }
  return loops;
}

}  // namespace

record_paths::record_paths(const system_view& view)
    : nodes_(view.components.size() + 1),
      copies_(view.components.size() + 1, 0.0),
      in_batches_(view.components.size(), false) {
  const std::size_t n = view.components.size();
  const std::vector<link> links = links_from_input(view);
  for (const auto& [first, last] : loops_of(view, links))
    for (std::size_t i = first; i <= last; ++i) nodes_[i].loop = {.first = first, .last = last};
  std::vector<double> reach(n + 1, 0.0);
  reach[n] = 1;
  // Links forward. Links into a loop lead to its first component, links out of it begin at its last.
  std::vector<std::vector<link>> from(n + 1);
  for (link l : links) {
    if (!(l.records > 0) || (l.to >= 0 && l.to <= l.from)) continue;
    if (l.from >= 0 && l.to >= 0 && is_inner(l)) continue;
    if (l.from >= 0 && nodes_[to_index(l.from)].loop) l.from = static_cast<int>(nodes_[to_index(l.from)].loop->last);
    if (l.to >= 0 && nodes_[to_index(l.to)].loop) l.to = static_cast<int>(nodes_[to_index(l.to)].loop->first);
    if (l.to >= 0) reach[to_index(l.to)] += l.records;
    from[l.from < 0 ? n : to_index(l.from)].push_back(l);
  }
  std::vector<double> chance(n + 1, 0.0);  // that a record reaches it at all; copies may take every way
  const auto follow = [&](std::size_t i) {
    if (!(reach[i] > 0)) return;
    for (const link& l : from[i]) {
      const double each = l.records / reach[i], copies = copies_[i] * each;
      add(l, copies, 1);
      if (l.to < 0) continue;
      double& of_next = chance[to_index(l.to)];
      of_next = std::min(1.0, of_next + chance[i] * std::min(1.0, copies));
      if (each > 1 + relative_rounding) in_batches_[to_index(l.to)] = true;
    }
  };
  copies_[n] = chance[n] = 1;
  follow(n);
  for (std::size_t i = 0; i < n; ++i) {
    copies_[i] = 1;
    if (!(reach[i] > 0)) continue;
    node& own = nodes_[i];
    double& repeats = own.repeats;
    repeats = view.components[i].visits / reach[i];
    double copies = reach[i] / chance[i];
    if (own.loop) {
      node& first = nodes_[own.loop->first];
      first.rounds = std::max(first.rounds, repeats);
    } else {
      copies *= std::min(1.0, repeats);  // a join makes one of its copies
      if (repeats < 1) repeats = std::min(1.0, std::max(repeats, copies));
    }
    if (copies > 1 + relative_rounding) copies_[i] = copies;
    if (own.loop && i < own.loop->last) {  // as far as a record is concerned, the components of a loop are a chain
      add({static_cast<int>(i), static_cast<int>(i) + 1, 1}, 1, 1);
      reach[i + 1] = reach[i];
      chance[i + 1] = chance[i];
    } else {
      follow(i);
    }
  }
  copies_.pop_back();
  find_forks();
}

bool record_paths::is_inner(const link& l) const {
  const node &from = nodes_[to_index(l.from)], &to = nodes_[to_index(l.to)];
  return from.loop && to.loop && from.loop->first == to.loop->first;
}

record_paths::record_paths(std::size_t components, const std::vector<link>& links)
    : nodes_(components + 1), copies_(components, 1.0), in_batches_(components, false) {
  for (const link& l : links) {
    if (!(l.records > 0)) continue;
    add(l, l.records, std::max(1.0, l.records));
    if (l.to >= 0) nodes_[to_index(l.to)].repeats = 1;
  }
  find_forks();
}

void record_paths::add(const link& l, double part, double copies) {
  const std::size_t n = nodes_.size() - 1;
  nodes_[l.from < 0 ? n : to_index(l.from)].branches.push_back(
      {l.to < 0 ? n : to_index(l.to), std::min(1.0, part), copies});
  loops_ = loops_ || (l.to >= 0 && l.to <= l.from);
}

void record_paths::find_forks() {
  for (node& from : nodes_) {
    double all = 0;
    for (const branch& b : from.branches) all += b.part;
    // Rounding of counts may raise the sum of a choice's parts a little above 1.
    from.forks = all > 1 + relative_rounding;
    forks_ = forks_ || from.forks;
  }
  const auto batched = std::count_if(copies_.begin(), copies_.end(), [](double copies) { return copies > 1; });
  additive_ = !forks_ && batched < 2;
}

record_paths::values record_paths::parts(const node& from, const values& left, double sharpness) const {
  values result;
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
void record_paths::for_each_branch(const node& from, const values& left, double sharpness, Visit visit) const {
  if (!from.forks) {
    for (const branch& b : from.branches) visit(b, b.part);
    return;
  }
  const values shared = parts(from, left, sharpness);
  for (std::size_t b = 0; b < from.branches.size(); ++b)
    if (shared[b] > 0) visit(from.branches[b], shared[b]);
}

double record_paths::rest_of_path(const node& from, const rest& left, values rest::*of) const {
  double sum = 0;
  for_each_branch(from, left.all, slowest_only,
                  [&](const branch& b, double part) { sum += part * b.copies * (left.*of)[b.to]; });
  return sum;
}

// One pass against the stream. Without a loop one pass is enough.
void record_paths::update(std::span<const double> sojourn, std::span<const double> delay, rest& left) const {
  for (std::size_t i = sojourn.size(); i-- > 0;) {
    const double repeats = nodes_[i].repeats;
    left.first[i] = (repeats > 0 ? repeats * sojourn[i] : 0) + rest_of_path(nodes_[i], left, &rest::first);
    left.behind[i] = std::max(repeats > 0 ? repeats * delay[i] : 0, rest_of_path(nodes_[i], left, &rest::behind));
    left.all[i] = left.first[i] + left.behind[i];
  }
}

// Solves the linear system of the paths that are slowest according to `left`. False when it has no answer: I - W has no
// positive solution where copies in a loop multiply without end.
bool record_paths::solve_loops(std::span<const double> sojourn, rest& left) const {
  const auto n = static_cast<Eigen::Index>(sojourn.size());
  Eigen::MatrixXd balance = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd own(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto from = static_cast<std::size_t>(i);
    own[i] = nodes_[from].repeats * sojourn[from];
    for_each_branch(nodes_[from], left.all, slowest_only, [&](const branch& b, double part) {
      if (const auto j = static_cast<Eigen::Index>(b.to); j < n) balance(i, j) -= part * b.copies;
    });
  }
  const Eigen::VectorXd found = balance.partialPivLu().solve(own);
  for (Eigen::Index i = 0; i < n; ++i)
    left.all[static_cast<std::size_t>(i)] = left.first[static_cast<std::size_t>(i)] = found[i];
  return found.allFinite() && found.minCoeff() >= 0;
}

// A few passes are enough where few records go back. Otherwise it continues as a search for the slowest paths (Howard's
// policy iteration), which seldom takes more than three rounds. False: the paths are infinite.
bool record_paths::settle_loops(std::span<const double> sojourn, std::span<const double> delay, rest& left) const {
  constexpr int most_rounds = 50;
  constexpr double settled = 1e-12;
  values before(left.all.size(), 0.0);
  for (int round = 1;; ++round) {
    double changed = 0;
    for (std::size_t i = 0; i < sojourn.size(); ++i) {
      if (std::isinf(left.all[i])) return false;
      changed = std::max(changed, std::abs(left.all[i] - before[i]) / left.all[i]);
    }
    if (!(changed > settled) || round == 2 * most_rounds) return true;
    before = left.all;
    if (round < most_rounds)
      update(sojourn, delay, left);
    else if (!solve_loops(sojourn, left))
      return false;
  }
}

record_paths::rest record_paths::remaining(std::span<const double> sojourn, std::span<const double> delay) const {
  const std::size_t n = sojourn.size();
  // The output's values are 0. They are in the input's place until the input's values are computed, last.
  rest left;
  left.first.assign(n + 1, 0.0);
  left.behind.assign(n + 1, 0.0);
  left.all.assign(n + 1, 0.0);
  update(sojourn, delay, left);
  if (loops_ && !settle_loops(sojourn, delay, left)) {
    left.all[n] = infinite_seconds;
    return left;
  }
  const double first = rest_of_path(nodes_[n], left, &rest::first);
  left.behind[n] = rest_of_path(nodes_[n], left, &rest::behind);
  left.first[n] = first;
  left.all[n] = left.first[n] + left.behind[n];
  return left;
}

double record_paths::seconds(const std::vector<double>& sojourn, const std::vector<double>& delay) const {
  return remaining(sojourn, delay).all.back();
}

std::pair<record_paths::values, record_paths::values> record_paths::split(
    const std::vector<double>& of_all_copies) const {
  std::pair<values, values> parts{of_all_copies, {}};
  parts.second.resize(of_all_copies.size());
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i] == 1) continue;
    parts.first[i] /= copies_[i];
    parts.second[i] = of_all_copies[i] - parts.first[i];
  }
  return parts;
}

double record_paths::seconds(const std::vector<double>& of_all_copies) const {
  const auto [sojourn, delay] = split(of_all_copies);
  return remaining(sojourn, delay).all.back();
}

random_time record_paths::moments(const std::vector<random_time>& sojourn, const std::vector<double>& delay) const {
  const std::size_t n = sojourn.size();
  std::vector<double> means;
  for (const random_time& one : sojourn) means.push_back(one.mean);
  rest mean = remaining(means, delay);
  const double behind = mean.behind[n];
  mean.all[n] = 0;  // now stands for the output
  std::vector<random_time> left(n + 1);
  const auto follow = [&](const node& from) {
    time_mixture ways;
    for_each_branch(from, mean.all, slowest_only,
                    [&](const branch& b, double part) { ways.add(part, left[b.to].times(b.copies)); });
    return ways.result();
  };
  random_time round;  // of the loop that i is in
  for (std::size_t i = n; i-- > 0;) {
    const node& own = nodes_[i];
    left[i] = follow(own);
    if (!own.loop) {
      if (own.repeats > 0) left[i] += sojourn[i].times(own.repeats);
      continue;
    }
    const double rounds = nodes_[own.loop->first].rounds;
    if (own.repeats > 0) round += sojourn[i].times(own.repeats / rounds);
    if (i == own.loop->first) left[i] += std::exchange(round, {}).repeated(rounds);
  }
  random_time all = follow(nodes_[n]);
  all.mean += behind;
  return all;
}

std::vector<double> record_paths::pace_before(const std::vector<double>& pace) const {
  std::vector<double> before(nodes_.size(), 0.0);
  for (std::size_t i = 0; i < pace.size(); ++i) {
    const double slowest = copies_[i] > 1 ? std::max(before[i], pace[i]) : 0;
    for (const branch& b : nodes_[i].branches)
      if (b.to > i && b.to < pace.size()) before[b.to] = std::max(before[b.to], slowest);
  }
  before.pop_back();
  return before;
}

std::vector<double> record_paths::weights(const std::vector<double>& of_all_copies, double sharpness) const {
  const std::size_t n = of_all_copies.size();
  const auto [sojourn, delay] = split(of_all_copies);
  rest left = remaining(sojourn, delay);
  left.all[n] = left.behind[n] = 0;                           // now stand for the output
  std::vector<double> first(n + 1, 0.0), behind(n + 1, 0.0);  // what passes each node, of L and of B
  first[n] = behind[n] = 1;
  const auto pass_on = [&](std::size_t i, double of_first, double of_behind) {
    for_each_branch(nodes_[i], left.all, sharpness, [&](const branch& b, double part) {
      first[b.to] += of_first * part * b.copies;
      behind[b.to] += of_behind * part * b.copies;
    });
  };
  pass_on(n, std::exchange(first[n], 0.0), std::exchange(behind[n], 0.0));
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double later = rest_of_path(nodes_[i], left, &rest::behind), repeats = nodes_[i].repeats;
    const double own = counted_part(repeats * delay[i], later, sharpness);
    result[i] = repeats * (first[i] / copies_[i] + behind[i] * own * (1 - 1 / copies_[i]));
    pass_on(i, first[i], behind[i] * (1 - own));
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
