#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>

#include <weir/model/named/estimators.hpp>
#include <weir/scheduler/divide/throughput.hpp>
#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include "bench/rivals/ds2.hpp"
#include "bench/rivals/equaliser.hpp"
#include "bench/rivals/hill_climbing.hpp"
#include "bench/rivals/named_rivals.hpp"
#include "scheduler/expect/expectation.hpp"
#include "tests/scheduler/views.hpp"

namespace weir::rivals {
namespace {

using testing::amdahl;
using testing::component;
using testing::cores_of;
using testing::table;
using testing::truth;
using testing::view_of;

// A run without noise: `records` records go through every component on the allotment in force.
void stream(system_view& view, const std::vector<truth>& truths, int records) {
  for (int r = 0; r < records; ++r) {
    view.time += 0.01;
    for (std::size_t i = 0; i < truths.size(); ++i) {
      component_view& c = view.components[i];
      const share& s = view.current.components[i];
      const int cores = s.cores.empty() ? 1 : (s.cores.size() + s.width - 1) / s.width;
      c.recent.push_back({1, cores, truths[i](1, cores)});
      if (c.recent.size() > 64) c.recent.erase(c.recent.begin());
      ++c.invocations;
      ++c.invocations_since_move;
    }
  }
}

void go_to(system_view& view, const allotment& next) {
  ASSERT_EQ(check(next, view.cores), "");
  if (next == view.current) return;
  view.current = next;
  view.in_force_since = view.time;
  for (component_view& c : view.components) c.invocations_since_move = 0;
}

// The longest true time of a component on the allotment in force.
double slowest(const system_view& view, const std::vector<truth>& truths) {
  double result = 0;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const share& s = view.current.components[i];
    result = std::max(result, truths[i](1, s.cores.size() / s.width) / s.width);
  }
  return result;
}

TEST(equaliser, moves_one_core_at_a_time_to_the_slowest_and_stops_when_nobody_can_give_one) {
  const std::vector<truth> truths{amdahl(12, .95), amdahl(6, .9), amdahl(2, .5)};
  system_view view = view_of(16, {});
  for (const char* name : {"A", "B", "C"}) view.components.push_back(component(name, amdahl(1, 0), 1));
  const equaliser rule;
  for (component_view& c : view.components) c.recent.clear(), c.invocations = c.invocations_since_move = 0;
  go_to(view, rule.decide(view));
  EXPECT_EQ(cores_of(view.current), (std::vector<int>{6, 5, 5})) << "equal shares to start with";
  int moves = 0;
  for (; moves < 50; ++moves) {
    stream(view, truths, 12);
    const std::vector<int> before = cores_of(view.current);
    const allotment next = rule.decide(view);
    if (next == view.current) break;
    EXPECT_LT(rule.assess(view, next).cost, rule.assess(view, view.current).cost);
    go_to(view, next);
    int moved = 0;
    for (std::size_t i = 0; i < 3; ++i) moved += std::abs(cores_of(view.current)[i] - before[i]);
    EXPECT_EQ(moved, 2) << "one core";
  }
  EXPECT_LT(moves, 10);
  EXPECT_LE(slowest(view, truths), 1.86667 * 1.05) << "the check vector's optimum (9, 5, 2)";
}

TEST(hill_climbing, climbs_to_the_top_of_components_that_gain_from_every_core) {
  const std::vector<truth> truths{amdahl(12, .95), amdahl(6, .9), amdahl(2, .5)};
  system_view view = view_of(16, {});
  for (const char* name : {"A", "B", "C"}) {
    view.components.push_back(testing::unobserved(name));
    view.components.back().max_width = 1;
  }
  const hill_climbing rule;
  go_to(view, rule.decide(view));
  double before = slowest(view, truths);
  for (int step = 0; step < 30; ++step) {
    stream(view, truths, 12);
    const allotment next = rule.decide(view);
    EXPECT_EQ(rule.decide(view), next) << "asked twice it says the same";
    go_to(view, next);
    EXPECT_LE(slowest(view, truths), before + 1e-12);
    before = slowest(view, truths);
  }
  EXPECT_LE(before, 1.86667 * 1.05);
}

TEST(hill_climbing, takes_back_what_made_it_slower_and_tries_that_again_only_after_a_while) {
  // The slowest component gets slower on a fifth core.
  const std::vector<truth> truths{table({8, 4, 3, 2, 6}), amdahl(1, .9)};
  system_view view = view_of(8, {testing::unobserved("a"), testing::unobserved("b")});
  for (component_view& c : view.components) c.max_width = 1;
  const hill_climbing rule(100);
  go_to(view, rule.decide(view));
  ASSERT_EQ(cores_of(view.current), (std::vector<int>{4, 4}));
  stream(view, truths, 12);
  const allotment start = view.current;
  go_to(view, rule.decide(view));
  ASSERT_EQ(cores_of(view.current), (std::vector<int>{5, 3}));
  EXPECT_EQ(rule.decide(view), view.current) << "nothing was measured yet";
  stream(view, truths, 12);
  EXPECT_LT(rule.assess(view, start).cost, rule.assess(view, view.current).cost) << "it remembers what it was before";
  go_to(view, rule.decide(view));
  EXPECT_EQ(view.current, start);
  int waited = 0;
  for (; waited < 300 && rule.decide(view) == start; ++waited) stream(view, truths, 1);
  EXPECT_GE(waited, 100);
  EXPECT_LE(waited, 102);
}

TEST(rivals, give_a_valid_allotment_on_any_view_within_all_bounds) {
  std::mt19937 random(6);
  int refused = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    system_view view = testing::random_view(random, 9, true);
    for (component_view& c : view.components) {
      if (random() % 8 == 0) c.runs_inline = true;
      if (random() % 12 == 0) c.recent.clear();
    }
    view.needs_shared = random() % 4 == 0;
    const equaliser equal;
    const hill_climbing climb;
    for (const allocation_rule* rule :
         {static_cast<const allocation_rule*>(&equal), static_cast<const allocation_rule*>(&climb)}) {
      system_view now = view;
      if (testing::refusal([&] { rule->decide(now); }) != testing::nothing_refused) {
        ++refused;
        continue;
      }
      for (int step = 0; step < 6; ++step) {
        const allotment given = step % 2 ? ds2().decide(now) : rule->decide(now);
        ASSERT_EQ(check(given, now.cores), "");
        for (std::size_t i = 0; i < given.components.size(); ++i) {
          const component_view& c = now.components[i];
          const share& s = given.components[i];
          if (s.cores.empty()) {
            ASSERT_TRUE(c.min_cores < 2 || c.runs_inline);
            continue;
          }
          ASSERT_FALSE(c.runs_inline) << to_string(given, names_of(now));
          ASSERT_GE(s.cores.size(), c.min_cores);
          ASSERT_LE(s.cores.size(), c.max_cores);
          ASSERT_LE(s.width, c.max_width);
          const bool needs_lanes = c.sequential && s.cores.size() > c.min_cores;
          ASSERT_TRUE(!needs_lanes || s.width == s.cores.size());
        }
        now.time += 1;
        go_to(now, given);
        if (random() % 3 == 0)
          for (component_view& c : now.components) c.invocations_since_move = c.recent.size();
        // The lease changes occasionally.
        if (random() % 4 == 0) now.cores = core_set::range(0, std::max(view.cores.size() - 1, 1));
        if (testing::refusal([&] { rule->decide(now); }) != testing::nothing_refused) break;
      }
    }
  }
  EXPECT_LT(refused, 300) << "only when the minima do not fit";
}

