#include "scheduler/arrangement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "scheduler/placing_cost.hpp"

namespace weir {
namespace {

constexpr int impossible = std::numeric_limits<int>::max() / 2;

// Steps of arrange_exactly, each 2 ns: a third of a millisecond.
constexpr double exact_budget = 150e3;

// Steps of all passes of arrange_by_search after the first four, each 1 to 2 ns: about two milliseconds.
constexpr long long search_budget = 1'000'000;

using order = std::vector<int>;  // of runs, from left to right

int count(const line_problem& problem) { return static_cast<int>(problem.runs.size()); }
int length_of(const line_problem& problem, int run) { return problem.runs[static_cast<std::size_t>(run)].length; }

// The best places of runs in a given order.
class in_order {
 public:
  explicit in_order(const line_problem& problem)
      : problem_(problem), costs_(problem), idle_(problem.idle()), rank_(problem.runs.size()) {}

  long long steps() const { return static_cast<long long>(idle_ + 1) * static_cast<long long>(rank_.size()); }

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
      before += length_of(problem_, runs[k]);
    }
    for (std::size_t k = 0; k < runs.size(); ++k) rank_[static_cast<std::size_t>(runs[k])] = static_cast<int>(k);
    int apart = 0;
    for (const auto& [a, b] : problem_.links)
      apart += std::abs(rank_[static_cast<std::size_t>(a)] - rank_[static_cast<std::size_t>(b)]) - 1;
    return best_.back() + placing_cost::apart_weight * apart;
  }

  // The first slots that cost that much.
  std::vector<int> places(const order& runs) {
    cost(runs);
    const auto width = static_cast<std::size_t>(idle_) + 1;
    std::vector<int> firsts(runs.size());
    int before = problem_.slots() - idle_;
    std::size_t e = width - 1;
    for (std::size_t k = runs.size(); k-- > 0;) {
      while (!placed_[k * width + e]) --e;
      before -= length_of(problem_, runs[k]);
      firsts[static_cast<std::size_t>(runs[k])] = before + static_cast<int>(e);
    }
    return firsts;
  }

 private:
  const line_problem& problem_;
  run_costs costs_;
  int idle_;
  std::vector<int> best_;              // by idle slots: of the runs so far
  std::vector<unsigned char> placed_;  // by run and idle slots: whether it is best there and not further left
  std::vector<int> rank_;              // by run: its place in the order
};

// The runs where they lie now; one that is new comes after the one before it.
order present_order(const line_problem& problem) {
  std::vector<std::pair<double, int>> middles;
  double last = -1;
  for (int i = 0; i < count(problem); ++i) {
    const std::vector<int>& held = problem.runs[static_cast<std::size_t>(i)].held;
    if (!held.empty()) last = (held.front() + held.back()) / 2.0;
    middles.emplace_back(last, i);
  }
  std::sort(middles.begin(), middles.end());
  order result;
  for (const auto& [middle, run] : middles) result.push_back(run);
  return result;
}

// From left to right the next run that still fits before the next step; where none does the rest is left idle, or, when
// that is not to be had or the next run is too long for every stretch, the next run crosses the step.
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
    if (!begins || length_of(problem, *next) <= room)
      next = std::find_if(next, waiting.end(), [&](int run) { return length_of(problem, run) <= room; });
    if (next == waiting.end() && idle >= room) {
      slot += room;
      idle -= room;
      continue;
    }
    if (next == waiting.end()) next = waiting.begin();
    slot += length_of(problem, *next);
    result.push_back(*next);
    waiting.erase(next);
  }
  return result;
}

// Moves the run at place `from` to place `to`.
void move(order& runs, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t k) { return runs.begin() + static_cast<std::ptrdiff_t>(k); };
  if (from < to)
    std::rotate(at(from), at(from) + 1, at(to) + 1);
  else
    std::rotate(at(to), at(from), at(from) + 1);
}

}  // namespace

