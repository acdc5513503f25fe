#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include <weir/model/predictor_form.hpp>
#include "scheduler/simulate/cost_truth.hpp"

namespace weir::bench {

// The questions to the estimators: the form of the cost, the noise of its observations, and the points to predict.
//
// Costs are a simulation::law_cost and cubic: the term in x^3 always, each lower one with probability 0.6. The terms'
// shares at the largest x are log-uniform over three decades, and the total there is 0.1 to 10 s on one core. The share
// alpha is one of .5 .9 .99 .999. The predictor x is a whole number in 50..2500, p a log-uniform one in 1..48, both
// drawn anew for each observation. Times have 5 % log-normal noise.
//
//   amdahl          the law itself
//   contention      more than p* in 12..96 cores take longer again: contention = alpha / p*^2
//   fork_join       the same turning point at x = 1000, but the price of a core does not grow with x
//   staircase       8 to 64 equal pieces
//   cache           two steps, at x in 200..600 and 800..2000, of 1.2 to 1.6 each
//   outliers        5 % of the observations of an Amdahl cost take Pareto(2, 1.5) times as long
//   even_noise      normal noise of 5 ms on every time, not log-normal; one below 1 us is drawn again
//   level           200 observations, then all times change by one factor in 1/4..4: counted from there
//   phase           200 observations, then another cost altogether: counted from there
//   beyond_...      observed with x <= 1250 and p <= 24, asked at 1250 < x <= 2500 and 24 < p <= 48
//   twice_...       observed like that, asked at x = 2500 and p = 48
//
// Questions where no polynomial of degree 3 holds. Each is scaled to 0.1 to 10 s at the largest x on one core:
//
//   power_1585, root, x_log_x, power_4, inverse    x^1.585, sqrt(x), x log2(x), x^4, 1/x
//   serial_share    (1 - alpha) u^s + alpha u^3 / p, u = x / 2500, s in 0..2: the serial share falls with x
//   step            linear or cubic, three times as much above one x in 500..2000
//   kinds           x is one of 20 numbers, each with a level of its own in 0.1..10 s
//   repeats         x is one of 12, p is 1 or 2, each pair is off an Amdahl cost by a factor of 5 % log-normal; times
//                   repeat to 0.5 %
//
// Questions about the mean time, with x = 1 always:
//
//   log_normal      times scatter log-normally by 0.8
//   late_tenth      one in ten takes 20 times as long
//   hidden          times are proportional to an unseen number, log-uniform over 25 fold
//
// Questions of several predictors: f is as x above, g a whole number log-uniform in 1e3..1e6.
//
//   product         f^a g^b, each power in 0.5..2
//   sum             a part of 0.2 to 0.8 for f^a, the rest for g^b, each power in 0.5..3
//   levels          a cubic in f, times a level in 0.3..3 for each of 8 kinds
//   kinds_said      as kinds, and it is said that x is a kind
//   candidates      a cubic in one of three tags and two sizes, none of which is named: a tag of 1..6, one of 0..1000,
//                   one that counts, sizes as x. The one that matters is as x, whatever the others are
enum class question {
  amdahl,
  contention,
  fork_join,
  staircase,
  cache,
  outliers,
  even_noise,
  level,
  phase,
  beyond_amdahl,
  beyond_fork_join,
  beyond_contention,
  twice_amdahl,
  twice_fork_join,
  twice_contention,
  power_1585,
  root,
  x_log_x,
  power_4,
  inverse,
  serial_share,
  step,
  kinds,
  repeats,
  log_normal,
  late_tenth,
  hidden,
  product,
  sum,
  levels,
  kinds_said,
  candidates
};
inline constexpr int questions = 32;
std::string to_string(question q);

// One trial of a question. The seed determines all of it.
class trial {
 public:
  trial(question q, std::uint64_t seed);

  struct seen {
    double x;
    int cores;
    double seconds;
    std::array<double, most_predictors - 1> further{};
    double that_matters = 0;  // the one of several that the cost depends on; of one: x
  };

  int before() const { return before_; }  // observations to learn before counting starts
  seen observe();                         // the next observation
  seen ask();                             // a point to predict, with the true time of the present cost
  double noisy(double seconds);           // with the noise of an observation

 private:
  double log_uniform(double low, double high);
  double uniform(double low, double high);
  int log_whole(double low, double high);
  bool is(question a, question b, question c) const { return question_ == a || question_ == b || question_ == c; }
  double random_x(double low, double high);
  int random_cores(double low, double high);
  simulation::law_cost draw();
  simulation::cost_truth draw_shape();
  seen sampled_jointly(const simulation::cost_truth& by, double x, int cores);

  question question_;
  std::mt19937_64 random_;
  simulation::cost_truth cost_, later_;
  std::function<double(double x, double g)> factor_;  // of questions of two predictors, on the cost
  int matters_ = 0;                                   // of the candidates
  int before_ = 0, observed_ = 0;
  double largest_x_ = 2500;
  double largest_cores_ = 48;
};

}  // namespace weir::bench
