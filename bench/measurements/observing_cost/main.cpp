// observing_cost: the cost of observing the invocations of a box that owns cores, in CPU time on a thread with warm
// caches, with the code that runs use. It measures three parts. Inline: reading two clocks, calling the predictor and
// handing over the observation. On the controller's thread: learning from it. And a check by the controller, which
// makes one 50 times per second.

#include <benchmark/benchmark.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "model/named/estimators.hpp"
#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"
#include "runtime/unfolding/unfold.hpp"
#include "scheduler/control/learner.hpp"

namespace {

using namespace weir::detail;

inline constexpr weir::tag value{"value"};

// CPU time of the calling thread: a wall clock would also measure other work on the machine.
double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Everything runs in the calling thread; the clock is the system's.
weir::options in_this_thread(const std::string& cores) {
  weir::options o;
  o.machine = weir::machine(std::make_shared<machine_state>(unthreaded_platform(cores)));
  return o;
}

weir::network add_one(const std::string& name) {
  return weir::box(name, weir::takes(value), weir::gives(value), [](std::int64_t v) { return v + 1; })
      .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, weir::degree{1});
}

enum class how { unobserved, observed, with_cpu_time };

// One invocation after another of a box that adds 1.
void invocations(benchmark::State& state, how kind) {
  constexpr int at_once = 512;  // half of what a worker keeps for the controller
  run_state run(add_one("f"), in_this_thread("core:2 pu:1"));
  run_environment& environment = run.environment();
  results out(environment.monitor, 1, false);
  unfolded laid_out = unfold(environment, add_one("f"), out, 1024);
  stage& box = *laid_out.stages.front();
  component_state& component = *laid_out.components.front();
  box.own_region->in().open();
  component.paced.set(kind == how::unobserved ? pace::sampled : pace::timed);
  component.mean_hint = kind == how::with_cpu_time ? 1 : 1e-6;  // long enough for reading CPU time, or not
  worker by;
  by.lease = environment.cores.whole();
  record_body* body = std::move(weir::record(value = 0)).release();
  {
    context c(environment, by, *box.own_region, 0, environment.placing.now(), 0);
    for (auto _ : state) {
      const double start = cpu_seconds();
      for (int i = 0; i < at_once; ++i) benchmark::DoNotOptimize(box.step(body, c));
      state.SetIterationTime(cpu_seconds() - start);
      by.observations.consume_all([](const weir::observation&) {});
    }
  }
  drop_body(body);
  state.counters["each"] =
      benchmark::Counter(at_once, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// One second of invocations of one component, `rate` of them, evenly spread.
void learning_a_second(benchmark::State& state, const std::string& estimator) {
  const auto rate = static_cast<int>(state.range(0));
  std::mt19937 random(1);
  std::uniform_int_distribution<int> x(50, 2500), log2_cores(0, 4);
  std::normal_distribution<> noise(0, 0.05);
  std::vector<weir::observation> second(static_cast<std::size_t>(rate));
  for (auto& o : second) {
    o.x = x(random);
    o.cores = 1 << log2_cores(random);
    o.seconds = (1e-5 + 1e-14 * o.x * o.x * o.x) * (0.95 / o.cores + 0.05) * std::exp(noise(random));
  }
  weir::learner learner(weir::make_estimator(estimator, weir::degree{3}));
  double began = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < second.size(); ++i) {
      second[i].start = began + static_cast<double>(i) / rate;
      learner.observe(second[i], weir::cost_of(second[i], weir::measured_time::wall));
    }
    began += 1;
  }
  state.counters["each"] =
      benchmark::Counter(rate, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// A check by the controller of a chain of components on some cores; every model has just learnt something.
void looking(benchmark::State& state, const weir::objective& goal) {
  const auto components = static_cast<int>(state.range(0)), cores = static_cast<int>(state.range(1));
  weir::options o = in_this_thread("core:" + std::to_string(cores) + " pu:1");
  o.policy = weir::adaptive{goal};
  const auto spending = [](const std::string& name, int microseconds) {
    return weir::box(name, weir::takes(value), weir::gives(value),
                     [=](const weir::grant& given, std::int64_t v) {
                       const auto end = std::chrono::steady_clock::now() +
                                        std::chrono::microseconds(microseconds) * (0.9 / given.size() + 0.1);
                       while (std::chrono::steady_clock::now() < end) {
                       }
                       return v;
                     })
        .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, weir::degree{1});
  };
  weir::network net = spending("c0", 100);
  for (int i = 1; i < components; ++i) net = net >> spending("c" + std::to_string(i), 100 + 50 * i);
  run_state run(net, o);
  weir::record out;
  const auto one_record = [&](std::int64_t i) {
    run.send(weir::record(value = 1 + i % 50));
    run.next(out);
  };
  std::int64_t sent = 0;
  while (sent < 300) one_record(sent++), run.step();
  for (auto _ : state) {
    one_record(sent++);
    const double start = cpu_seconds();
    run.step();
    state.SetIterationTime(cpu_seconds() - start);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("invocation/unobserved", invocations, how::unobserved)->UseManualTime();
  benchmark::RegisterBenchmark("invocation/observed", invocations, how::observed)->UseManualTime();
  benchmark::RegisterBenchmark("invocation/observed_with_cpu_time", invocations, how::with_cpu_time)->UseManualTime();
  for (const char* estimator : {"weir", "extended-amdahl-online"})
    benchmark::RegisterBenchmark((std::string("learning/") + estimator).c_str(), learning_a_second, estimator)
        ->Arg(1000)
        ->Arg(10000)
        ->Arg(100000)
        ->Unit(benchmark::kMillisecond);
  for (const auto& [name, goal] : {std::pair{"looking/throughput", weir::objective::throughput},
                                   {"looking/latency", weir::objective::latency},
                                   {"looking/latency_at", weir::objective::latency_at(100)}})
    benchmark::RegisterBenchmark(name, looking, goal)
        ->Args({3, 2})
        ->Args({4, 48})
        ->Args({10, 48})
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
