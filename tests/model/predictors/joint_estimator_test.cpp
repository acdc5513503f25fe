#include "model/predictors/joint_estimator.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

// A cost of an input with several values, and how its inputs are drawn.
struct joint_cost {
  std::function<observation(chance&)> draw;
  std::function<double(const observation&)> seconds;
};

double amdahl(int p) { return 0.95 / p + 0.05; }

joint_cost of_two(std::function<double(double f, double g)> sequential) {
  return {[](chance& random) {
            observation o;
            o.x = random.x();
            o.further[0] = std::round(std::exp(random.uniform(std::log(1e3), std::log(1e6))));
            o.cores = random.cores();
            return o;
          },
          [=](const observation& o) { return sequential(o.x, o.further[0]) * amdahl(o.cores); }};
}

joint_cost product() {
  return of_two([](double f, double g) { return 1e-6 * std::pow(f, 0.7) * std::pow(g, 0.9); });
}
joint_cost sum() {
  return of_two([](double f, double g) { return 1e-6 * f * f + 1e-6 * g; });
}

// A level for each of 8 kinds, times a law of a number.
joint_cost levels() {
  return {[](chance& random) {
            observation o;
            o.x = random.x();
            o.further[0] = random.index(8) * 7 - 20;  // whole numbers without an order, some negative
            o.cores = random.cores();
            return o;
          },
          [](const observation& o) { return 1e-4 * o.x * std::exp(std::sin(o.further[0])) * amdahl(o.cores); }};
}

void learn(estimator& model, const joint_cost& cost, int count, unsigned seed = 1, double noise = 0.05) {
  chance random(seed);
  for (int i = 0; i < count; ++i) {
    observation o = cost.draw(random);
    o.seconds = cost.seconds(o) * random.noise(noise);
    model.observe(o);
  }
}

double predicted(const estimator& model, const observation& of) { return model.predict(model.x_of(of), of.cores).mean; }

// The median relative error for inputs as they were learnt.
double middle_error(const estimator& model, const joint_cost& cost) {
  chance random(99);
  std::vector<double> all;
  for (int i = 0; i < 200; ++i) {
    const observation o = cost.draw(random);
    all.push_back(relative_error(predicted(model, o), cost.seconds(o)));
  }
  std::ranges::nth_element(all, all.begin() + 100);
  return all[100];
}

// After a hundred observations with 5 % noise, two named predictors tell the time to some percent. This holds for a
// product, a sum, and a level for each kind. One of the two alone errs by far more.
TEST(joint, tells_products_sums_and_levels) {
  for (const auto& [name, cost] : {std::pair{"weir(number, number)", product()},
                                   {"weir(number, number)", sum()},
                                   {"weir(number, kind)", levels()}}) {
    const auto model = make_estimator(name, unknown_degree), alone = make_estimator("weir", unknown_degree);
    learn(*model, cost, 100), learn(*alone, cost, 100);
    EXPECT_LT(middle_error(*model, cost), 0.03) << name;
    EXPECT_GT(middle_error(*alone, cost), 0.1) << name;
    EXPECT_EQ(model->describe().uses, (std::vector{0, 1}));
    EXPECT_GT(model->describe().explained, 0.9);
  }
}

// A number of few values is found to be a kind, without being told.
TEST(joint, finds_that_a_number_is_a_kind) {
  joint_cost cost = levels();
  const auto drawn = cost.draw;
  cost.draw = [drawn](chance& random) {
    observation o = drawn(random);
    o.further[0] += 20;  // numbers are not negative
    return o;
  };
  const auto model = make_estimator("weir(number, number)", unknown_degree);
  learn(*model, cost, 200);
  EXPECT_LT(middle_error(*model, cost), 0.03);
  EXPECT_EQ(model->describe().use_names, (std::vector<std::string>{"1", "2 (kind)"}));
}