TEST(rivals, ds2_stays_with_its_answer_while_it_measures_the_same) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    system_view view = testing::random_view(random, 12, false);
    view.current = ds2().decide(view);
    ASSERT_EQ(ds2().decide(view), view.current);
  }
}

TEST(rivals, have_distinct_names_known_estimators_and_valid_constants) {
  std::set<std::string> names;
  for (const named_rival& one : named_rivals()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_NO_THROW(make_estimator(one.estimator, degree{1})) << one.name;
    EXPECT_NO_THROW(one.options.validate()) << one.name;
    EXPECT_TRUE(one.rule.adapts()) << one.name;
    EXPECT_EQ(rival(one.name).what, one.what);
  }
  for (const char* name : {"ds2",
                           "hill-climbing",
                           "equaliser",
                           "saturation-aware",
                           "reservation",
                           "autotune",
                           "half-efficiency",
                           "model-bandit",
                           "paper",
                           "paper-bare",
                           "adaptive-no-growth-limit",
                           "adaptive-no-draws",
                           "adaptive-no-threshold",
                           "adaptive-no-patience",
                           "adaptive-simple-model",
                           "adaptive-no-memory",
                           "adaptive-no-forecast",
                           "adaptive-bottleneck-only",
                           "adaptive-no-width",
                           "adaptive-interference"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_NE(testing::refusal([] { rival("nobody"); }).find("no rival \"nobody\"; there are: ds2, "), std::string::npos);
}

TEST(rivals, adaptive_without_width_gives_one_lane_even_to_who_gains_nothing_from_a_second_core) {
  system_view view = view_of(8, {component("a", amdahl(1, .9)), component("b", amdahl(1, .9))});
  view.components[1].sequential = true;
  EXPECT_EQ(rival("adaptive-no-width").rule.decide(view).components[0].width, 1);
  EXPECT_EQ(rival("adaptive-no-width").rule.decide(view).components[1].width, 1);
  EXPECT_GT(adaptive{objective::throughput}.decide(view).components[1].width, 1);
}

// Under a controller, with their estimators, on Amdahl components at width 1. Equal shares are far from the best here.
TEST(rivals, all_come_closer_to_the_best_than_equal_shares_are) {
  const std::vector<truth> truths{amdahl(.3, .97), amdahl(.06, .9), amdahl(.01, .8), amdahl(.12, .95)};
  const auto known = [&](system_view view) {
    for (std::size_t i = 0; i < truths.size(); ++i) {
      view.components[i].model = std::make_shared<testing::known_truth>(truths[i]);
      view.components[i].recent = {{1, 1, 1}};
    }
    return view;
  };
  for (const named_rival& one : named_rivals()) {
    if (one.name == "saturation-aware" || one.name == "reservation")
      continue;  // they act on queues, which are not here
    std::mt19937 random(8);
    std::normal_distribution<double> noise(0, .03);
    system_view view = view_of(24, {});
    std::vector<std::shared_ptr<estimator>> models;
    for (const char* name : {"a", "b", "c", "d"}) {
      view.components.push_back(testing::unobserved(name));
      view.components.back().max_width = 1;
      view.components.back().model = models.emplace_back(make_estimator(one.estimator, degree{0}));
    }
    controller control(one.rule, one.options);
    int moves = -1;
    double equal = 0;
    for (int record = 0; record < 300; ++record) {
      if (const auto next = control.step(view)) go_to(view, *next), ++moves;
      if (record == 0) equal = expected_times(known(view), view.current).bottleneck;
      view.time += .01;
      for (std::size_t i = 0; i < truths.size(); ++i) {
        component_view& c = view.components[i];
        observation o;
        o.cores = std::max(view.current.components[i].cores.size(), 1);
        o.seconds = truths[i](1, o.cores) * std::exp(noise(random));
        models[i]->observe(o);
        c.recent.push_back({1, o.cores, o.seconds});
        if (c.recent.size() > 64) c.recent.erase(c.recent.begin());
        ++c.invocations, ++c.invocations_since_move;
      }
    }
    const system_view truth_view = known(view);
    const double best = expected_times(truth_view, place(throughput_counts(truth_view), truth_view)).bottleneck;
    const double reached = expected_times(truth_view, view.current).bottleneck;
    std::printf("%-26s %.3f of the best (equal shares %.3f), %d moves\n", one.name.c_str(), best / reached,
                best / equal, moves);
    EXPECT_LT(reached / best - 1, (equal / best - 1) / 2) << one.name;
  }
}

}  // namespace
}  // namespace weir::rivals
