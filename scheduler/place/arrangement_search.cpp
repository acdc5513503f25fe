#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>

#include "scheduler/place/arrangement.hpp"
#include "scheduler/place/exact_runs.hpp"
#include "scheduler/place/placing_cost.hpp"

namespace weir {
namespace {

// Operations of the whole search, 2 to 5 ns each: 0.6 to 1.5 ms in all. A third of them places 8 % worse.
constexpr long long search_budget = 300'000;

// Neighbours that are reordered together: 7 runs have 5040 orders, compared in 900 operations.
constexpr int window = 7;

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

// Fills the line from left to right. The next run is the first that fits before the next step. If none fits, the rest
// of the stretch stays idle, or, if too few slots may stay idle, the first run crosses the step. A first run that is
// longer than the stretch that begins here also crosses.
order packed(const line_problem& problem, order waiting) {
  std::vector<int> stretch_end(problem.steps.size() + 1, problem.slots());
  for (int slot = problem.slots(); slot-- > 0;) {
    const auto s = static_cast<std::size_t>(slot);
    const bool is_step = slot + 1 < problem.slots() && problem.steps[s + 1] > 0;
    stretch_end[s] = is_step ? slot + 1 : slot + 1 < problem.slots() ? stretch_end[s + 1] : problem.slots();
  }
  order result;
  int slot = 0, idle = problem.idle();
  while (!waiting.empty()) {
    const int room = stretch_end[static_cast<std::size_t>(slot)] - slot;
    const bool begins = slot == 0 || problem.steps[static_cast<std::size_t>(slot)] > 0;
    auto next = waiting.begin();
    if (!begins || problem.length(*next) <= room)
      next = std::find_if(next, waiting.end(), [&](int run) { return problem.length(run) <= room; });
    if (next == waiting.end() && idle >= room) {
      slot += room;
      idle -= room;
      continue;
    }
    if (next == waiting.end()) next = waiting.begin();
    slot += problem.length(*next);
    result.push_back(*next);
    waiting.erase(next);
  }
  return result;
}

class order_search {
 public:
  explicit order_search(const line_problem& problem) : problem_(problem), pass_(problem) {
    order network(problem.runs.size());
    std::iota(network.begin(), network.end(), 0);
    const order present = present_order(problem);
    for (const order& start : {network, present, packed(problem, network), packed(problem, present)}) {
      starts_.emplace_back(pass_.cost(start), start);
      left_ -= pass_.work();
    }
    std::stable_sort(starts_.begin(), starts_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  std::vector<int> best() {
    std::pair<int, order> best = starts_.front();
    for (const auto& start : starts_) {
      if (left_ <= 0) break;
      std::tie(least_, best_) = start;
      firsts_.clear();
      while (left_ > 0 && (reorder_neighbours() || move_any())) {
      }
      if (least_ < best.first) best = {least_, best_};
    }
    return pass_.places(best.second);
  }

 private:
  int size() const { return static_cast<int>(best_.size()); }

  // Tries trial_, which differs from the best order at the places [from, to) alone. If it is better, makes it the best
  // and returns true.
  bool try_it(int from, int to) {
    left_ -= pass_.work();
    const bool is_quick = pass_.idle() == 0 && 2 * (to - from) < size();
    if (is_quick) know_places();
    const int cost = is_quick ? least_ + change(from, to) : pass_.cost(trial_);
    if (cost >= least_) return false;
    least_ = cost;
    std::swap(best_, trial_);
    if (is_quick)
      place_again(best_, from, to);
    else
      firsts_.clear();
    return true;
  }

  // The cost of trial_ beyond that of the best order. No slot is idle, so all other runs stay where they are.
  int change(int from, int to) {
    const int before = cost_of(best_, from, to);
    place_again(trial_, from, to);
    const int after = cost_of(trial_, from, to);
    place_again(best_, from, to);
    return after - before;
  }

  // The cost of the runs at some places of an order, and of their links.
  int cost_of(const order& runs, int from, int to) const {
    int sum = 0;
    for (int k = from; k < to; ++k) {
      const int run = runs[static_cast<std::size_t>(k)];
      sum += pass_.costs().at(run, firsts_[static_cast<std::size_t>(run)]);
      for (const int linked : pass_.linked(run)) {
        const int other = rank_[static_cast<std::size_t>(linked)];
        const bool is_counted = other >= from && other < k;  // from the other end
        if (!is_counted) sum += placing_cost::apart_weight * std::abs(k - other);
      }
    }
    return sum;
  }

  // Puts the runs at some places of an order next to each other, from the first slot of these places on.
  void place_again(const order& runs, int from, int to) {
    int slot = from > 0 ? end_of(runs[static_cast<std::size_t>(from) - 1]) : 0;
    for (int k = from; k < to; ++k) {
      const auto run = static_cast<std::size_t>(runs[static_cast<std::size_t>(k)]);
      firsts_[run] = slot;
      rank_[run] = k;
      slot += pass_.length(static_cast<int>(run));
    }
  }

  void know_places() {
    if (!firsts_.empty()) return;
    firsts_ = pass_.places(best_);
    rank_ = pass_.rank();
  }

  int end_of(int run) const { return firsts_[static_cast<std::size_t>(run)] + pass_.length(run); }

  // Tries the best order with the run at place `from` moved to place `to`.
  bool try_move(int from, int to) {
    if (from == to) return false;
    trial_ = best_;
    if (from < to)
      std::rotate(trial_.begin() + from, trial_.begin() + from + 1, trial_.begin() + to + 1);
    else
      std::rotate(trial_.begin() + to, trial_.begin() + from, trial_.begin() + from + 1);
    return try_it(std::min(from, to), std::max(from, to) + 1);
  }

  bool try_exchange(int a, int b) {
    if (a == b) return false;
    trial_ = best_;
    std::swap(trial_[static_cast<std::size_t>(a)], trial_[static_cast<std::size_t>(b)]);
    return try_it(std::min(a, b), std::max(a, b) + 1);
  }

  int place_of(int run) const { return static_cast<int>(std::find(best_.begin(), best_.end(), run) - best_.begin()); }

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
    know_places();
    const auto at = [&](int k) { return best_[static_cast<std::size_t>(k)]; };
    const int begin = from > 0 ? end_of(at(from - 1)) : 0;
    const int end = to < size() ? firsts_[static_cast<std::size_t>(at(to))] : problem_.slots();
    const order runs(best_.begin() + from, best_.begin() + to);
    int idle = end - begin;
    for (const int run : runs) idle -= problem_.length(run);
    const std::vector<int> laid =
        lay_exactly(problem_, pass_.costs(), runs, pass_.links_of(best_, rank_, from, to), begin, idle);
    left_ -= (static_cast<long long>(to - from) << (to - from)) * (idle + 1) + pass_.work();

    std::vector<std::pair<int, int>> by_place;
    for (std::size_t k = 0; k < runs.size(); ++k) by_place.emplace_back(laid[k], runs[k]);
    std::sort(by_place.begin(), by_place.end());
    const auto same = [](const auto& placed, int run) { return placed.second == run; };
    if (std::ranges::equal(by_place, runs, same)) return false;
    trial_ = best_;
    for (std::size_t k = 0; k < runs.size(); ++k) trial_[static_cast<std::size_t>(from) + k] = by_place[k].second;
    return try_it(from, to);
  }

  // Moves any run to any place, or exchanges it with any other. Keeps every improvement, one after the other.
  bool move_any() {
    bool helped = false;
    for (int run = 0; run < size() && left_ > 0; ++run)
      for (int to = 0; to < size() && left_ > 0; ++to) {
        helped = try_move(place_of(run), to) || helped;
        helped = try_exchange(place_of(run), to) || helped;
      }
    return helped;
  }

  const line_problem& problem_;
  in_order pass_;
  std::vector<std::pair<int, order>> starts_;  // with their costs, the cheapest first
  order best_, trial_;                         // for the present start
  std::vector<int> firsts_, rank_;             // of best_, by run; empty: not known
  int least_ = impossible;
  long long left_ = search_budget;
};

}  // namespace

std::vector<int> arrange_by_search(const line_problem& problem) { return order_search(problem).best(); }

}  // namespace weir
