// The time of one record through four boxes: back to back with one in flight, and through an idle network that gets one
// record every millisecond.

#include <tbb/flow_graph.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <tuple>

#include "bench/measurements/overhead/four_boxes.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

// The sink's data: the latency of every record.
class arrivals {
 public:
  explicit arrivals(std::int64_t records) : m_(records, true) { took_.reserve(static_cast<std::size_t>(records)); }
  void begin() { m_.begin(); }
  void see(std::int64_t v, std::int64_t n, std::int64_t made) {
    took_.push_back(static_cast<double>(now_ns() - made));
    m_.see(n, v == n + 4);
  }
  sample result(const std::string& who) {
    sample s = m_.result(who);
    add_latencies(s, std::move(took_));
    return s;
  }

 private:
  meter m_;
  std::vector<double> took_;
};

// ---- back to back ----

// The last box emits the next record, which goes back to the first box, so there is never more than one.
sample run_weir(std::int64_t records) {
  static constexpr tag done{"done"};
  arrivals arrived(records);
  const network turn_round = box("turn", takes(value, number, first), gives(value, number, first) | gives(done),
                                 [&](std::int64_t v, std::int64_t n, std::int64_t made, emitter& emit) {
                                   arrived.see(v, n, made);
                                   if (n + 1 == records)
                                     emit(done = 1);
                                   else
                                     emit(value = n + 1, number = n + 1, first = now_ns());
                                 })
                                 .serial();
  execution run = start(feedback(chain_of_four() >> turn_round, pattern{value}));
  arrived.begin();
  run.send(value = 0, number = 0, first = now_ns(), second = 0.5, third = &carried);
  run.close();
  for (const record& r : run)
    if (r[done] != 1) throw std::runtime_error("weir gave a wrong answer");
  return arrived.result("weir");
}

// The last node gives the next item, which goes back to the first node: an input node would make it ahead.
sample run_flow_graph(std::int64_t records) {
  using namespace tbb::flow;
  arrivals arrived(records);
  graph g;
  std::deque<function_node<item, item>> nodes = four_nodes(g);
  multifunction_node<item, std::tuple<item>> last(g, serial, [&](const item& x, auto& ports) {
    arrived.see(x.value, x.number, x.first);
    const std::int64_t n = x.number + 1;
    if (n < records) std::get<0>(ports).try_put(item_of(n, n, now_ns()));
  });
  make_edge(nodes.back(), last);
  make_edge(output_port<0>(last), nodes.front());
  arrived.begin();
  nodes.front().try_put(item_of(0, 0, now_ns()));
  g.wait_for_all();
  return arrived.result("flow_graph");
}

sample run_parallel_pipeline(std::int64_t records, tbb::filter_mode mode) {
  arrivals arrived(records);
  run_pipeline(
      records, 1, [&] { arrived.begin(); }, [](std::int64_t i) { return item_of(i, i, now_ns()); },
      filters(4, mode, [](item& x) { ++x.value; }), [&](const item& x) { arrived.see(x.value, x.number, x.first); });
  return arrived.result("parallel_pipeline");
}

// The first thread gives the next record after the last thread has seen this one.
class turn {
 public:
  void pass() {
    seen_.store(seen_.load(std::memory_order_relaxed) + 1);
    seen_.notify_one();
  }
  void wait_for(std::int32_t count) {
    constexpr int looks = 64;  // a few microseconds at most
    for (int i = 0; i < looks && seen_.load() < count; ++i) __builtin_ia32_pause();
    for (std::int32_t now = seen_.load(); now < count; now = seen_.load()) seen_.wait(now);
  }

 private:
  std::atomic<std::int32_t> seen_{0};
};

sample run_spsc_threads(std::int64_t records) {
  arrivals arrived(records);
  turn next;
  four_threads threads([&](const item& x) {
    arrived.see(x.value, x.number, x.first);
    next.pass();
  });
  arrived.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    threads.push(item_of(i, i, now_ns()));
    next.wait_for(static_cast<std::int32_t>(i + 1));
  }
  threads.end();
  return arrived.result("spsc_threads");
}

sample run_loop(std::int64_t records) {
  arrivals arrived(records);
  void (*volatile stage)(item&) = [](item& x) { ++x.value; };
  const std::array<void (*)(item&), 4> stages{stage, stage, stage, stage};
  arrived.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = item_of(i, i, now_ns());
    for (const auto& each : stages) each(x);
    arrived.see(x.value, x.number, x.first);
  }
  return arrived.result("loop");
}

// ---- with gaps ----

// Calls give(i) once a millisecond. Each record has left the network long before the next.
template <class Give>
void with_gaps(std::int64_t records, Give give) {
  auto at = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < records; ++i) {
    at += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(at);
    give(i);
  }
}

sample run_weir_with_gaps(std::int64_t records, bool inline_send) {
  arrivals arrived(records);
  options o;
  o.inline_send = inline_send;
  execution run = start(four_boxes([&](std::int64_t v, std::int64_t n, std::int64_t made) { arrived.see(v, n, made); }),
                        std::move(o));
  arrived.begin();
  with_gaps(records, [&](std::int64_t i) {
    const std::int64_t now = now_ns();
    run.send(value = i, number = i, first = now, second = 0.5, third = &carried);
  });
  run.close();
  run.wait();
  return arrived.result(inline_send ? "weir_inline_send" : "weir");
}

sample run_flow_graph_with_gaps(std::int64_t records) {
  using namespace tbb::flow;
  arrivals arrived(records);
  graph g;
  std::deque<function_node<item, item>> nodes = four_nodes(g);
  function_node<item> last(g, serial, [&](const item& x) {
    arrived.see(x.value, x.number, x.first);
    return continue_msg();
  });
  make_edge(nodes.back(), last);
  arrived.begin();
  with_gaps(records, [&](std::int64_t i) { nodes.front().try_put(item_of(i, i, now_ns())); });
  g.wait_for_all();
  return arrived.result("flow_graph");
}

sample run_spsc_threads_with_gaps(std::int64_t records) {
  arrivals arrived(records);
  four_threads threads([&](const item& x) { arrived.see(x.value, x.number, x.first); });
  arrived.begin();
  with_gaps(records, [&](std::int64_t i) { threads.push(item_of(i, i, now_ns())); });
  threads.end();
  return arrived.result("spsc_threads");
}

}  // namespace

std::vector<row> latency_rows() {
  using tbb::filter_mode;
  std::vector<row> rows{
      {"latency", "inside", "weir", run_weir},
      {"latency", "inside", "flow_graph", run_flow_graph},
      {"latency", "inside", "parallel_pipeline",
       [](std::int64_t n) { return run_parallel_pipeline(n, filter_mode::parallel); }},
      {"latency", "inside", "parallel_pipeline_in_order",
       [](std::int64_t n) { return run_parallel_pipeline(n, filter_mode::serial_in_order); }},
      {"latency", "inside", "loop", run_loop},
      {"latency", "inside", "spsc_threads", run_spsc_threads},
      {"latency", "gaps_1ms", "weir", [](std::int64_t n) { return run_weir_with_gaps(n, false); }},
      {"latency", "gaps_1ms", "weir_inline_send", [](std::int64_t n) { return run_weir_with_gaps(n, true); }},
      {"latency", "gaps_1ms", "flow_graph", run_flow_graph_with_gaps},
      {"latency", "gaps_1ms", "spsc_threads", run_spsc_threads_with_gaps},
  };
  for (row& r : rows)
    if (r.config == "gaps_1ms") r.records = 300;
  return rows;
}

}  // namespace weir::overhead
