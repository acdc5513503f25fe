#include "bench/weir/compare/compare_fixed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir::program {
namespace {

constexpr std::size_t most_divisions = 64;  // each is a run in every round
constexpr double most_tried = 1e7;          // by arithmetic: takes less than a second

struct division_search {
  const std::vector<std::string>& components;
  const std::string& of_one_lane;
  std::vector<std::string> divisions;

  void divide(std::size_t next, int left, const std::string& so_far) {
    if (divisions.size() > most_divisions) return;
    if (next == components.size()) {
      if (!so_far.empty()) divisions.push_back("fixed:" + so_far);
      return;
    }
    divide(next + 1, left, so_far);
    for (int cores = 1; cores <= left; ++cores)
      for (int lanes = 1; lanes <= (components[next] == of_one_lane ? 1 : cores); ++lanes) {
        std::string share = fmt::format("{}={}", components[next], cores);
        if (lanes > 1) share += fmt::format("x{}", lanes);
        divide(next + 1, left - cores, so_far + (so_far.empty() ? "" : ",") + share);
      }
  }
};

// C(cores - 1, components - 1): the number of ways to cut a row of cores.
double ways(int cores, std::size_t components) {
  double result = 1;
  for (std::size_t i = 1; i < components; ++i)
    result *= static_cast<double>(cores - static_cast<int>(i)) / static_cast<double>(i);
  return result;
}

}  // namespace

std::vector<std::string> all_divisions(const std::vector<std::string>& components, int cores,
                                       const std::string& of_one_lane) {
  division_search search{components, of_one_lane, {}};
  search.divide(0, cores, "");
  if (search.divisions.size() > most_divisions) return {};
  search.divisions.push_back("equal");
  return search.divisions;
}

std::vector<std::string> best_division(const std::vector<std::string>& components, int cores, std::size_t phases,
                                       const std::function<double(std::size_t, std::size_t, int)>& seconds) {
  const std::size_t n = components.size();
  if (cores < static_cast<int>(n) || ways(cores, n) > most_tried) return {};
  const int most = cores - static_cast<int>(n) + 1;
  std::vector<double> table;  // by phase, component and cores - 1
  for (std::size_t phase = 0; phase < phases; ++phase)
    for (std::size_t i = 0; i < n; ++i)
      for (int p = 1; p <= most; ++p) table.push_back(seconds(phase, i, p));
  const auto at = [&](std::size_t phase, std::size_t i, int p) {
    return table[(phase * n + i) * static_cast<std::size_t>(most) + static_cast<std::size_t>(p - 1)];
  };

  std::vector<int> given(n, 1), best;
  double least = std::numeric_limits<double>::infinity();
  const std::function<void(std::size_t, int)> choose = [&](std::size_t i, int left) {
    if (i + 1 < n) {
      for (given[i] = 1; given[i] <= left - static_cast<int>(n - i - 1); ++given[i]) choose(i + 1, left - given[i]);
      return;
    }
    given[i] = left;
    double total = 0;
    for (std::size_t phase = 0; phase < phases && total < least; ++phase) {
      double slowest = 0;
      for (std::size_t j = 0; j < n; ++j) slowest = std::max(slowest, at(phase, j, given[j]));
      total += slowest;
    }
    if (total < least) least = total, best = given;
  };
  choose(0, cores);

  std::string shares;
  for (std::size_t i = 0; i < n; ++i) shares += fmt::format("{}{}={}", i ? "," : "fixed:", components[i], best[i]);
  return {shares};
}

}  // namespace weir::program
