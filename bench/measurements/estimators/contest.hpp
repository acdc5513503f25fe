#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include "bench/measurements/estimators/trial.hpp"

namespace weir::bench {

// The numbers of observations after which the estimators make predictions; several predictors need more.
using stop_list = std::array<int, 6>;
constexpr stop_list stops_of(question q) {
  return q >= question::product ? stop_list{10, 20, 50, 100, 200, 1000} : stop_list{5, 10, 20, 50, 200, 1000};
}

// A contestant: a name, and how a new estimator is made.
struct contestant {
  std::string name;
  std::function<std::unique_ptr<estimator>()> make;
  bool is_told = false;  // which of several predictors matters, and sees it alone
};

// How well the questions of one kind were answered after a number of observations. Plain data.
struct score {
  double median = 0, p95 = 0;  // of |predicted - true| / true, percent
  double covered = 0;          // percent of noisy times within mean +- 1.645 spread, the 90 % interval
};

// `trials` costs, seeded first_seed, first_seed + 1, .., the same for every contestant. 20 predictions after each stop.
// Single-threaded; several calls may run concurrently.
std::array<score, stop_list{}.size()> answer(question q, const contestant& who, std::uint64_t first_seed, int trials);

// Every estimator by name, without a degree, and `weir` with degree 3. For a question of several predictors: `weir` as
// its user would have it, with the first predictor alone, and with the one that matters.
std::vector<contestant> every_estimator(question of);

// `weir`, and `weir` without each of its parts.
std::vector<contestant> every_ablation();

}  // namespace weir::bench
