#include "scheduler/divide/marginal_gain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "tests/scheduler/divide/every_division.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using testing::excess;

enum class shape { convex, contention, steps, anything };
enum class net { chain, choice, fan_out };

struct instance {
  system_view view;  // visits and links
  std::vector<core_bounds> bounds;
  std::vector<std::vector<double>> times;  // [component][cores - 1]
  int cores = 0;

  double seconds(int i, int c) const { return times[static_cast<std::size_t>(i)][static_cast<std::size_t>(c - 1)]; }
  double latency(const std::vector<int>& given) const {
    std::vector<double> sojourn;
    for (std::size_t i = 0; i < given.size(); ++i) sojourn.push_back(seconds(static_cast<int>(i), given[i]));
    return record_paths(view).seconds(sojourn);
  }
};

std::vector<double> curve(std::mt19937& random, shape kind, int cores) {
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const double sequential = std::pow(10.0, real(-1.5, 0)), alpha = real(.3, 1), contention = real(0, .05);
  std::vector<double> times;
  for (int p = 1; p <= cores; ++p) {
    const double ideal = sequential * (alpha / p + 1 - alpha);
    if (kind == shape::convex) times.push_back(ideal);
    if (kind == shape::contention) times.push_back(ideal + sequential * contention * (p - 1));
    if (kind == shape::anything) times.push_back(sequential * real(0.2, 1));
    if (kind == shape::steps)
      times.push_back(p > 1 && random() % 2 ? times.back() : std::min(ideal, p > 1 ? times.back() : ideal));
  }
  return times;
}

// The links of a random network of components in order; each has a stream in and a stream out.
std::vector<link> random_links(std::mt19937& random, net kind, int n) {
  if (kind == net::chain) return {};
  std::vector<std::vector<int>> next(static_cast<std::size_t>(n + 1));  // by start + 1; n is the output
  for (int i = 0; i < n; ++i) next[random() % static_cast<unsigned>(i + 1)].push_back(i);
  for (int i = -1; i < n; ++i) {
    auto& ways = next[static_cast<std::size_t>(i + 1)];
    const int to = i + 1 + static_cast<int>(random() % static_cast<unsigned>(n - i));
    if (ways.empty() || (random() % 2 == 0 && std::find(ways.begin(), ways.end(), to) == ways.end()))
      ways.push_back(to);
  }
  std::vector<double> reach(static_cast<std::size_t>(n + 1), 0.0);
  reach[0] = 1;
  std::vector<link> links;
  for (int i = -1; i < n; ++i) {
    const auto& ways = next[static_cast<std::size_t>(i + 1)];
    for (int to : ways) {
      const double here = reach[static_cast<std::size_t>(i + 1)];
      const double records = kind == net::choice ? here / static_cast<double>(ways.size()) : here;
      links.push_back({i, to == n ? -1 : to, records});
      if (to < n) reach[static_cast<std::size_t>(to + 1)] += records;
    }
  }
  return links;
}

instance random_instance(std::mt19937& random, shape kind, net wiring, int most_components, int most_cores) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  instance made;
  const int n = pick(1, most_components);
  made.cores = pick(n, most_cores);
  std::vector<component_view> components(static_cast<std::size_t>(n));
  made.view.links = random_links(random, wiring, n);
  int slack = made.cores - n;
  for (int i = 0; i < n; ++i) {
    made.times.push_back(curve(random, kind, made.cores));
    component_view& c = components[static_cast<std::size_t>(i)];
    c.visits = 0;
    for (const link& l : made.view.links)
      if (l.to == i) c.visits += l.records;
    if (made.view.links.empty()) c.visits = std::uniform_real_distribution<double>(.2, 3)(random);
    const int lower = pick(0, 5) == 0 ? 1 + pick(0, slack) : 1;
    slack -= lower - 1;
    made.bounds.push_back({lower, pick(0, 4) == 0 ? std::min(made.cores, lower + pick(0, 3)) : made.cores});
  }
  made.view.components = std::move(components);
  return made;
}

double by_force(const instance& given) {
  double best = INFINITY;
  std::vector<int> cores(given.bounds.size());
  const auto next = [&](auto&& self, std::size_t i, int left) -> void {
    if (i == cores.size()) {
      best = std::min(best, given.latency(cores));
      return;
    }
    int others = 0;
    for (std::size_t j = i + 1; j < cores.size(); ++j) others += given.bounds[j].lower;
    for (int c = given.bounds[i].lower; c <= std::min(left - others, given.bounds[i].upper); ++c) {
      cores[i] = c;
      self(self, i + 1, left - c);
    }
  };
  next(next, 0, given.cores);
  return best;
}

