// model_cost: the cost of learning on a thread with warm caches: nanoseconds, bytes and allocations of an observation,
// a fit and a prediction.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/named/estimators.hpp>
#include "model/weir/family.hpp"
#include "model/weir/uncertainty.hpp"

namespace {

// Relaxed: these are counts and order nothing.
std::atomic<long> allocations{0}, allocated{0};

}  // namespace

// Not inlined: if the compiler sees both in one caller, it warns of a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated.fetch_add(static_cast<long>(size), std::memory_order_relaxed);
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

// A cubic cost with alpha 0.95 and 5 % noise; x in 50..2500, six numbers of cores.
std::vector<weir::observation> observations(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> x(50, 2500), log2_cores(0, 5);
  std::normal_distribution<> noise(0, 0.05);
  std::vector<weir::observation> out(count);
  int i = 0;
  for (auto& o : out) {
    o.x = x(random);
    o.cores = 1 << log2_cores(random);
    o.further = {static_cast<double>(o.x * o.x), static_cast<double>(i++ % 5), 1.0, static_cast<double>(x(random))};
    o.seconds = (1e-3 + 1e-9 * o.x * o.x * o.x) * (0.95 / o.cores + 0.05) * std::exp(noise(random));
  }
  return out;
}

std::unique_ptr<weir::estimator> trained(const std::string& name, int k, std::size_t count) {
  auto model = weir::make_estimator(name, weir::degree{k});
  for (const auto& o : observations(count)) model->observe(o);
  return model;
}

// Observes a thousand times, refits included, with a model that has already learnt `already` observations.
void observe(benchmark::State& state, const std::string& name, std::size_t already) {
  constexpr std::size_t count = 1000;
  const auto seen = observations(count);
  const auto start = trained(name, static_cast<int>(state.range(0)), already);
  long allocated_in_observe = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto model = start->clone();
    state.ResumeTiming();
    const long before = allocations.load();
    for (const weir::observation& o : seen) model->observe(o);
    allocated_in_observe += allocations.load() - before;
    state.PauseTiming();
    model.reset();
    state.ResumeTiming();
  }
  state.counters["allocations"] = static_cast<double>(allocated_in_observe);
  state.counters["each"] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void predict(benchmark::State& state, const std::string& name) {
  const auto snapshot = trained(name, static_cast<int>(state.range(0)), 50)->clone();
  const auto asked = observations(256);
  std::size_t i = 0;
  for (auto _ : state) {
    const weir::observation& o = asked[i++ % asked.size()];
    benchmark::DoNotOptimize(snapshot->predict(o.x, o.cores));
  }
}

void memory(benchmark::State& state, const std::string& name) {
  long bytes = 0;
  for (auto _ : state) {
    const long before = allocated.load();
    const auto model = weir::make_estimator(name, weir::degree{static_cast<int>(state.range(0))});
    bytes = allocated.load() - before;
    benchmark::DoNotOptimize(model.get());
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}

// The work of a refit by `weir`: every family, the prior of alpha, and how far to trust it.
void fit(benchmark::State& state) {
  const int k = static_cast<int>(state.range(0));
  const bool unknown = k == weir::unknown_degree.value;
  weir::power_sums sums(unknown ? weir::component_law::max_degree : k, weir::power_sums::default_capacity, unknown);
  for (const auto& o : observations(1000)) sums.add(o.x, o.cores, o.seconds, 1 / (o.seconds * o.seconds));
  for (auto _ : state) {
    const weir::chosen_law chosen = weir::choose_law(sums);
    benchmark::DoNotOptimize(weir::uncertainty_of(sums, chosen, 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string& name : weir::estimator_names()) {
    benchmark::RegisterBenchmark(("observe_first/" + name).c_str(), observe, name, 0)->Arg(3);
    benchmark::RegisterBenchmark(("observe_later/" + name).c_str(), observe, name, 1000)->Arg(3);
    benchmark::RegisterBenchmark(("predict/" + name).c_str(), predict, name)->Arg(3);
    benchmark::RegisterBenchmark(("memory/" + name).c_str(), memory, name)->Arg(3)->Iterations(100);
  }
  for (const auto& [what, of] : {std::pair{"observe_first/weir", 0}, {"observe_later/weir", 1000}})
    benchmark::RegisterBenchmark(what, observe, "weir", of)->Arg(weir::unknown_degree.value);
  benchmark::RegisterBenchmark("predict/weir", predict, "weir")->Arg(weir::unknown_degree.value);
  benchmark::RegisterBenchmark("memory/weir", memory, "weir")->Arg(weir::unknown_degree.value)->Iterations(100);
  for (const char* name : {"weir(number, number)", "weir(candidate, candidate, candidate, candidate)"}) {
    benchmark::RegisterBenchmark((std::string("observe_first/") + name).c_str(), observe, name, 0)->Arg(3);
    benchmark::RegisterBenchmark((std::string("observe_later/") + name).c_str(), observe, name, 1000)->Arg(3);
    benchmark::RegisterBenchmark((std::string("memory/") + name).c_str(), memory, name)->Arg(3)->Iterations(100);
  }
  benchmark::RegisterBenchmark("fit/weir", fit)->Arg(1)->Arg(3)->Arg(8)->Arg(weir::unknown_degree.value);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
