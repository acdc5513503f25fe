#include "bench/paper/cores48.hpp"

#include <map>
#include <random>
#include <utility>

namespace weir::paper {

const std::vector<int>& cores48::cores() {
  static const std::vector<int> all{1, 2, 4, 8, 16, 32, 40, 47};
  return all;
}

const std::vector<double>& cores48::sizes() {
  static const std::vector<double> all = [] {
    std::vector<double> xs{50, 100, 150, 200, 250};
    for (int x = 300; x <= 2500; x += 100) xs.push_back(x);
    return xs;
  }();
  return all;
}

simulation::law_cost cores48::cost(const std::string& kernel) {
  static const std::map<std::string, simulation::law_cost> all = [] {
    const std::vector<simulation::law_cost::step> caches{{512, 1.25}, {2000, 1.2}};
    std::map<std::string, simulation::law_cost> costs;
    costs["naive"] = {.coefficients = {1e-5, 0, 4e-9, 1.1e-9}, .alpha = 0.98, .steps = {}};
    costs["blocked16"] = {.coefficients = {1e-5, 0, 3e-9, 0.7e-9}, .alpha = 0.98, .steps = caches};
    costs["blocked32"] = {.coefficients = {1e-5, 0, 3e-9, 0.6e-9}, .alpha = 0.975, .steps = caches};
    costs["blocked64"] = {.coefficients = {1e-5, 0, 3e-9, 0.55e-9}, .alpha = 0.97, .steps = caches};
    return costs;
  }();
  return all.at(kernel);
}

std::vector<program::timed_row> cores48::observe(const simulation::law_cost& truth, double noise_seconds,
                                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::vector<program::timed_row> points;
  for (const double x : sizes())
    for (const int p : cores()) points.push_back({x, 0, p});

  std::vector<program::timed_row> rows;
  rows.reserve(points.size() * passes);
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random() % i]);
    for (program::timed_row row : points) {
      constexpr int most_draws = 1000;  // the truth is above 0, so half of the draws are accepted; the last draw is
                                        // kept as it is
      for (int draws = 0; draws < most_draws && !(row.seconds > 0); ++draws)
        row.seconds = truth(row.x, row.cores) + noise_seconds * normal(random);
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace weir::paper
