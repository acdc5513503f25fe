// Four stateless boxes of 1, 10 and 100 us of pure computation: how much of two cores a stream of them uses. `loop` is
// one thread. Efficiency is the rate over the loop's in the same round, divided by the number of cores.

#include <fmt/format.h>
#include <tbb/flow_graph.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

constexpr std::size_t places = 64;
constexpr int stages = 4;

// A chain of dependent multiplications: its time depends only on the clock frequency of the core.
[[gnu::noinline]] std::int64_t compute(std::int64_t from, std::int64_t steps) {
  auto x = static_cast<std::uint64_t>(from);
  for (std::int64_t i = 0; i < steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::int64_t>(x);
}

// The number of steps per microsecond: the most of several tries, since a disturbance only slows them down.
double steps_a_microsecond() {
  constexpr std::int64_t steps = 1'000'000;
  double most = 0;
  volatile std::int64_t sink = 0;
  for (int i = 0; i < 9; ++i) {
    const std::int64_t begin = now_ns();
    sink = compute(i, steps);
    most = std::max(most, static_cast<double>(steps) / (static_cast<double>(now_ns() - begin) / 1e3));
  }
  (void)sink;
  return most;
}

// The work of one configuration. Records start from one of a few values, so the sink knows the expected answers.
struct work {
  std::int64_t steps;
  std::array<std::int64_t, 8> answers{};

  explicit work(std::int64_t n) : steps(n) {
    for (std::int64_t i = 0; i < 8; ++i) {
      std::int64_t x = i;
      for (int s = 0; s < stages; ++s) x = compute(x, steps);
      answers[static_cast<std::size_t>(i)] = x;
    }
  }
  bool is_right(std::int64_t v, std::int64_t n) const { return v == answers[static_cast<std::size_t>(n % 8)]; }
};

item begin_item(std::int64_t i) { return item_of(i % 8, i, i); }

sample run_weir(const work& w, std::int64_t records) {
  meter m(records, true);
  const auto stage = [&](const char* name) {
    return box(name, takes(value), gives(value), [steps = w.steps](std::int64_t v) { return compute(v, steps); });
  };
  const network sink = box("sink", takes(value, number), gives_none, [&](std::int64_t v, std::int64_t n) {
                         m.see(n, w.is_right(v, n));
                       }).serial();
  run_to_end(fed(
      m, records, gives(value, number, first, second, third),
      [](emitter& emit, std::int64_t i) { emit(value = i % 8, number = i, first = i, second = 0.5, third = &carried); },
      stage("work 1") >> stage("work 2") >> stage("work 3") >> stage("work 4") >> sink));
  return m.result("weir");
}

sample run_flow_graph(const work& w, std::int64_t records) {
  using namespace tbb::flow;
  meter m(records, true);
  flow_ends<item> ends(m, records, places, true, begin_item,
                       [&](const item& x) { m.see(x.number, w.is_right(x.value, x.number)); });
  std::deque<function_node<item, item>> nodes;
  for (int i = 0; i < stages; ++i) {
    nodes.emplace_back(ends.graph, unlimited, [&w](item x) {
      x.value = compute(x.value, w.steps);
      return x;
    });
    if (i) make_edge(nodes[nodes.size() - 2], nodes.back());
  }
  make_edge(ends.begin(), nodes.front());
  make_edge(nodes.back(), ends.end());
  ends.run();
  return m.result("flow_graph_sequencer");
}

sample run_parallel_pipeline(const work& w, std::int64_t records) {
  meter m(records, true);
  run_pipeline(
      records, places, [&] { m.begin(); }, begin_item,
      filters(stages, tbb::filter_mode::parallel, [&w](item& x) { x.value = compute(x.value, w.steps); }),
      [&](const item& x) { m.see(x.number, w.is_right(x.value, x.number)); });
  return m.result("parallel_pipeline");
}

// The loop as one would write it by hand: one thread per core; each takes some records at a time through all stages.
sample run_shared_loop(const work& w, std::int64_t records) {
  meter m(records, true);
  const std::int64_t batch = std::max<std::int64_t>(1, 16 * 1000 / w.steps);
  std::vector<item> items(static_cast<std::size_t>(records));
  std::atomic<std::int64_t> next{0};
  const auto take_part = [&] {
    for (std::int64_t from = next.fetch_add(batch); from < records; from = next.fetch_add(batch))
      for (std::int64_t i = from; i < std::min(from + batch, records); ++i) {
        item& x = items[static_cast<std::size_t>(i)] = begin_item(i);
        for (int s = 0; s < stages; ++s) x.value = compute(x.value, w.steps);
      }
  };
  m.begin();
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(take_part);
  take_part();
  for (std::thread& t : others) t.join();
  for (const item& x : items) m.see(x.number, w.is_right(x.value, x.number));
  sample s = m.result("shared_loop");
  s.steady_records_per_second = unknown;  // the sink sees all at the end
  return s;
}

sample run_loop(const work& w, std::int64_t records) {
  meter m(records, true);
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = begin_item(i);
    for (int s = 0; s < stages; ++s) x.value = compute(x.value, w.steps);
    m.see(x.number, w.is_right(x.value, x.number));
  }
  return m.result("loop");
}

}  // namespace

std::vector<row> grain_rows() {
  std::vector<row> rows;
  const double a_microsecond = steps_a_microsecond();
  for (const int us : {1, 10, 100}) {
    const work w(static_cast<std::int64_t>(us * a_microsecond));
    // weir's runs are long: it learns at the beginning, and a real stream lasts longer than a benchmark.
    const auto add = [&](const char* impl, sample (*run)(const work&, std::int64_t), double seconds) {
      rows.push_back({"grain", fmt::format("{}us", us), impl, [w, run](std::int64_t n) { return run(w, n); }, seconds});
    };
    add("weir", run_weir, us == 1 ? 0.8 : 1.55);
    add("flow_graph_sequencer", run_flow_graph, 0.3);
    add("parallel_pipeline", run_parallel_pipeline, 0.3);
    add("shared_loop", run_shared_loop, 0.3);
    add("loop", run_loop, 0.3);
  }
  return rows;
}

}  // namespace weir::overhead