// Five candidates, of which one matters, or none.
joint_cost candidates(bool one_matters) {
  return {
      [](chance& random) {
        observation o;
        o.x = 1;
        o.further = {1.0 + random.index(6), std::round(random.uniform(0, 1000)), random.uniform(1, 2), random.x(),
                     random.x()};
        o.cores = random.cores();
        return o;
      },
      [=](const observation& o) { return (one_matters ? 1e-6 * o.further[3] * o.further[3] : 0.1) * amdahl(o.cores); }};
}
constexpr auto six_candidates = "weir(candidate, candidate, candidate, candidate, candidate, candidate)";

// The candidate on which the cost depends is found, and then serves as if it had been named.
TEST(joint, finds_the_candidate_that_matters) {
  const joint_cost cost = candidates(true);
  const auto model = make_estimator(six_candidates, degree{0}), named = make_estimator("weir", unknown_degree);
  learn(*model, cost, 100);
  joint_cost told = cost;
  told.draw = [cost](chance& random) {
    observation o = cost.draw(random);
    o.x = o.further[3];
    return o;
  };
  learn(*named, told, 100);
  EXPECT_EQ(model->describe().uses, std::vector{4});
  EXPECT_NE(model->describe().words.find("x of 5 explains 100 % of the spread"), std::string::npos)
      << model->describe().words;
  EXPECT_NEAR(middle_error(*model, cost), middle_error(*named, told), 0.003);
}

// Where no candidate matters none is used: over 100 costs with 5 % noise, and with noise of a factor of 2.
TEST(joint, uses_no_candidate_by_chance) {
  int used = 0;
  for (unsigned seed = 0; seed < 100; ++seed)
    for (const double noise : {0.05, 0.7}) {
      const auto model = make_estimator(six_candidates, degree{0});
      learn(*model, candidates(false), 100, seed, noise);
      used += !model->describe().uses.empty();
    }
  EXPECT_LE(used, 4);
}

// A candidate that counts records is not taken for the cause of a change that comes with time.
TEST(joint, takes_no_counter_for_a_cause) {
  const auto model = make_estimator("weir(candidate, candidate, candidate)", degree{0});
  chance random(1);
  for (int i = 0; i < 200; ++i) {
    observation o;
    o.further[0] = i;
    o.further[1] = i / 20;
    o.seconds = (i < 100 ? 0.1 : 0.2) * random.noise(0.05);
    model->observe(o);
  }
  EXPECT_TRUE(model->describe().uses.empty());
  EXPECT_NEAR(model->predict(1, 1).mean, 0.2, 0.02);
}

// Without candidates that help, it predicts as the model of a constant cost.
TEST(joint, is_the_plain_model_where_no_candidate_helps) {
  const auto model = make_estimator("weir(candidate, candidate)", degree{0}), plain = make_estimator("weir", degree{0});
  chance random(1);
  for (int i = 0; i < 300; ++i) {
    observation o;
    o.further[0] = 3;
    o.cores = random.cores();
    o.seconds = amdahl(o.cores) * random.noise(0.05);
    model->observe(o), plain->observe(o);
  }
  for (const int p : {1, 3, 64}) {
    EXPECT_EQ(model->predict(1, p).mean, plain->predict(1, p).mean);
    EXPECT_EQ(model->predict(1, p).spread, plain->predict(1, p).spread);
  }
  EXPECT_EQ(model->x_changes(), 0u);
}

// When the cost becomes another one, the index follows.
TEST(joint, learns_another_index_after_a_change) {
  const auto model = make_estimator("weir(number, number)", unknown_degree);
  learn(*model, product(), 300);
  const joint_cost other = of_two([](double f, double g) { return 1e-5 * f * f + 1e-9 * g; });
  learn(*model, other, 1000, 2);
  EXPECT_LT(middle_error(*model, other), 0.05);
}

// Every x is finite and not negative, and every prediction finite, whatever the values: none at all, zeros, negative
// kinds, huge numbers, unseen kinds, and values that are not finite.
TEST(joint, is_finite_for_every_value) {
  for (const char* name : {"weir(number, number)", "weir(number, kind)", "weir(kind)", six_candidates}) {
    const auto model = make_estimator(name, unknown_degree);
    chance random(3);
    const std::vector<double> odd{0, 1e-300, 1, 1e300, -5, std::nan(""), HUGE_VAL};
    for (int i = 0; i < 400; ++i) {
      observation o;
      o.x = odd[random.index(odd.size())];
      for (double& v : o.further) v = odd[random.index(odd.size())];
      o.cores = random.cores();
      o.seconds = std::exp(random.uniform(-20, 20));
      model->observe(o);
      if (model->describe().observations == 0) continue;
      for (const double v : {0.0, 1e30, 7.0}) {
        observation asked;
        asked.x = v;
        asked.further.fill(v);
        const double mean = predicted(*model, asked);
        ASSERT_TRUE(std::isfinite(mean) && mean >= 0) << name << ' ' << i;
      }
    }
  }
}

