#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "model/estimator.hpp"

namespace weir::simulation {

// What an invocation costs in truth: T(x, p) in seconds, without noise, for x >= 0 and p >= 1. A value; a pure
// function, cheap to call.
using cost_truth = std::function<double(double x, int cores)>;

// Tseq(x) (alpha part(p) + (1 - alpha) + contention (p - 1)) + fork_join (p - 1), with Tseq(x) = sum_i
// coefficients[i] x^i times the factor of every step that x is above. part(p) is 1/p (Amdahl), or ceil(pieces/p)/pieces
// where the work comes in equal pieces that cannot be split (a staircase). The term with contention is that of the
// Universal Scalability Law (Gunther) in time.
struct law_cost {
  struct step {
    double from = 0, factor = 1;  // x above `from` costs `factor` times as much: what no longer fits a cache
  };
  std::vector<double> coefficients = {1};
  double alpha = 0.99;
  double contention = 0;  // share of Tseq for each further core
  double fork_join = 0;   // seconds for each further core
  int pieces = 0;         // 0: the work can be split at will
  std::vector<step> steps;

  double operator()(double x, int cores) const;
};

// seconds[p - 1] x^power; beyond the end of the table its last entry. REQUIRES: not empty.
struct table_cost {
  std::vector<double> seconds;
  double power = 0;

  double operator()(double x, int cores) const;
};

// What a model predicts, and at least a picosecond. Takes a snapshot of it.
cost_truth model_cost(const estimator& model);

// What was recorded, as `x, cores, seconds` of invocations: their means at equal x and cores, linear in between, first
// over x and then over 1/p; beyond the ends, the end. Throws std::invalid_argument when there is none.
struct recorded_invocation {
  double x = 1;
  int cores = 1;
  double seconds = 0;
};
cost_truth recorded_cost(std::vector<recorded_invocation> seen);

}  // namespace weir::simulation
