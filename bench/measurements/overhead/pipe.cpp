// Pipelines of k boxes that each add one to a tag.

#include <fmt/format.h>
#include <tbb/concurrent_queue.h>

#include <deque>
#include <memory>
#include <semaphore>
#include <thread>

#include "bench/measurements/overhead/channel.hpp"
#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

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

// One outside thread sends, another reads.
sample run_weir_outside(int k, std::size_t places, std::int64_t records) {
  meter m(records, true);
  execution run = start(boxes(k), in_flight(places));
  std::thread sender([&] {
    m.begin();
    for (std::int64_t i = 0; i < records; ++i)
      run.send(value = i, number = i, first = i, second = 0.5, third = &carried);
    run.close();
  });
  for (const record& r : run) m.see(r[number], r[value] == r[number] + k);
  sender.join();
  return m.result("weir_outside");
}

using flow_box = tbb::flow::function_node<item, item>;

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

// One outside thread puts items in while the graph accepts them, another reads them from a queue.
sample run_flow_graph_outside(int k, std::size_t places, std::int64_t records) {
  meter m(records, false);
  tbb::flow::graph graph;
  std::deque<flow_box> all = flow_boxes(graph, k);
  tbb::concurrent_bounded_queue<item> results;
  tbb::flow::function_node<item> last(graph, tbb::flow::serial, [&](const item& x) {
    results.push(x);
    return tbb::flow::continue_msg();
  });
  tbb::flow::make_edge(all.back(), last);
  std::counting_semaphore<> room(static_cast<std::ptrdiff_t>(places));
  std::thread sender([&] {
    m.begin();
    for (std::int64_t i = 0; i < records; ++i) {
      room.acquire();
      all.front().try_put(item_of(i, i, i));
    }
  });
  for (std::int64_t i = 0; i < records; ++i) {
    item x;
    results.pop(x);
    room.release();
    m.see(x.number, x.value == x.number + k);
  }
  sender.join();
  graph.wait_for_all();
  return m.result("flow_graph_outside");
}

sample run_parallel_pipeline(int k, std::size_t places, std::int64_t records, tbb::filter_mode mode) {
  meter m(records, true);
  run_pipeline(
      records, places, [&] { m.begin(); }, [](std::int64_t i) { return item_of(i, i, i); },
      filters(k, mode, [](item& x) { ++x.value; }), [&](const item& x) { m.see(x.number, x.value == x.number + k); });
  return m.result("parallel_pipeline");
}

[[gnu::noinline]] void add_one_to(item& x) { ++x.value; }

// One thread; each box is called through a pointer that the compiler cannot see through.
sample run_loop(int k, std::int64_t records) {
  meter m(records, true);
  using stage = void (*)(item&);
  volatile stage opaque = add_one_to;
  const std::vector<stage> stages(static_cast<std::size_t>(k), stage(opaque));
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = item_of(i, i, i);
    for (const auto& each : stages) each(x);
    m.see(x.number, x.value == x.number + k);
  }
  return m.result("loop");
}

// One thread per stage. Each stream has as many places as one of weir's.
sample run_spsc_threads(int k, std::size_t places, std::int64_t records) {
  meter m(records, true);
  std::deque<channel> streams;
  for (int i = 0; i <= k; ++i) streams.emplace_back(places);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
    threads.emplace_back([&from = streams[i], &to = streams[i + 1]] {
      while (item* const x = from.pop()) {
        ++x->value;
        to.push(x);
      }
      to.push(nullptr);
    });
  threads.emplace_back([&] {
    m.begin();
    for (std::int64_t i = 0; i < records; ++i) streams.front().push(new item(item_of(i, i, i)));
    streams.front().push(nullptr);
  });
  while (const item* const x = streams.back().pop()) {
    m.see(x->number, x->value == x->number + k);
    delete x;
  }
  for (std::thread& t : threads) t.join();
  return m.result("spsc_threads");
}

// The first 1000 records of a run, from when the source is called. Nothing was observed before.
std::vector<row> first_rows() {
  std::vector<row> rows;
  for (const int k : {100, 1000}) {
    const auto add = [&](const std::string& impl, std::function<sample(std::int64_t)> run) {
      rows.push_back({"pipe", fmt::format("k={},first", k), impl, std::move(run)});
      rows.back().records = 1000;
      rows.back().is_paced = false;
    };
    constexpr std::size_t automatic = 0, places = 64;
    add("weir", [=](std::int64_t n) { return run_weir(k, automatic, n); });
    add("flow_graph", [=](std::int64_t n) { return run_flow_graph(k, places, n, false); });
    add("parallel_pipeline",
        [=](std::int64_t n) { return run_parallel_pipeline(k, places, n, tbb::filter_mode::parallel); });
    add("loop", [=](std::int64_t n) { return run_loop(k, n); });
  }
  return rows;
}

}  // namespace

std::vector<row> pipe_rows() {
  std::vector<row> rows = first_rows();
  for (const std::size_t places : {64, 2048})
    for (const int k : {1, 4, 16, 64}) {
      const std::string config = places == 64 ? fmt::format("k={}", k) : fmt::format("k={},in_flight={}", k, places);
      const auto add = [&](const std::string& impl, std::function<sample(std::int64_t)> run) {
        rows.push_back({"pipe", config, impl, std::move(run)});
      };
      using tbb::filter_mode;
      add("weir", [=](std::int64_t n) { return run_weir(k, places, n); });
      add("weir_outside", [=](std::int64_t n) { return run_weir_outside(k, places, n); });
      add("flow_graph", [=](std::int64_t n) { return run_flow_graph(k, places, n, false); });
      add("flow_graph_sequencer", [=](std::int64_t n) { return run_flow_graph(k, places, n, true); });
      add("flow_graph_outside", [=](std::int64_t n) { return run_flow_graph_outside(k, places, n); });
      add("parallel_pipeline",
          [=](std::int64_t n) { return run_parallel_pipeline(k, places, n, filter_mode::parallel); });
      add("parallel_pipeline_in_order",
          [=](std::int64_t n) { return run_parallel_pipeline(k, places, n, filter_mode::serial_in_order); });
      add("loop", [=](std::int64_t n) { return run_loop(k, n); });
      add("spsc_threads", [=](std::int64_t n) { return run_spsc_threads(k, places, n); });
    }
  return rows;
}

}  // namespace weir::overhead