// A restored model predicts and learns on as the saved one would, to the bit; damaged numbers are refused and change
// nothing.
TEST(joint, comes_back_to_the_bit_and_learns_on_the_same) {
  for (const auto& [name, cost] : {std::pair{"weir(number, number)", product()},
                                   {"weir(number, number)", sum()},
                                   {"weir(number, kind)", levels()}})
    for (const int count : {0, 3, 100, 700}) {
      const auto original = make_estimator(name, unknown_degree), restored = make_estimator(name, unknown_degree);
      learn(*original, cost, count);
      ASSERT_TRUE(restored->restore(original->state())) << name << count;
      EXPECT_EQ(restored->state(), original->state());
      learn(*original, cost, 300, 2), learn(*restored, cost, 300, 2);
      EXPECT_EQ(restored->state(), original->state());
    }
  const auto model = make_estimator("weir(number, number)", unknown_degree);
  learn(*model, sum(), 100);
  const auto before = model->state();
  const auto refuses = [&](const std::vector<double>& numbers) {
    EXPECT_FALSE(model->restore(numbers));
    EXPECT_EQ(model->state(), before);
  };
  refuses({});
  refuses({2});
  refuses(make_estimator("weir(number)", unknown_degree)->state());
  refuses(make_estimator("weir", unknown_degree)->state());
  for (std::size_t i = 0; i < 40; ++i) {
    auto broken = before;
    broken[i] = std::nan("");
    refuses(broken);
    auto shorter = before;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
    refuses(shorter);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_UNDEFINED__)
constexpr std::size_t small_stack = 512 * 1024;
#else
constexpr std::size_t small_stack = 64 * 1024;
#endif

// Threads of a program that was started with small stacks learn, too: a fit has its tables on the heap.
TEST(joint, a_fit_needs_little_stack) {
  const auto learn = [](void*) -> void* {
    const std::unique_ptr<estimator> model = make_estimator("weir(candidate, kind, number)", unknown_degree);
    chance random(1);
    for (int i = 0; i < 300; ++i) {
      observation o;
      o.x = std::floor(random.uniform(0, 5));
      o.further[0] = std::floor(random.uniform(0, 7));
      o.further[1] = random.uniform(1, 9);
      o.cores = 1 + i % 4;
      o.seconds = (1 + o.x) * (2 + o.further[0]) * o.further[1] * amdahl(o.cores);
      model->observe(o);
    }
    return model->predict(1, 1).mean > 0 ? new char : nullptr;
  };
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, small_stack), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &small, learn, nullptr), 0);
  void* learnt = nullptr;
  ASSERT_EQ(pthread_join(thread, &learnt), 0);
  EXPECT_NE(learnt, nullptr);
  delete static_cast<char*>(learnt);
  pthread_attr_destroy(&small);
}

// Names of models of several predictors are read as they are written, and mistakes are named.
TEST(joint, names_are_read_back_and_mistakes_are_named) {
  EXPECT_EQ(joint_name("weir", {predictor_form::number, predictor_form::kind}), "weir(number, kind)");
  for (const char* name : {"weir(number, kind)", "extended-amdahl:mean(candidate)"})
    EXPECT_EQ(make_estimator(name, unknown_degree)->describe().estimator, name);
  for (const char* wrong :
       {"weir()", "weir(x)", "weir(number,)", "weir(kind, kind, kind, kind, kind, kind, kind)", "nothing(kind)"})
    EXPECT_THROW(make_estimator(wrong, unknown_degree), std::invalid_argument) << wrong;
}

}  // namespace
}  // namespace weir::test
