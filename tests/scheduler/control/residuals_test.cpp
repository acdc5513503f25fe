#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scheduler/control/core_factors.hpp"
#include "scheduler/control/residual_belief.hpp"
#include "scheduler/control/sharing_residuals.hpp"
#include "scheduler/control/time_residuals.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

TEST(core_factors, are_linear_in_logarithms_between_numbers_of_cores_and_constant_outside) {
  const core_factors factors{{1, 3}, {0, std::log(4.0)}};
  EXPECT_DOUBLE_EQ(factors(1), 1);
  EXPECT_DOUBLE_EQ(factors(2), 1);
  EXPECT_NEAR(factors(4), 2, 1e-12);
  EXPECT_NEAR(factors(8), 4, 1e-12);
  EXPECT_NEAR(factors(64), 4, 1e-12);
  EXPECT_EQ(core_factors{}(7), 1);
}

TEST(core_factors, correct_every_answer_of_a_model_alike) {
  const auto model = std::make_shared<testing::known_truth>(amdahl(8, .5), true, 16, 0.1);
  const auto twice = corrected(model, {{0}, {std::log(2.0)}}, true);
  const std::vector<typical_input> inputs{{1, .5}, {2, .5}};
  for (const int cores : {1, 3, 16}) {
    EXPECT_NEAR(twice->mean(1, cores), 2 * model->mean(1, cores), 1e-12);
    EXPECT_NEAR(twice->predict(1, cores).mean, 2 * model->predict(1, cores).mean, 1e-12);
    EXPECT_NEAR(twice->predict(1, cores).spread, 2 * model->predict(1, cores).spread, 1e-12);
    EXPECT_NEAR(twice->moments(inputs, cores).mean, 2 * model->moments(inputs, cores).mean, 1e-12);
    EXPECT_NEAR(twice->moments(inputs, cores).square, 4 * model->moments(inputs, cores).square, 1e-9);
  }
  EXPECT_LE(twice->cores_known().smallest, 1);
}

// Standard deviation of the logarithm over many draws.
double spread_on(const residual_belief& belief, int cores) {
  double squares = 0;
  constexpr int draws = 2000;
  const double middle = std::log(belief.expected()(cores));
  for (int k = 0; k < draws; ++k) {
    const double away = std::log(belief.sample(static_cast<std::uint64_t>(k), 1)(cores)) - middle;
    squares += away * away;
  }
  return std::sqrt(squares / draws);
}

TEST(a_residual_belief, knows_measured_numbers_of_cores_and_doubts_others_by_how_far_they_are) {
  const std::vector<residual> seen{{8, std::log(1.5), 1e-4}};
  const residual_belief belief(seen, 8, 64, true);
  EXPECT_NEAR(belief.expected()(8), 1.5, 0.01);
  EXPECT_LT(spread_on(belief, 8), 0.01) << "staying tells";
  EXPECT_LT(spread_on(belief, 11), spread_on(belief, 32));
  EXPECT_LT(spread_on(belief, 6), spread_on(belief, 1));
  EXPECT_LT(spread_on(belief, 32), spread_on(residual_belief(seen, 8, 64, false), 32))
      << "a model that has not seen how times change with cores is doubted more";
}

TEST(a_residual_belief, draws_the_opposite_with_the_opposite_sign_and_the_same_with_the_same_seed) {
  const residual_belief belief(std::vector<residual>{{4, .2, .01}, {8, -.1, .02}}, 4, 32, true);
  for (const int cores : {1, 4, 16}) {
    const double middle = std::log(belief.expected()(cores)), one = std::log(belief.sample(7, 1)(cores));
    EXPECT_NEAR(std::log(belief.sample(7, -1)(cores)), 2 * middle - one, 1e-9);
    EXPECT_EQ(std::log(belief.sample(7, 1)(cores)), one);
  }
}

// One component on a number of cores, whose model expects one second.
struct timed {
  timed() {
    view = view_of(16, {component(
                           "a", [](double, int) { return 1.0; }, 1)});
    view.components[0].recent.clear();
    view.components[0].invocations = 0;
    on(8);
    times.take(view);
  }
  void on(int cores) { view.current.components = {{core_set::range(0, cores), 1}}; }
  void pass(const std::vector<double>& seconds) {
    component_view& c = view.components[0];
    for (const double s : seconds) {
      ++c.invocations;
      c.recent = {{1, view.current.components[0].cores.size(), s}};
      times.take(view);
    }
  }
  double factor(int cores) { return times.beliefs(view).front().expected()(cores); }

  system_view view;
  time_residuals times;
};

// Throughput is about means: where one in ten takes twenty times as long, half of the time is theirs.
// Eight cores hurt, and two are nearly twice as fast as one: the least time may lie between two and eight.
TEST(a_residual_belief, lets_half_of_the_draws_have_a_minimum_between_numbers_of_cores_that_were_not_seen) {
  const auto seconds = [](int p) { return p == 1 ? 0.2 : p <= 2 ? 0.11 : 0.11 + (p - 2) * 0.033; };
  const std::vector<residual> seen{{8, 0, 1e-6}, {2, 0, 1e-6}, {1, 0, 1e-6}};
  const residual_belief plain(seen, 2, 32, true);
  residual_belief hopes = plain;
  hopes.expect_minimum(seen, [&](int p) { return std::log(seconds(p)); });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const core_factors up = hopes.sample(seed, 1), down = hopes.sample(seed, -1);
    for (const int p : {1, 2, 8, 16, 32}) EXPECT_DOUBLE_EQ(up(p), plain.sample(seed, 1)(p)) << p << " cores";
    for (const int p : {1, 2, 3, 4, 6, 8}) EXPECT_DOUBLE_EQ(down(p), plain.sample(seed, -1)(p)) << p << " cores";
    for (const int p : {3, 4, 6}) EXPECT_LT(up(p), plain.sample(seed, 1)(p)) << p << " cores";
  }
  EXPECT_LT(hopes.sample(1, 1)(4) * seconds(4), seconds(2));
  EXPECT_DOUBLE_EQ(hopes.expected()(4), plain.expected()(4));

  residual_belief next_to = residual_belief(std::vector<residual>{{3, 0, 1e-6}, {2, 0, 1e-6}}, 2, 32, true);
  const double before = next_to.sample(1, 1)(3);
  next_to.expect_minimum(std::vector<residual>{{3, 0, 1e-6}, {2, 0, 1e-6}}, [&](int p) { return 1.0 * p; });
  EXPECT_DOUBLE_EQ(next_to.sample(1, 1)(3), before) << "nothing lies between two and three";
}

