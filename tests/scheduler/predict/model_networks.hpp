#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/predict/network_model.hpp>
#include "tests/scheduler/views.hpp"

// Networks with known costs, for tests of predictions.
namespace weir::testing {

// Takes times[p - 1] seconds on p cores, on more cores the last one; services are exponential.
inline network_model::component costing(std::string name, std::vector<double> times, int max_width = unlimited) {
  network_model::component c;
  c.name = std::move(name);
  c.seconds = [cost = table(std::move(times))](int cores) { return cost(1, cores); };
  c.max_width = max_width;
  return c;
}

// An Amdahl component with parallel share alpha.
inline network_model::component costing_amdahl(std::string name, double seconds, double alpha, int max_width = 1) {
  network_model::component c = costing(std::move(name), {seconds}, max_width);
  c.seconds = [=](int cores) { return seconds * (alpha / cores + 1 - alpha); };
  return c;
}

// Any network of 1 to `most` components: chains with gains, choices, forks that are joined again, loops, devices.
inline network_model random_network(std::mt19937& random, int most, int most_cores) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  network_model net;
  const int n = pick(1, most);
  if (pick(0, 2) == 0) net.devices.push_back({"fpga", pick(1, 4)});
  for (int i = 0; i < n; ++i) {
    std::vector<double> times;
    const double seconds = std::pow(10.0, real(-2, 0)), alpha = real(0, 1);
    for (int p = 1; p <= most_cores; ++p)
      times.push_back(seconds * (alpha / p + 1 - alpha) * (pick(0, 3) == 0 ? real(0.7, 1.5) : 1));
    net.components.push_back(costing(numbered("c", i), std::move(times), pick(0, 1) ? 1 : pick(1, most_cores)));
    net.components.back().variation = real(0, 2);
    if (pick(0, 5) == 0) net.components.back().max_cores = pick(1, most_cores);
    if (!net.devices.empty() && pick(0, 3) == 0) net.components.back().device = 0;
  }
  if (n < 3 || pick(0, 1) == 0) {  // a chain; perhaps a part of it loops
    for (int i = 0; i <= n; ++i) net.links.push_back({i - 1, i < n ? i : -1, i == 0 || pick(0, 1) ? 1 : real(0.2, 2)});
    if (pick(0, 2) == 0) net.links.push_back({pick(0, n - 1), 0, 0.05});
  } else if (pick(0, 1) == 0) {  // a choice of all but the first and the last
    for (int i = 1; i < n - 1; ++i) net.links.push_back({0, i, 1.0 / (n - 2)}), net.links.push_back({i, n - 1, 1});
    net.links.push_back({-1, 0, 1});
    net.links.push_back({n - 1, -1, 1});
  } else {  // a fork and its join, with streams that may carry different numbers of records
    net.components.back().joins = true;
    const double gain = pick(0, 2) == 0 ? real(0.3, 2) : 1;
    for (int i = 1; i < n - 1; ++i) net.links.push_back({0, i, 1}), net.links.push_back({i, n - 1, i == 1 ? gain : 1});
    net.links.push_back({-1, 0, 1});
    net.links.push_back({n - 1, -1, 1});
  }
  return net;
}

}  // namespace weir::testing
