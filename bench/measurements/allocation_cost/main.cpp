// allocation_cost: the cost of one decision on a thread with warm caches, in milliseconds, for 10 components on 48
// cores and for 1000 on 4096. `table` models answer immediately, which leaves the cost of the allocation itself. `weir`
// models are the default estimator after 64 observations each, first with one size of input, then with 64 different
// sizes.

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/estimator.hpp"
#include "model/named/estimators.hpp"
#include "scheduler/divide/latency.hpp"
#include "scheduler/divide/throughput.hpp"
#include "scheduler/policies/adaptive.hpp"

namespace {

// Amdahl's law with given parameters.
class table_model : public weir::estimator {
 public:
  table_model(double sequential, double alpha) : parallel_(sequential * alpha), serial_(sequential * (1 - alpha)) {}
  void observe(const weir::observation&) override {}
  weir::prediction predict(double, int cores) const override {
    weir::prediction p;
    p.mean = parallel_ / cores + serial_;
    return p;
  }
  weir::description describe() const override {
    weir::description d;
    d.alpha_known = true;
    d.largest_cores = 1 << 20;
    return d;
  }
  std::unique_ptr<weir::estimator> clone() const override { return std::make_unique<table_model>(*this); }
  std::vector<double> state() const override { return {}; }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  double parallel_, serial_;
};

enum class models { table, weir_one_size, weir_sizes };

weir::system_view view_of(int components, int cores, models kind, int max_width) {
  std::mt19937 random(7);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  weir::system_view view;
  view.cores = weir::core_set::range(0, cores);
  for (int i = 0; i < components; ++i) {
    weir::component_view c;
    c.name.assign("c").append(std::to_string(i));
    c.max_width = max_width;
    c.invocations = c.invocations_since_move = 64;
    const double sequential = std::pow(10.0, real(-3, -1)), alpha = real(.8, .99);
    auto learnt = weir::make_estimator("weir", weir::degree{1});
    for (int k = 0; k < 64; ++k) {
      weir::observation seen;
      seen.x = kind == models::weir_sizes ? real(1, 3) : 1;
      seen.cores = 1 << (k % 5);
      seen.seconds = sequential * seen.x * (alpha / seen.cores + 1 - alpha) * std::exp(real(-.05, .05));
      c.recent.push_back({seen.x, seen.cores, seen.seconds});
      if (kind != models::table) learnt->observe(seen);
    }
    if (kind == models::table)
      c.model = std::make_shared<table_model>(sequential, alpha);
    else
      c.model = learnt->clone();  // fitted, as a run gives it to a decision
    view.components.push_back(std::move(c));
  }
  return view;
}

void counts(benchmark::State& state, models kind, weir::objective goal, int max_width) {
  const auto components = static_cast<int>(state.range(0)), cores = static_cast<int>(state.range(1));
  const weir::system_view view = view_of(components, cores, kind, max_width);
  for (auto _ : state)
    benchmark::DoNotOptimize(goal.is_latency() ? weir::latency_counts(view, goal.rate())
                                               : weir::throughput_counts(view));
}

void decide(benchmark::State& state, models kind, weir::objective goal) {
  const auto components = static_cast<int>(state.range(0)), cores = static_cast<int>(state.range(1));
  const weir::system_view view = view_of(components, cores, kind, weir::unlimited);
  const weir::adaptive rule(goal);
  for (auto _ : state) benchmark::DoNotOptimize(rule.decide(view));
}

}  // namespace

int main(int argc, char** argv) {
  const std::pair<std::string, models> kinds[] = {
      {"table", models::table}, {"weir_one_size", models::weir_one_size}, {"weir_sizes", models::weir_sizes}};
  for (const auto& [name, kind] : kinds) {
    const auto add = [&, name = name](const std::string& what, auto... rest) {
      benchmark::RegisterBenchmark((what + "/" + name).c_str(), rest...)
          ->Args({10, 48})
          ->Args({1000, 4096})
          ->Unit(benchmark::kMillisecond);
    };
    const models k = kind;
    const weir::objective at_rate = weir::objective::latency_at(5);
    add("throughput_counts_one_lane", counts, k, weir::objective::throughput, 1);
    add("throughput_counts", counts, k, weir::objective::throughput, weir::unlimited);
    add("latency_counts", counts, k, weir::objective::latency, weir::unlimited);
    add("latency_at_counts", counts, k, at_rate, weir::unlimited);
    add("decide_throughput", decide, k, weir::objective::throughput);
    add("decide_latency", decide, k, weir::objective::latency);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
