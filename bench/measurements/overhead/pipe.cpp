// Chains of k boxes that each add one to a tag, warm.

#include <fmt/format.h>
#include <tbb/concurrent_queue.h>

#include <deque>
#include <memory>
#include <semaphore>
#include <thread>

#include "bench/measurements/overhead/by_fastflow.hpp"
#include "bench/measurements/overhead/by_taskflow.hpp"
#include "bench/measurements/overhead/chain.hpp"
#include "bench/measurements/overhead/channel.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

using namespace chain;

void send_all(meter& m, std::int64_t records, channel& to) {
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) to.push(item_of(i, i, i));
  to.close();
}

void read_all(meter& m, int k, channel& from) {
  for (item x; from.pop(x);) m.see(x.number, x.value == x.number + k);
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

// One thread per stage. Each stream has as many places as one of weir's.
sample run_spsc_threads(int k, std::size_t places, std::int64_t records) {
  meter m(records, true);
  std::deque<channel> streams;
  for (int i = 0; i <= k; ++i) streams.emplace_back(places);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
    threads.emplace_back([&from = streams[i], &to = streams[i + 1]] {
      for (item x; from.pop(x);) {
        ++x.value;
        to.push(x);
      }
      to.close();
    });
  threads.emplace_back([&] { send_all(m, records, streams.front()); });
  read_all(m, k, streams.back());
  for (std::thread& t : threads) t.join();
  return m.result("spsc_threads");
}

// One thread sends, one calls all the boxes, one reads.
sample run_three_threads(int k, std::size_t places, std::int64_t records, waiting how) {
  meter m(records, true);
  channel in(places, how), out(places, how);
  std::thread worker([&, stages = stages(k)] {
    for (item x; in.pop(x);) {
      for (const stage each : stages) each(x);
      out.push(x);
    }
    out.close();
  });
  std::thread sender([&] { send_all(m, records, in); });
  read_all(m, k, out);
  sender.join();
  worker.join();
  return m.result("three_threads");
}

}  // namespace

std::vector<row> pipe_rows() {
  std::vector<row> rows;
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
#ifdef WEIR_HAS_TASKFLOW
      add("taskflow", [=](std::int64_t n) { return by_taskflow::run_chain(k, places, n); });
#endif
#ifdef WEIR_HAS_FASTFLOW
      add("fastflow", [=](std::int64_t n) { return by_fastflow::run_chain(k, places, n); });
#endif
      add("loop", [=](std::int64_t n) { return run_loop(k, n); });
      add("spsc_threads", [=](std::int64_t n) { return run_spsc_threads(k, places, n); });
      for (const auto& [name, how] : {std::pair{"three_threads_park", waiting::parked},
                                      {"three_threads_spin_park", waiting::spinning_first},
                                      {"three_threads_spin", waiting::spinning}})
        add(name, [=, how = how](std::int64_t n) { return run_three_threads(k, places, n, how); });
    }
  // A long chain, most of the run warm; a thread a stage would be too many.
  constexpr int many = 1000;
  constexpr double seconds = 0.3;
  constexpr std::size_t places = 64;
  const auto add = [&](const char* impl, std::function<sample(std::int64_t)> run) {
    rows.push_back({"pipe", fmt::format("k={}", many), impl, std::move(run), seconds});
  };
  add("weir", [](std::int64_t n) { return run_weir(many, places, n); });
  add("flow_graph", [](std::int64_t n) { return run_flow_graph(many, places, n, false); });
  add("parallel_pipeline",
      [](std::int64_t n) { return run_parallel_pipeline(many, places, n, tbb::filter_mode::parallel); });
  add("loop", [](std::int64_t n) { return run_loop(many, n); });
  return rows;
}

}  // namespace weir::overhead
