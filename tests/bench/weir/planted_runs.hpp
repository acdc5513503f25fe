#pragma once

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace weir::testing {

// Made-up runs with a planted cause, and the file that contains them.

// Their machine, as an option: 8 cores, two per cache, four per package.
constexpr const char* machine_of_runs = " --machine 'package:2 l3:2 core:2 pu:1'";

// A row of a made-up run.
struct run_row {
  std::string component;
  double x = 1;
  double seconds = 0.01, start = 0;
  int first_core = 0, cores = 1;
  int queue = 0;
  bool after_move = false;
};

inline std::string run_csv(const std::vector<run_row>& rows) {
  std::ostringstream text;
  text << "component,x,cores,seconds,start,core_set,queue,after_move\n" << std::setprecision(17);
  for (const run_row& r : rows) {
    text << r.component << ',' << r.x << ',' << r.cores << ',' << r.seconds << ',' << r.start << ',' << r.first_core;
    if (r.cores > 1) text << '-' << r.first_core + r.cores - 1;
    text << ',' << r.queue << ',' << (r.after_move ? 1 : 0) << '\n';
  }
  return text.str();
}

// Randomness, the same in every run of the tests.
struct chance {
  explicit chance(unsigned seed) : random(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  double noise(double part) { return std::exp(part * std::normal_distribution<double>()(random)); }
  bool one_in(unsigned n) { return random() % n == 0; }

  std::mt19937_64 random;
};

// `decode` runs on core 0. Each `encode` that runs meanwhile, on core 1 of the same L3, adds 4 ms to its 10 ms. `far`,
// on the other package, adds nothing. A decode that is slowed down overlaps more with the encode that slows it.
inline std::vector<run_row> slowed_by_neighbour(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> encodes, rows;
  for (double t = 0; t < 0.02 * count;) {
    const double lasts = draw.uniform(0.005, 0.05);
    encodes.push_back({"encode", 1, lasts, t, 1});
    rows.push_back({"far", 1, draw.uniform(0.005, 0.02), t + draw.uniform(0, 0.01), 5});
    t += lasts + draw.uniform(0, 0.06);
  }
  double t = 0;
  for (int i = 0; i < count; ++i) {
    const double alone = 0.010 * draw.noise(0.05);
    double lasts = alone;
    for (int round = 0; round < 20; ++round) {
      double met = 0;
      for (const run_row& e : encodes)
        met += std::max(0.0, std::min(t + lasts, e.start + e.seconds) - std::max(t, e.start));
      lasts = alone + 0.004 * met / lasts;
    }
    rows.push_back({"decode", 1, lasts, t, 0, 1, static_cast<int>(draw.uniform(0, 5))});
    t += lasts + draw.uniform(0, 0.005);
  }
  rows.insert(rows.end(), encodes.begin(), encodes.end());
  return rows;
}

// T = x / 4 on four cores for even x; odd x do not use the further cores.
inline std::vector<run_row> serial_for_odd(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (int i = 0; i < count; ++i) {
    const double x = std::floor(draw.uniform(80, 120));
    const double seconds = 1e-4 * x * draw.noise(0.05) / (std::fmod(x, 2) == 0 ? 4 : 1);
    rows.push_back({"filter", x, seconds, 0.02 * i, 0, 4, static_cast<int>(draw.uniform(0, 9))});
  }
  return rows;
}

// The first invocation after a move, one in forty, takes 8 ms longer.
inline std::vector<run_row> cold_after_moves(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (int i = 0; i < count; ++i) {
    const double x = draw.uniform(90, 110);
    const bool moved = i % 40 == 0;
    rows.push_back({"multiply", x, 1e-4 * x * draw.noise(0.05) + (moved ? 0.008 : 0), 0.03 * i, i / 40 % 4, 1,
                    static_cast<int>(draw.uniform(0, 9)), moved});
  }
  return rows;
}

// Two components that are moved around on any cores, with times that depend on nothing.
inline std::vector<run_row> noise(unsigned seed, int count, double scatter) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (const char* const name : {"one", "other"})
    for (int i = 0; i < count; ++i) {
      const int cores = 1 << draw.random() % 3;
      rows.push_back({name, std::floor(draw.uniform(1, 100)), 0.01 * draw.noise(scatter), 0.015 * i,
                      static_cast<int>(draw.random() % 4), cores, static_cast<int>(draw.uniform(0, 9)),
                      draw.one_in(30)});
    }
  return rows;
}

// A pipeline of noise. `light` begins when `heavy` hands a record on; `heavy` then begins the next record, and `light`
// ends before that does. A quick `heavy` overlaps more with `light`, since its own end starts one.
inline std::vector<run_row> busy_pipeline(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> rows;
  double t = 0;
  for (int i = 0; i < count; ++i) {
    const double heavy = 0.010 * draw.noise(0.2);
    rows.push_back({"heavy", std::floor(draw.uniform(1, 100)), heavy, t, 0});
    rows.push_back({"light", std::floor(draw.uniform(1, 100)), 0.003 * draw.noise(0.2), t + heavy, 1});
    t += heavy;
  }
  return rows;
}

// One mode of small records on one core, and one of large records on four, a third of the invocations. Time and size
// are independent in each.
inline std::vector<run_row> two_modes(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (int i = 0; i < count; ++i) {
    const bool large = draw.one_in(3);
    const double x = large ? draw.uniform(1000, 2000) : draw.uniform(10, 20);
    const double seconds = large ? 0.1 * draw.noise(0.03) : 1e-4 * x * draw.noise(0.03);
    rows.push_back({"resize", x, seconds, 0.2 * i, large ? 4 : 0, large ? 4 : 1});
  }
  rows.push_back({"resize", 15, 0.2, 0.2 * count, 0, 1});  // an outlier
  return rows;
}

}  // namespace weir::testing
