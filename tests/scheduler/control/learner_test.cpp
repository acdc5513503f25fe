#include "scheduler/control/learner.hpp"
#include <weir/model/named/estimators.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace weir {
namespace {

// Counts its observations.
class counting : public estimator {
 public:
  struct given {
    int count = 0;
    double seconds = 0, x = 0;
  };
  explicit counting(given& all) : all_(all) {}
  void observe(const observation& seen) override {
    ++all_.count;
    all_.seconds += seen.seconds;
    all_.x += seen.x;
  }
  prediction predict(double, int) const override { return {}; }
  description describe() const override {
    description d;
    d.observations = static_cast<std::uint64_t>(all_.count);
    return d;
  }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<counting>(*this); }
  std::vector<double> state() const override { return {}; }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  given& all_;
};

observation at(double start, double x = 1, int cores = 1, double seconds = 1e-5) {
  observation o;
  o.start = start;
  o.x = x;
  o.cores = cores;
  o.seconds = seconds;
  return o;
}

// Slow observations reach the estimator one by one, unchanged.
TEST(learner, gives_every_observation_that_comes_slowly) {
  counting::given got;
  learner l(std::make_unique<counting>(got));
  for (int i = 0; i < 1000; ++i) l.observe(at(i * 1e-3, i));
  EXPECT_EQ(got.count, 1000);
  EXPECT_EQ(got.x, 999 * 500);
  EXPECT_EQ(l.observed(), 1000u);
}

