#include "scheduler/place/arrangement.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>

#include "scheduler/place/exact_runs.hpp"
#include "scheduler/place/placing_cost.hpp"

namespace weir {
namespace {

// Operations of the whole search, 2 to 5 ns each: 0.6 to 1.5 ms in all. A third of them places 8 % worse.
constexpr long long search_budget = 300'000;

// Neighbours that are reordered together: 8 runs have 40,320 orders, compared in 2,000 operations.
constexpr int window = 8;

using order = std::vector<int>;  // of runs, from left to right

// Finds the best places of runs in a given order.
class in_order {
 public:
  explicit in_order(const line_problem& problem)
      : problem_(problem),
        costs_(problem),
        idle_(problem.idle()),
        rank_(problem.runs.size()),
        linked_(problem.runs.size()) {
    for (const line_run& run : problem.runs) lengths_.push_back(run.length);
    for (const auto& [a, b] : problem.links) {
      linked_[static_cast<std::size_t>(a)].push_back(b);
      linked_[static_cast<std::size_t>(b)].push_back(a);
    }
  }

  // The operations of one pass. Three for each run go into making the order and counting the runs between links.
  long long work() const { return static_cast<long long>(idle_ + 1 + 3) * static_cast<long long>(rank_.size()); }

  // The least cost.
  int cost(const order& runs) {
    const auto width = static_cast<std::size_t>(idle_) + 1;
    best_.assign(width, 0);
    placed_.resize(runs.size() * width);
    int before = 0;  // slots of the runs to the left
    for (std::size_t k = 0; k < runs.size(); ++k) {
      int least = impossible;
      for (std::size_t e = 0; e < width; ++e) {  // idle slots to the left
        const int here = best_[e] + costs_.at(runs[k], before + static_cast<int>(e));
        const bool is_better = here < least;
        if (is_better) least = here;
        placed_[k * width + e] = is_better;
        best_[e] = least;
      }
      before += length(runs[k]);
    }
    for (std::size_t k = 0; k < runs.size(); ++k) rank_[static_cast<std::size_t>(runs[k])] = static_cast<int>(k);
    int apart = 0;
    for (const auto& [a, b] : problem_.links)
      apart += std::abs(rank_[static_cast<std::size_t>(a)] - rank_[static_cast<std::size_t>(b)]) - 1;
    return best_.back() + placing_cost::apart_weight * apart;
  }

  const run_costs& costs() const { return costs_; }

  // The links of each run at the places [from, to) of an order, by the runs' places in it.
  std::vector<run_links> links_of(const order& runs, const std::vector<int>& rank, int from, int to) const {
    std::vector<run_links> links(static_cast<std::size_t>(to - from));
    for (int k = from; k < to; ++k) {
      run_links& of = links[static_cast<std::size_t>(k - from)];
      for (const int one : linked(runs[static_cast<std::size_t>(k)])) {
        const int other = rank[static_cast<std::size_t>(one)];
        if (other >= to)
          ++of.outside;
        else if (other < from)
          --of.outside;
        else
          of.inside |= 1U << (other - from);
      }
    }
    return links;
  }

  int idle() const { return idle_; }
  const std::vector<int>& linked(int run) const { return linked_[static_cast<std::size_t>(run)]; }
  int length(int run) const { return lengths_[static_cast<std::size_t>(run)]; }
  const std::vector<int>& rank() const { return rank_; }  // by run: its place in the order last laid

  // The first slots of an arrangement with that cost.
  std::vector<int> places(const order& runs) {
    cost(runs);
    const auto width = static_cast<std::size_t>(idle_) + 1;
    std::vector<int> firsts(runs.size());
    int before = problem_.slots() - idle_;
    std::size_t e = width - 1;
    for (std::size_t k = runs.size(); k-- > 0;) {
      while (!placed_[k * width + e]) --e;
      before -= length(runs[k]);
      firsts[static_cast<std::size_t>(runs[k])] = before + static_cast<int>(e);
    }
    return firsts;
  }