TEST(time_residuals, are_means_and_count_late_invocations) {
  timed a;
  for (int k = 0; k < 25; ++k) a.pass({1, 1, 1, 1, 1, 1, 1, 1, 1, 20});
  EXPECT_NEAR(a.factor(8), 2.9, 0.4);
}

// A model of several predictors that expects `seconds_of_one` times x, and has changed what x is.
class with_another_x : public estimator {
 public:
  with_another_x(double seconds_of_one, std::uint64_t changes) : seconds_of_one_(seconds_of_one), changes_(changes) {}
  void observe(const observation&) override {}
  prediction predict(double x, int cores) const override { return {.mean = mean(x, cores)}; }
  double mean(double x, int) const override { return seconds_of_one_ * x; }
  description describe() const override { return {}; }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<with_another_x>(*this); }
  std::vector<double> state() const override { return {}; }
  bool restore(const std::vector<double>&) override { return false; }
  std::uint64_t x_changes() const override { return changes_; }

 private:
  double seconds_of_one_;
  std::uint64_t changes_;
};

// When the model makes another x of the predictors, invocations are compared with its times for their new x.
TEST(time_residuals, take_the_samples_of_the_view_when_x_changes) {
  timed a;
  a.view.components[0].model = std::make_shared<with_another_x>(1, 0);
  for (int k = 0; k < 20; ++k) a.pass({0.5, 1.5});
  component_view& c = a.view.components[0];
  c.model = std::make_shared<with_another_x>(10, 1);
  c.recent.clear();
  for (int k = 0; k < 20; ++k)
    for (const double s : {0.5, 1.5}) c.recent.push_back({s / 10, 8, s});
  a.times.take(a.view);
  EXPECT_NEAR(a.factor(8), 1, 0.02);
}

TEST(time_residuals, forget_a_cold_start_once_times_agree_with_themselves) {
  timed a;
  a.pass(std::vector<double>(10, 8));
  EXPECT_GT(a.factor(8), 5);
  a.pass(std::vector<double>(8, 1));
  EXPECT_NEAR(a.factor(8), 1, 0.1);
}

TEST(time_residuals, keep_what_was_measured_on_other_cores) {
  timed a;
  a.on(4);
  a.pass(std::vector<double>(20, 1.5));
  a.on(8);
  a.pass(std::vector<double>(20, 1));
  EXPECT_NEAR(a.factor(4), 1.5, 0.15);
  EXPECT_NEAR(a.factor(8), 1, 0.03);
  a.times.clear();
  a.times.take(a.view);
  EXPECT_EQ(a.factor(4), 1);
}

// A stream whose entrance is full, on an allotment that shares.
struct shared_stream {
  shared_stream() {
    view =
        view_of(8, {component("a", amdahl(1, 1), 1), component("b", amdahl(1, 1), 1), component("c", amdahl(1, 1), 1)});
    for (component_view& c : view.components) c.queue_length = 1, c.visits = 1;
    view.current = hosted_by(0);
  }
  static allotment hosted_by(int core) {
    allotment given;
    given.components = {{core_set::range(0, 4), 1}, {core_set::range(4, 4), 1}, {}};
    given.shared = {core};
    return given;
  }
  static allotment apart() {
    allotment given;
    given.components = {{core_set::range(0, 4), 1}, {core_set::range(4, 3), 1}, {core_set::range(7, 1), 1}};
    return given;
  }
  // Each record takes `factor` times the expected second.
  void pass(int records, double factor) {
    for (; records > 0; --records) {
      for (component_view& c : view.components) ++c.invocations;
      view.time += factor;
      sharing.take(view, 0, 1);
    }
  }

  system_view view;
  sharing_residuals sharing;
};

TEST(sharing_residuals, believe_of_a_way_what_it_took_and_of_similar_ones_a_part_of_it) {
  shared_stream s;
  s.pass(400, 1.3);
  const double same = s.sharing.factor(s.hosted_by(0)), other_host = s.sharing.factor(s.hosted_by(4)),
               apart = s.sharing.factor(s.apart());
  EXPECT_NEAR(same, 1.3, 0.08);
  EXPECT_LT(other_host, same);
  EXPECT_LT(apart, other_host);
  EXPECT_GT(apart, 1);
  s.sharing.clear();
  EXPECT_EQ(s.sharing.factor(s.hosted_by(0)), 1);
}

TEST(sharing_residuals, learn_nothing_from_a_stream_that_is_not_full) {
  shared_stream s;
  s.view.components[0].queue_length = 0;
  s.pass(400, 1.3);
  EXPECT_EQ(s.sharing.factor(s.hosted_by(0)), 1);
  EXPECT_FALSE(is_full(s.view));
}

}  // namespace
}  // namespace weir
