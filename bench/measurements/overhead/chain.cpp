#include "bench/measurements/overhead/chain.hpp"

#include <string>
#include <vector>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead::chain {

network boxes(int k) {
  const auto add_one = [](std::int64_t v) { return v + 1; };
  network all = box("add 1", takes(value), gives(value), add_one);
  for (int i = 2; i <= k; ++i) all = all >> box("add " + std::to_string(i), takes(value), gives(value), add_one);
  return all;
}

sample run_weir(int k, std::size_t places, std::int64_t records) {
  meter m(records, true);
  const network sink = box("sink", takes(value, number), gives_none, [&m, k](std::int64_t v, std::int64_t n) {
                         m.see(n, v == n + k);
                       }).serial();
  run_to_end(
      fed(
          m, records, gives(value, number, first, second, third),
          [](emitter& emit, std::int64_t i) { emit(value = i, number = i, first = i, second = 0.5, third = &carried); },
          boxes(k) >> sink),
      in_flight(places));
  return m.result("weir");
}

std::deque<flow_box> flow_boxes(tbb::flow::graph& graph, int k) {
  std::deque<flow_box> all;
  for (int i = 0; i < k; ++i) {
    all.emplace_back(graph, tbb::flow::serial, [](item x) {
      ++x.value;
      return x;
    });
    if (i) tbb::flow::make_edge(all[all.size() - 2], all.back());
  }
  return all;
}

sample run_flow_graph(int k, std::size_t places, std::int64_t records, bool sequenced) {
  meter m(records, sequenced);
  flow_ends<item> ends(
      m, records, places, sequenced, [](std::int64_t i) { return item_of(i, i, i); },
      [&m, k](const item& x) { m.see(x.number, x.value == x.number + k); });
  std::deque<flow_box> all = flow_boxes(ends.graph, k);
  tbb::flow::make_edge(ends.begin(), all.front());
  tbb::flow::make_edge(all.back(), ends.end());
  ends.run();
  return m.result("flow_graph");
}

sample run_parallel_pipeline(int k, std::size_t places, std::int64_t records, tbb::filter_mode mode) {
  meter m(records, true);
  run_pipeline(
      records, places, [&] { m.begin(); }, [](std::int64_t i) { return item_of(i, i, i); },
      filters(k, mode, [](item& x) { ++x.value; }), [&](const item& x) { m.see(x.number, x.value == x.number + k); });
  return m.result("parallel_pipeline");
}

namespace {

[[gnu::noinline]] void add_one_to(item& x) { ++x.value; }

}  // namespace

std::vector<stage> stages(int k) {
  volatile stage opaque = add_one_to;
  return std::vector<stage>(static_cast<std::size_t>(k), stage(opaque));
}

sample run_loop(int k, std::int64_t records) {
  meter m(records, true);
  const std::vector<stage> all = stages(k);
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = item_of(i, i, i);
    for (const stage each : all) each(x);
    m.see(x.number, x.value == x.number + k);
  }
  return m.result("loop");
}

}  // namespace weir::overhead::chain