std::vector<int> arrange(const line_problem& problem) {
  const int n = count(problem);
  const bool is_cheap = n <= 20 && std::ldexp(n * (problem.idle() + 1.0), n) <= exact_budget;
  return is_cheap ? arrange_exactly(problem) : arrange_by_search(problem);
}

std::vector<int> arrange_exactly(const line_problem& problem) {
  const int n = count(problem);
  const run_costs costs(problem);
  const auto width = static_cast<std::size_t>(problem.idle()) + 1;
  const std::size_t sets = std::size_t{1} << n;
  std::vector<std::size_t> linked(static_cast<std::size_t>(n), 0);
  for (const auto& [a, b] : problem.links) {
    linked[static_cast<std::size_t>(a)] |= std::size_t{1} << b;
    linked[static_cast<std::size_t>(b)] |= std::size_t{1} << a;
  }
  struct state {
    int least = impossible;  // of these runs with so many idle slots among and before them, or fewer
    int idle = 0;            // how many then
    int last = -1;           // the rightmost run then
  };
  std::vector<state> states(sets * width);
  std::vector<int> used(sets, 0), cut(sets, 0);
  for (std::size_t e = 0; e < width; ++e) states[e] = {0, 0, -1};
  for (std::size_t set = 1; set < sets; ++set) {
    const int first = std::countr_zero(set);
    const std::size_t rest = set & (set - 1), others = linked[static_cast<std::size_t>(first)];
    used[set] = used[rest] + length_of(problem, first);
    cut[set] = cut[rest] + std::popcount(others) - 2 * std::popcount(others & rest);
    state* const row = &states[set * width];
    for (int run = 0; run < n; ++run) {
      if ((set >> run & 1) == 0) continue;
      const std::size_t left = set ^ (std::size_t{1} << run);
      for (std::size_t e = 0; e < width; ++e) {
        const int here = states[left * width + e].least + costs.at(run, used[left] + static_cast<int>(e));
        if (here <= row[e].least) row[e] = {here, static_cast<int>(e), run};
      }
    }
    for (std::size_t e = 0; e < width; ++e) {
      row[e].least += placing_cost::apart_weight * cut[set];
      if (e > 0 && row[e - 1].least <= row[e].least) row[e] = row[e - 1];
    }
  }
  std::vector<int> firsts(static_cast<std::size_t>(n));
  std::size_t e = width - 1;
  for (std::size_t set = sets - 1; set != 0;) {
    const state& s = states[set * width + e];
    set ^= std::size_t{1} << s.last;
    e = static_cast<std::size_t>(s.idle);
    firsts[static_cast<std::size_t>(s.last)] = used[set] + s.idle;
  }
  return firsts;
}

std::vector<int> arrange_by_search(const line_problem& problem) {
  in_order pass(problem);
  order network(problem.runs.size());
  std::iota(network.begin(), network.end(), 0);
  order best;
  int least = impossible;
  const auto consider = [&](order candidate) {
    if (const int cost = pass.cost(candidate); cost < least) least = cost, best = std::move(candidate);
  };
  const order present = present_order(problem);
  consider(network);
  consider(present);
  consider(packed(problem, network));
  consider(packed(problem, present));

  order moved = network;
  std::stable_partition(moved.begin(), moved.end(), [&](int run) {
    const line_run& r = problem.runs[static_cast<std::size_t>(run)];
    return r.length != static_cast<int>(r.held.size());
  });
  long long left = search_budget;
  order trial;
  for (bool improves = true; improves && left > 0;) {
    improves = false;
    for (const int run : moved) {
      const auto at = [&] { return static_cast<std::size_t>(std::find(best.begin(), best.end(), run) - best.begin()); };
      for (std::size_t to = 0; to < best.size() && left > 0; ++to) {
        for (const bool exchanges : {false, true}) {
          const std::size_t from = at();
          if (to == from) continue;
          trial = best;
          if (exchanges)
            std::swap(trial[from], trial[to]);
          else
            move(trial, from, to);
          left -= pass.steps();
          if (const int cost = pass.cost(trial); cost < least) least = cost, best = trial, improves = true;
        }
      }
    }
  }
  return pass.places(best);
}

}  // namespace weir
