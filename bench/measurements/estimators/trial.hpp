#pragma once

#include <cstdint>
#include <random>
#include <string>

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
  twice_contention
};
inline constexpr int questions = 15;
std::string to_string(question q);

// One trial of a question. The seed determines all of it.
class trial {
 public:
  trial(question q, std::uint64_t seed);

  struct seen {
    double x;
    int cores;
    double seconds;
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
  simulation::law_cost draw();

  question question_;
  std::mt19937_64 random_;
  simulation::law_cost cost_, later_;
  int before_ = 0, observed_ = 0;
  double largest_x_ = 2500;
  double largest_cores_ = 48;
};

}  // namespace weir::bench