 private:
  const line_problem& problem_;
  run_costs costs_;
  int idle_;
  std::vector<int> best_;                 // by idle slots: least cost of the runs so far
  std::vector<unsigned char> placed_;     // by run and idle slots: this place beats all further left
  std::vector<int> rank_;                 // by run: its place in the order
  std::vector<int> lengths_;              // by run
  std::vector<std::vector<int>> linked_;  // by run
};

// The runs ordered by where they now lie. A new run comes after the run before it.
order present_order(const line_problem& problem) {
  std::vector<std::pair<double, int>> middles;
  double last = -1;
  for (int i = 0; i < static_cast<int>(problem.runs.size()); ++i) {
    const std::vector<int>& held = problem.runs[static_cast<std::size_t>(i)].held;
    if (!held.empty()) last = (held.front() + held.back()) / 2.0;
    middles.emplace_back(last, i);
  }
  std::sort(middles.begin(), middles.end());
  order result;
  for (const auto& [middle, run] : middles) result.push_back(run);
  return result;
}

class order_search {
 public:
  explicit order_search(const line_problem& problem) : problem_(problem), pass_(problem) {
    order network(problem.runs.size());
    std::iota(network.begin(), network.end(), 0);
    for (const order& start : {network, present_order(problem)}) {
      starts_.emplace_back(pass_.cost(start), start);
      left_ -= pass_.work();
    }
    std::stable_sort(starts_.begin(), starts_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  std::vector<int> best() {
    std::pair<int, order> best = starts_.front();
    for (const auto& start : starts_) {
      std::tie(least_, best_) = start;
      firsts_ = pass_.places(best_);
      rank_ = pass_.rank();
      while (reorder_neighbours()) {
      }
      if (least_ < best.first) best = {least_, best_};
    }
    return pass_.places(best.second);
  }

 private:
  int size() const { return static_cast<int>(best_.size()); }

  // Reorders each group of neighbours in the cheapest way between the runs left and right of them. Keeps every
  // improvement, one after the other.
  bool reorder_neighbours() {
    const int together = std::min(window, size());
    bool helped = false;
    for (int from = 0; left_ > 0; from = std::min(from + window / 2, size() - together)) {
      helped = reorder(from, from + together) || helped;
      if (from + together == size()) break;
    }
    return helped;
  }

  bool reorder(int from, int to) {
    const auto at = [&](int k) { return best_[static_cast<std::size_t>(k)]; };
    const auto first_of = [&](int k) { return firsts_[static_cast<std::size_t>(at(k))]; };
    const int begin = from > 0 ? first_of(from - 1) + pass_.length(at(from - 1)) : 0;
    const int end = to < size() ? first_of(to) : problem_.slots();
    const order runs(best_.begin() + from, best_.begin() + to);
    int idle = end - begin;
    for (const int run : runs) idle -= problem_.length(run);
    const std::vector<int> laid =
        lay_exactly(problem_, pass_.costs(), runs, pass_.links_of(best_, rank_, from, to), begin, idle);
    left_ -= (static_cast<long long>(to - from) << (to - from)) * (idle + 1);

    std::vector<std::pair<int, int>> by_place;
    for (std::size_t k = 0; k < runs.size(); ++k) by_place.emplace_back(laid[k], runs[k]);
    std::sort(by_place.begin(), by_place.end());
    const auto same = [](const auto& placed, int run) { return placed.second == run; };
    if (std::ranges::equal(by_place, runs, same)) return false;
    order trial = best_;
    for (std::size_t k = 0; k < runs.size(); ++k) trial[static_cast<std::size_t>(from) + k] = by_place[k].second;
    const int cost = pass_.cost(trial);
    left_ -= pass_.work();
    if (cost >= least_) return false;
    least_ = cost;
    best_ = std::move(trial);
    firsts_ = pass_.places(best_);
    rank_ = pass_.rank();
    left_ -= pass_.work();
    return true;
  }

  const line_problem& problem_;
  in_order pass_;
  std::vector<std::pair<int, order>> starts_;  // with their costs, the cheaper first
  order best_;                                 // for the present start
  std::vector<int> firsts_, rank_;             // of best_, by run
  int least_ = impossible;
  long long left_ = search_budget;
};

}  // namespace

std::vector<int> arrange(const line_problem& problem) {
  // As at the start of a run whose boxes are unknown: all cores are the shared group's.
  if (problem.runs.size() == 1 && problem.length(0) == problem.slots()) return {0};
  return order_search(problem).best();
}

}  // namespace weir
