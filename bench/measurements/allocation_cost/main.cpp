// allocation_cost: the cost of one decision on a thread with warm caches, in milliseconds. The `run` measurements are
// for 3 to 1000 components on 48 to 4096 cores. They give a decision all that a run gives: learnt models of many sizes
// of input, the allotment in force and the machine (run_view.hpp). The others are for 10 components on 48 cores and for
// 1000 on 4096. `table` models answer immediately, which leaves the cost of the allocation itself. `weir` models are
// the default estimator after 64 observations each, first with one size of input, then with 64 different sizes.

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/named/estimators.hpp>
#include <weir/scheduler/divide/throughput.hpp>
#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include "bench/measurements/allocation_cost/run_view.hpp"
#include "scheduler/control/controller.hpp"
#include "scheduler/divide/latency.hpp"
#include "scheduler/expect/expectation.hpp"

namespace {

using weir::allocation_cost::run_view;

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

void run_decide(benchmark::State& state, weir::objective goal, int max_width) {
  const weir::system_view view = run_view(state.range(0), state.range(1), max_width).now();
  const weir::adaptive rule(goal);
  for (auto _ : state) benchmark::DoNotOptimize(rule.decide(view));
}

void run_counts(benchmark::State& state, weir::objective goal, int max_width) {
  const weir::system_view view = run_view(state.range(0), state.range(1), max_width).now();
  for (auto _ : state)
    benchmark::DoNotOptimize(goal.is_latency() ? weir::latency_counts(view, goal.rate())
                                               : weir::throughput_counts(view));
}

void run_place(benchmark::State& state) {
  const weir::system_view view = run_view(state.range(0), state.range(1), weir::unlimited).now();
  const weir::core_counts counts = weir::throughput_counts(view);
  for (auto _ : state) benchmark::DoNotOptimize(weir::place(counts, view));
}

void run_assess(benchmark::State& state) {
  const weir::system_view view = run_view(state.range(0), state.range(1), weir::unlimited).now();
  const weir::adaptive rule(weir::objective::throughput);
  for (auto _ : state) benchmark::DoNotOptimize(rule.assess(view, view.current));
}

// A step of the controller while one of `part` components makes 16 invocations between two steps, of sizes that swing.
void run_step(benchmark::State& state, std::size_t part) {
  run_view run(state.range(0), state.range(1), weir::unlimited);
  weir::controller control{weir::adaptive(weir::objective::throughput)};
  weir::system_view view = run.now();
  view.current = {};
  const auto step = [&] {
    if (auto to = control.step(view)) view.current = *std::move(to);
  };
  step();
  for (auto _ : state) {
    state.PauseTiming();
    run.go_on(view, part);
    state.ResumeTiming();
    step();
  }
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
  const auto add_run = [](const std::string& what, auto... rest) {
    benchmark::RegisterBenchmark(("run/" + what).c_str(), rest...)
        ->ArgsProduct({{3, 10, 100, 1000}, {48, 256, 1024, 4096}})
        ->Unit(benchmark::kMillisecond);
  };
  add_run("decide_throughput", run_decide, weir::objective::throughput, weir::unlimited);
  add_run("decide_throughput_one_lane", run_decide, weir::objective::throughput, 1);
  add_run("decide_latency", run_decide, weir::objective::latency, weir::unlimited);
  add_run("throughput_counts", run_counts, weir::objective::throughput, weir::unlimited);
  add_run("throughput_counts_one_lane", run_counts, weir::objective::throughput, 1);
  add_run("latency_counts", run_counts, weir::objective::latency, weir::unlimited);
  add_run("place", run_place);
  add_run("assess", run_assess);
  add_run("step", run_step, 1);
  add_run("step_after_few", run_step, 100);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
