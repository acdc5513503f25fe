#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <weir/model/estimator.hpp>

namespace weir::simulation {

// The true cost of an invocation: T(x, p) in seconds, without noise, for x >= 0 and p >= 1. A value; a pure function,
// cheap to call.
using cost_truth = std::function<double(double x, int cores)>;

// A cost by a law:
//
//   T(x, p) = Tseq(x) (alpha part(p) + (1 - alpha) + contention (p - 1)) + fork_join (p - 1).
//
// Tseq(x) is sum_i coefficients[i] x^i, times the factor of every step that x is above. part(p) is 1/p (Amdahl). If the
// work comes in equal pieces that cannot be split, it is ceil(pieces/p)/pieces, a staircase. The contention term is the
// term of the Universal Scalability Law (Gunther) in time.
struct law_cost {
  struct step {
    double from = 0, factor = 1;  // x above `from` costs `factor` times as much, as beyond a cache
  };
  std::vector<double> coefficients = {1};
  double alpha = 0.99;
  double contention = 0;  // share of Tseq for each further core
  double fork_join = 0;   // seconds for each further core
  int pieces = 0;         // 0: the work can be split at will
  std::vector<step> steps;

  double operator()(double x, int cores) const;
};

// A cost by a table: seconds[p - 1] x^power. Beyond the end of the table the last entry holds. REQUIRES: not empty.
struct table_cost {
  std::vector<double> seconds;
  double power = 0;

  double operator()(double x, int cores) const;
};

// The cost that a model predicts, at least a picosecond. Takes a snapshot of the model.
cost_truth model_cost(const estimator& model);

// The cost from recorded invocations: their means at equal x and cores. In between it is linear, first over x and then
// over 1/p; beyond the ends it is constant. Throws std::invalid_argument when there are none.
struct recorded_invocation {
  double x = 1;
  int cores = 1;
  double seconds = 0;
};
cost_truth recorded_cost(std::vector<recorded_invocation> seen);

}  // namespace weir::simulation
