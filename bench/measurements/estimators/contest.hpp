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

// The numbers of observations after which the estimators make predictions.
inline constexpr std::array stops{5, 10, 20, 50, 200, 1000};

// A contestant: a name, and how a new estimator is made.
struct contestant {
  std::string name;
  std::function<std::unique_ptr<estimator>()> make;
};

// How well the questions of one kind were answered after a number of observations. Plain data.
struct score {
  double median = 0, p95 = 0;  // of |predicted - true| / true, percent
  double covered = 0;          // percent of noisy times within mean +- 1.645 spread, the 90 % interval
};

// `trials` costs, seeded first_seed, first_seed + 1, .., the same for every contestant. 20 predictions after each stop.
// Single-threaded; several calls may run concurrently.
std::array<score, stops.size()> answer(question q, const contestant& who, std::uint64_t first_seed, int trials);

// Every estimator by name, without a degree, and `weir` with degree 3.
std::vector<contestant> every_estimator();

// `weir`, and `weir` without each of its parts.
std::vector<contestant> every_ablation();

}  // namespace weir::bench