// The same for chains, by dynamic programming.
double by_table(const instance& given) {
  std::vector<double> best(static_cast<std::size_t>(given.cores + 1), 0.0);
  for (std::size_t i = 0; i < given.bounds.size(); ++i) {
    std::vector<double> with(best.size(), INFINITY);
    for (int all = 0; all <= given.cores; ++all)
      for (int c = given.bounds[i].lower; c <= std::min(all, given.bounds[i].upper); ++c)
        with[static_cast<std::size_t>(all)] =
            std::min(with[static_cast<std::size_t>(all)],
                     best[static_cast<std::size_t>(all - c)] +
                         given.view.components[i].visits * given.seconds(static_cast<int>(i), c));
    best = with;
  }
  return best.back();
}

template <typename Best>
excess measured(const char* what, shape kind, net wiring, int components, int cores, int trials, Best best) {
  trials = testing::fewer(trials);
  std::mt19937 random(17);
  excess result;
  for (int trial = 0; trial < trials; ++trial) {
    const instance given = random_instance(random, kind, wiring, components, cores);
    const std::vector<int> mine = marginal_gain(record_paths(given.view), given.bounds, given.cores, [&](int i, int c) {
                                    return given.seconds(i, c);
                                  }).cores;
    EXPECT_LE(std::accumulate(mine.begin(), mine.end(), 0), given.cores);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      EXPECT_GE(mine[i], given.bounds[i].lower);
      EXPECT_LE(mine[i], given.bounds[i].upper);
    }
    const double over = given.latency(mine) / best(given) - 1;
    EXPECT_GE(over, -1e-9);
    result.add(over, trials);
  }
  std::printf("%-28s %5d instances: %.4f %% over the best on average, %.2f %% at most\n", what, trials,
              result.mean * 100, result.most * 100);
  return result;
}

constexpr double none = 1e-9;  // rounding

TEST(marginal_gain, is_optimal_where_times_are_convex_and_no_copies_travel_side_by_side) {
  EXPECT_LT(measured("convex chain", shape::convex, net::chain, 5, 12, 3000, by_force).most, none);
  EXPECT_LT(measured("convex choice", shape::convex, net::choice, 5, 12, 3000, by_force).most, none);
  EXPECT_LT(measured("convex chain, 48 cores", shape::convex, net::chain, 10, 48, 1000, by_table).most, none);
  EXPECT_LT(measured("convex chain, 400 cores", shape::convex, net::chain, 40, 400, 50, by_table).most, none);
}

TEST(marginal_gain, is_optimal_whatever_the_times_on_machines_of_ordinary_size) {
  for (const auto& [what, kind] :
       {std::pair{"contention", shape::contention}, {"steps", shape::steps}, {"any", shape::anything}}) {
    EXPECT_LT(measured(what, kind, net::chain, 5, 12, 3000, by_force).most, none);
    EXPECT_LT(measured(what, kind, net::choice, 5, 12, 3000, by_force).most, none);
    EXPECT_LT(measured((what + std::string(", 48 cores")).c_str(), kind, net::chain, 10, 48, 500, by_table).most, none);
  }
}

TEST(marginal_gain, is_near_the_best_whatever_the_times_on_large_machines) {
  for (const auto& [what, kind] : {std::pair{"contention, 400 cores", shape::contention},
                                   {"steps, 400 cores", shape::steps},
                                   {"any, 400 cores", shape::anything}}) {
    const excess over = measured(what, kind, net::chain, 40, 400, 100, by_table);
    EXPECT_LT(over.mean, .001);
    EXPECT_LT(over.most, .03);
  }
}

TEST(marginal_gain, is_near_the_best_where_copies_travel_side_by_side) {
  for (const auto& [what, kind] : {std::pair{"convex fan-out", shape::convex},
                                   {"contention fan-out", shape::contention},
                                   {"steps fan-out", shape::steps},
                                   {"any fan-out", shape::anything}}) {
    const excess over = measured(what, kind, net::fan_out, 6, 13, 1000, by_force);
    EXPECT_LT(over.mean, .0001);
    EXPECT_LT(over.most, .01);
  }
}

}  // namespace
}  // namespace weir