// However fast observations come, the estimator is updated at most 10^4 times per second of their time. Equal
// invocations lose only their number: every mean is their time.
TEST(learner, never_updates_more_than_ten_thousand_times_a_second) {
  counting::given got;
  learner l(std::make_unique<counting>(got));
  for (int i = 0; i < 1'000'000; ++i) l.observe(at(i * 1e-6, 1 + i % 1000, 1 + i % 7));
  EXPECT_LE(got.count, 10'000 + 100);
  EXPECT_GE(got.count, 9'000);

  counting::given equal;
  learner same(std::make_unique<counting>(equal));
  for (int i = 0; i < 99'960; ++i) same.observe(at(i * 1e-6, 100, 2, 3e-5));
  EXPECT_EQ(equal.count, 10 * learner::singly + 9);  // one slot of sums, given with the next window
  EXPECT_NEAR(equal.seconds / equal.count, 3e-5, 1e-14);
}

// Sums mix neither numbers of cores nor distant x: each is the mean of neighbours.
TEST(learner, sums_only_what_is_nearly_equal) {
  counting::given got;
  learner l(std::make_unique<counting>(got));
  for (std::size_t i = 0; i < learner::singly; ++i) l.observe(at(0, 1));
  for (int i = 0; i < 10; ++i) {
    l.observe(at(0, 1000, 1, 1e-6));
    l.observe(at(0, 1000, 2, 2e-6));
    l.observe(at(0, 2000, 1, 4e-6));
  }
  EXPECT_EQ(got.count, static_cast<int>(learner::singly));
  const counting::given before = got;
  l.observe(at(1, 1));
  EXPECT_EQ(got.count - before.count, 3 + 1);
  EXPECT_NEAR(got.x - before.x, 1000 + 1000 + 2000 + 1, 1e-9);
  EXPECT_NEAR(got.seconds - before.seconds, 7e-6 + 1e-5, 1e-15);
}

// A view has the recent invocations except the first after a move, and counts those on the allotment in force
// separately. Later observations do not change its model.
TEST(learner, fills_a_view) {
  learner l(make_estimator("weir", degree{0}));
  component_view view;
  l.fill(view);
  EXPECT_TRUE(view.recent.empty());
  EXPECT_TRUE(std::isnan(view.model->predict(1, 1).mean));

  for (int i = 0; i < 100; ++i) l.observe(at(i, 1, 1, 0.5));
  l.moved(100);
  l.observe(at(99.9, 1, 1, 0.5));  // began before the move
  observation after = at(100, 1, 2, 7);
  after.after_move = true;
  l.observe(after);
  l.observe(at(107, 1, 2, 0.25), 0.2);
  l.fill(view);
  EXPECT_EQ(view.recent.size(), 102u);
  EXPECT_EQ(view.recent.back().seconds, 0.2);  // the cost that the model learns for it
  EXPECT_EQ(view.recent.back().cores, 2);
  EXPECT_EQ(view.invocations, 103u);
  EXPECT_EQ(view.invocations_since_move, 1u);
  EXPECT_NEAR(l.mean_seconds(), (63 * 0.5 + 0.25) / 64, 1e-12);
  EXPECT_NEAR(l.busy_core_seconds(), 101 * 0.5 + 14 + 0.5, 1e-9);

  const double said = view.model->predict(1, 1).mean;
  for (int i = 0; i < 100; ++i) l.observe(at(200 + i, 1, 1, 5));
  EXPECT_EQ(view.model->predict(1, 1).mean, said);
}

// The first invocation of a component that is reached for the first time after a move is all that is known of it.
// At the start of a run it is one of many, and longer than the others.
TEST(learner, learns_from_the_first_invocation_of_all_after_a_move_and_not_at_the_start) {
  observation first = at(100, 1, 1, 7);
  first.after_move = true;
  component_view view;
  learner early(make_estimator("weir", degree{0}));
  early.moved(0);
  early.observe(first);
  early.fill(view);
  EXPECT_TRUE(view.recent.empty());

  learner l(make_estimator("weir", degree{0}));
  l.moved(0);
  l.moved(100);
  l.observe(first);
  l.fill(view);
  EXPECT_EQ(view.invocations, 1u);
  EXPECT_EQ(view.invocations_since_move, 1u);
  EXPECT_NEAR(view.model->mean(1, 1), 7, 1e-9);
  l.moved(200);
  first.start = 200;
  first.seconds = 70;
  l.observe(first);
  l.fill(view);
  EXPECT_EQ(view.invocations_since_move, 0u) << "the next first one is known to be longer than others";
  EXPECT_NEAR(view.model->mean(1, 1), 7, 1e-9);
}

// Learners may start from one model. None of them changes it, and a learner without observations has no other.
TEST(learner, copies_the_model_that_it_starts_from_at_the_first_observation) {
  const std::shared_ptr<estimator> start = make_estimator("weir", degree{0});
  learner one(start), other(start);
  component_view before, after;
  one.fill(before);
  other.fill(after);
  EXPECT_EQ(before.model, start);
  EXPECT_EQ(after.model, start);

  one.observe(at(0, 1, 1, 0.5));
  one.fill(after);
  EXPECT_EQ(after.model->mean(1, 1), 0.5);
  EXPECT_TRUE(std::isnan(before.model->mean(1, 1)));
  EXPECT_TRUE(std::isnan(other.model().mean(1, 1)));
}

// Views between which nothing was observed have one model, and the next observation changes it for none of them.
TEST(learner, shares_its_model_with_views_until_it_learns) {
  learner l(make_estimator("weir", degree{0}));
  l.observe(at(0, 1, 1, 0.5));
  component_view first, second, third;
  l.fill(first);
  l.fill(second);
  EXPECT_EQ(first.model, second.model);
  EXPECT_EQ(first.model.get(), &l.model());

  l.observe(at(1, 1, 1, 2));
  l.fill(third);
  EXPECT_EQ(first.model->mean(1, 1), 0.5);
  EXPECT_GT(third.model->mean(1, 1), 0.5);
}

constexpr double short_time = 1e-7;  // seconds

// The first short invocations are withheld from the estimator, and views have their mean. It then gets them as the mean
// of each group, before the next.
TEST(learner, withholds_the_first_brief_invocations_and_gives_their_means) {
  counting::given got;
  learner l(std::make_unique<counting>(got));
  component_view view;
  for (std::size_t i = 0; i < learner::most_withheld; ++i) {
    l.observe(at(static_cast<double>(i), i % 2 ? 1 : 1000, 1, (i % 2 ? 1 : 3) * short_time));
    l.fill(view);
  }
  EXPECT_EQ(got.count, 0);
  EXPECT_NEAR(view.model->mean(1, 1), 2 * short_time, 1e-12);
  EXPECT_NEAR(view.model->moments(view.inputs, 1).mean, 2 * short_time, 1e-12);
  EXPECT_FALSE(view.model->cores_known().alpha_known);
  EXPECT_EQ(view.recent.size(), learner::most_withheld);
  l.observe(at(100, 1, 1, short_time));
  EXPECT_EQ(got.count, 2 + 1);
  EXPECT_NEAR(got.seconds, (3 + 1 + 1) * short_time, 1e-15);
  l.fill(view);
  EXPECT_EQ(view.model->describe().observations, 3u);
}

// Nothing is withheld once an invocation was not short, or somebody asks for the model.
TEST(learner, withholds_nothing_from_who_asks_or_of_a_component_that_is_not_brief) {
  counting::given asked, slow;
  learner one(std::make_unique<counting>(asked)), other(std::make_unique<counting>(slow));
  one.observe(at(0, 1, 1, short_time));
  other.observe(at(0, 1, 1, short_time));
  EXPECT_EQ(asked.count + slow.count, 0);
  one.model();
  EXPECT_EQ(asked.count, 1);
  other.observe(at(1, 1, 1, learner::short_below));
  EXPECT_EQ(slow.count, 2);
  one.observe(at(1, 1, 1, short_time));
  other.observe(at(2, 1, 1, short_time));
  EXPECT_EQ(asked.count, 2);
  EXPECT_EQ(slow.count, 3);
}

// The learner counts withheld inputs like all others, in a view as well as in the model that is made later.
TEST(learner, knows_the_inputs_that_it_withheld) {
  learner l(make_estimator("weir", degree{0}));
  for (int i = 0; i < 4; ++i) l.observe(at(i, 7, 1, short_time));
  EXPECT_NEAR(l.expected(at(4, 7)), short_time, 1e-12);
  component_view view;
  l.fill(view);
  EXPECT_EQ(view.inputs_seen, 4u);
  for (int i = 0; i < 4; ++i) l.observe(at(4 + i, 7, 1, short_time));
  l.observe(at(8, 7, 1, learner::short_below));
  l.fill(view);
  EXPECT_EQ(view.inputs_seen, 9u);
  ASSERT_EQ(view.inputs.size(), 1u);
  EXPECT_EQ(view.inputs.front().x, 7);
}

// A description counts the withheld invocations, and changes nothing.
TEST(learner, describes_what_it_withholds) {
  learner l(make_estimator("weir", degree{0}));
  EXPECT_EQ(l.describe().observations, 0u);
  for (int i = 0; i < 4; ++i) l.observe(at(i, 1, 1, short_time));
  EXPECT_EQ(l.describe().observations, 1u);  // one group
  EXPECT_NEAR(l.describe().coefficients.at(0), short_time, 1e-12);
  EXPECT_EQ(l.model().describe().observations, 1u);
}

// A model that knows something is never replaced by a mean.
TEST(learner, withholds_nothing_from_a_model_that_knows) {
  std::shared_ptr<estimator> prior = make_estimator("weir", degree{1});
  for (int i = 1; i < 20; ++i) prior->observe(at(i, i, 1, i * 1e-3));
  learner l(prior);
  l.observe(at(0, 1e-3, 1, 1e-6));
  component_view view;
  l.fill(view);
  EXPECT_NEAR(view.model->mean(10, 1), 10e-3, 1e-3);
}

// Unusable inputs, such as a predictor's NaN, are not expected of later invocations.
TEST(learner, keeps_no_input_that_is_no_number) {
  counting::given got;
  learner l(std::make_unique<counting>(got));
  for (int i = 0; i < 20; ++i) l.observe(at(i, i % 2 == 0 ? 3 : std::nan("")));
  component_view view;
  l.fill(view);
  EXPECT_EQ(view.recent.size(), 10u);
  ASSERT_EQ(view.inputs.size(), 1u);
  EXPECT_EQ(view.inputs[0].x, 3);
  EXPECT_EQ(l.observed(), 20u);
}

// With several predictors, views have the x that the model makes of them. When the model takes them otherwise, the
// samples and inputs of earlier invocations get their new x, and expectations fit the times seen.
TEST(learner, gives_all_samples_the_x_of_the_present_model) {
  learner l(make_estimator("weir(candidate, candidate, candidate)", degree{0}));
  const auto of = [](int i) {
    observation o = at(i, 1, 1 + i % 2, 1e-3 * (1 + i * 37 % 100));
    o.further[0] = i % 3;
    o.further[1] = 1 + i * 37 % 100;
    return o;
  };
  for (int i = 0; i < 6; ++i) l.observe(of(i));
  component_view before;
  l.fill(before);
  for (const invocation_sample& s : before.recent) EXPECT_EQ(s.x, 1) << "no candidate is known to help";
  for (int i = 6; i < 100; ++i) l.observe(of(i));
  component_view view;
  l.fill(view);
  EXPECT_GT(view.model->x_changes(), before.model->x_changes());
  ASSERT_EQ(view.recent.size(), 100u);
  for (int i = 0; i < 100; ++i) {
    const invocation_sample& s = view.recent[static_cast<std::size_t>(i)];
    EXPECT_EQ(s.x, of(i).further[1]) << i;
    EXPECT_NEAR(view.model->mean(s.x, s.cores), s.seconds, 0.05 * s.seconds);
    EXPECT_NEAR(l.expected(of(i)), s.seconds, 0.05 * s.seconds);
  }
  EXPECT_EQ(view.inputs_seen, 100u);
  EXPECT_GT(view.inputs.back().x, 10 * view.inputs.front().x);
}

}  // namespace
}  // namespace weir
