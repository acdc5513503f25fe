#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bench/measurements/estimators/contest.hpp"

namespace weir::bench {

// The prior with which `weir` begins. The runs before it learnt 300 observations of a cost; the folder has eight of
// them.
enum class start_from {
  nothing,         // no prior
  same_run,        // the model of a run of the same cost, given by itself
  folder,          // eight runs, one of the same cost
  slower,          // the same eight runs, on a machine that takes 1.7 times as long
  slower_by_hand,  // the model of a run of the same cost, given by itself, where all takes 1.7 times as long
  others           // eight runs, none of the same cost
};
inline constexpr int starts = 6;
std::string to_string(start_from start);

inline constexpr std::array<int, 5> prior_stops{5, 10, 20, 50, 100};

struct prior_scores {
  std::array<score, prior_stops.size()> after{};
  std::array<double, prior_stops.size()>
      same_chosen{};  // percent of trials in which the run of the same cost is in use
};

// As answer(), for the start that is named. REQUIRES: q has one predictor.
prior_scores answer_from(question q, start_from start, std::uint64_t first_seed, int trials);

}  // namespace weir::bench
