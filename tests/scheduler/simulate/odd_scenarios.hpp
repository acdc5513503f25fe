#pragma once

#include <cmath>
#include <random>
#include <string>

#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::testing {

// Networks of 2 to 6 components on 8 to 64 cores. Drawn are laws (some are hurt by cores), staircases, tables that are
// best on a few cores, noise, tails, and changes of the stream. Changes are none, two components that alternate,
// phases, or one component that becomes slower by and by. Unlike simulation::workload it is no model of usual streams.
inline simulation::scenario odd_scenario(std::uint64_t seed) {
  using namespace simulation;
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto log_uniform = [&](double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); };
  const auto whole = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto chance = [&](double p) { return uniform(0, 1) < p; };
  scenario s;
  const int sizes[] = {8, 12, 16, 24, 32, 48, 64};
  s.cores = sizes[whole(0, 6)];
  s.records = 1500;
  s.move_cost = log_uniform(0.002, 0.05);
  const int n = whole(2, 6), width = chance(0.3) ? whole(2, 6) : 1;
  const bool tails = chance(0.2);
  const double noise = log_uniform(0.02, 0.15);
  for (int i = 0; i < n; ++i) {
    simulated_component c;
    c.name = std::string(1, static_cast<char>('a' + i));
    const double seconds = log_uniform(0.02, 1);
    law_cost law{{seconds * 0.2, seconds * 0.8 / 1000}, 1 - log_uniform(0.003, 0.3), 0, 0, 0, {}};
    if (chance(0.25)) law.contention = law.alpha / std::pow(log_uniform(2, 24), 2);
    if (chance(0.2)) law.pieces = whole(3, 30);
    c.cost = law;
    if (chance(0.12)) {
      table_cost t;
      const double best = log_uniform(2, 10), up = uniform(0.3, 2);
      for (int p = 1; p <= s.cores; ++p)
        t.seconds.push_back(seconds * (p <= best ? 1.0 / p : 1 / best * std::pow(p / best, up)));
      c.cost = t;
    }
    c.degree = 1;
    c.noise = noise;
    c.max_width = width;
    if (tails) c.late = {log_uniform(0.02, 0.15), 2, uniform(1.1, 2)};
    c.phases[0].x = {input_range::shape::uniform, 500, chance(0.5) ? 500.0 : 1500.0, {}};
    s.components.push_back(c);
  }
  switch (whole(0, 4)) {
    case 0:
      break;
    case 1:
    case 2: {  // two components alternate
      const int period = static_cast<int>(log_uniform(20, 400));
      const double factor = log_uniform(1.5, 10);
      const bool shown = chance(0.5);
      s.phase_starts.clear();
      for (std::uint64_t first = 0; first < s.records; first += static_cast<std::uint64_t>(period))
        s.phase_starts.push_back(first);
      for (std::size_t i = 0; i < 2; ++i) {
        auto& c = s.components[i];
        c.phases.assign(s.phase_starts.size(), c.phases[0]);
        for (std::size_t k = 0; k < c.phases.size(); ++k)
          if (k % 2 == i) {
            if (shown)
              c.phases[k].x.low *= factor, c.phases[k].x.high *= factor;
            else
              c.phases[k].factor = factor;
          }
      }
      s.name = "alternating";
      break;
    }
    case 3: {  // phases
      const int count = whole(2, 6);
      s.phase_starts = {0};
      for (int k = 1; k < count; ++k)
        s.phase_starts.push_back(s.phase_starts.back() + static_cast<std::uint64_t>(whole(100, 1200 / count)));
      for (auto& c : s.components) {
        c.phases.assign(static_cast<std::size_t>(count), c.phases[0]);
        for (auto& p : c.phases) {
          const double f = log_uniform(0.3, 3);
          if (chance(0.7))
            p.x.low *= f, p.x.high *= f;
          else
            p.factor = f;
        }
      }
      s.name = "phases";
      break;
    }
    case 4: {  // drift
      const double most = log_uniform(1.5, 6);
      s.phase_starts.clear();
      for (int k = 0; k < 40; ++k) s.phase_starts.push_back(static_cast<std::uint64_t>(k) * s.records / 40);
      auto& c = s.components[static_cast<std::size_t>(whole(0, n - 1))];
      c.phases.assign(40, c.phases[0]);
      for (int k = 0; k < 40; ++k)
        c.phases[static_cast<std::size_t>(k)].factor = std::pow(most, k < 30 ? k / 29.0 : (39 - k) / 10.0);
      s.name = "drift";
      break;
    }
  }
  return s;
}

}  // namespace weir::testing
