#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>
#include "tests/support/refusal.hpp"

// Views for tests: components with exactly known truths.
namespace weir::testing {

// "c" and 3 make "c3". (Not `"c" + std::to_string(3)`: g++ 12 warns about it for no reason, its bug 105651.)
inline std::string numbered(const char* name, int i) { return std::string(name).append(std::to_string(i)); }

// Between two positive numbers, uniform in the logarithm.
template <class Random>
double log_uniform(Random& random, double low, double high) {
  return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
}

using truth = std::function<double(double x, int cores)>;

// T(p) = Tseq (alpha/p + 1 - alpha), for any x.
inline truth amdahl(double sequential, double alpha) {
  return [=](double, int p) { return sequential * (alpha / p + 1 - alpha); };
}

// T(p) = times[p - 1]; on more cores the last one.
inline truth table(std::vector<double> times) {
  return [=](double, int p) { return times[std::min(static_cast<std::size_t>(p), times.size()) - 1]; };
}

// A model that knows the truth from the start. It learns nothing; the test sets its description.
class known_truth : public estimator {
 public:
  explicit known_truth(truth times, bool alpha_known = true, int largest_cores = 1 << 20, double spread = 0)
      : times_(std::move(times)), spread_(spread) {
    described_.estimator = "known";
    described_.alpha_known = alpha_known;
    described_.largest_cores = largest_cores;
  }
  void observe(const observation&) override {}
  prediction predict(double x, int cores) const override {
    prediction p;
    p.mean = times_(x, cores);
    p.spread = spread_ * p.mean;
    return p;
  }
  description describe() const override { return described_; }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<known_truth>(*this); }
  std::vector<double> state() const override { return {}; }
  bool restore(const std::vector<double>&) override { return false; }
  void set_smallest_cores(int p) { described_.smallest_cores = p; }

 private:
  truth times_;
  double spread_;
  description described_;
};

// A component whose one recent invocation had x = 1 on one core.
inline component_view component(std::string name, truth times, int max_width = unlimited) {
  component_view c;
  c.name = std::move(name);
  c.recent = {{1, 1, times(1, 1)}};
  c.invocations = c.invocations_since_move = 1;
  c.model = std::make_shared<known_truth>(std::move(times));
  c.max_width = max_width;
  return c;
}

inline component_view unobserved(std::string name) {
  component_view c;
  c.name = std::move(name);
  c.model = std::make_shared<known_truth>([](double, int) { return std::nan(""); }, false, 0);
  return c;
}

inline system_view view_of(int cores, std::vector<component_view> components) {
  system_view view;
  view.components = std::move(components);
  static std::map<int, std::shared_ptr<const topology>> machines;  // hwloc is slow
  auto& machine = machines[cores];
  const std::string packages = cores == 4096 ? "package:64 " : "";  // hwloc takes seconds for 4096 in a row
  if (!machine)
    machine = std::make_shared<const topology>(
        topology::synthetic(packages + numbered("core:", cores == 4096 ? 64 : cores) + " pu:1"));
  view.machine = machine;
  view.cores = view.machine->all();
  return view;
}

// Cores of each component, in network order.
inline std::vector<int> cores_of(const allotment& given) {
  std::vector<int> result;
  for (const share& s : given.components) result.push_back(s.cores.size());
  return result;
}

// The message of the std::invalid_argument that a call throws.
template <typename Call>
std::string refusal(Call call) {
  return refusal<std::invalid_argument>(call);
}

// The components of the check vectors: bottlenecks computed by hand.
inline std::vector<component_view> check_components() {
  return {component("A", amdahl(12, .95), 1), component("B", amdahl(6, .9), 1), component("C", amdahl(2, .5), 1)};
}

// Any view: 1 to `most` components with steps, rising times, bounds, serial and sequential boxes, unequal visits.
inline system_view random_view(std::mt19937& random, int most_cores, bool bounded, int most = 6) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const int cores = pick(1, most_cores);
  std::vector<component_view> components;
  for (int i = pick(1, most); i > 0; --i) {
    std::vector<double> times;
    const double sequential = std::pow(10.0, real(-3, 0)), alpha = real(0, 1);
    for (int p = 1; p <= most_cores; ++p) {
      const double ideal = sequential * (alpha / p + 1 - alpha);
      times.push_back(pick(0, 3) == 0 ? ideal * real(0.7, 1.5) : ideal);
    }
    component_view c = component(numbered("c", i), table(times), pick(0, 1) ? 1 : pick(1, most_cores));
    c.visits = pick(0, 9) == 0 ? 0 : real(0.1, 3);
    c.sequential = pick(0, 5) == 0;
    if (bounded && pick(0, 3) == 0) c.max_cores = pick(1, most_cores);
    if (bounded && pick(0, 5) == 0) c.min_cores = std::min(pick(1, 3), c.max_cores);
    components.push_back(std::move(c));
  }
  return view_of(cores, std::move(components));
}

}  // namespace weir::testing
