#include "bench/measurements/overhead/timed_boxes.hpp"

#include <fmt/format.h>
#include <tbb/flow_graph.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/weir_run.hpp"
#include "bench/support/host.hpp"

namespace weir::overhead {
namespace {

constexpr std::size_t places = 64;

// A chain of dependent multiplications: its time depends only on the clock frequency of the core.
[[gnu::noinline]] std::int64_t compute(std::int64_t from, std::int64_t steps) {
  auto x = static_cast<std::uint64_t>(from);
  for (std::int64_t i = 0; i < steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::int64_t>(x);
}

// The most of several tries, since a disturbance only slows them down.
double measured_steps_a_microsecond() {
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

// The same for all groups of a process.
double steps_a_microsecond() {
  static const double measured = measured_steps_a_microsecond();
  return measured;
}

item begin_item(std::int64_t i) { return item_of(timed_boxes::first_value(i), i, i); }

}  // namespace

timed_boxes::timed_boxes(const std::vector<double>& microseconds, int serial) : serial_(serial) {
  for (const double each : microseconds) {
    steps_.push_back(static_cast<std::int64_t>(each * steps_a_microsecond()));
    microseconds_ += each;
  }
  for (std::size_t i = 0; i < kinds; ++i) answers_[i] = run_all(static_cast<std::int64_t>(i));
}

std::int64_t timed_boxes::run(int box, std::int64_t v) const {
  return compute(v, steps_[static_cast<std::size_t>(box)]);
}

std::int64_t timed_boxes::run_all(std::int64_t v) const {
  for (int i = 0; i < count(); ++i) v = run(i, v);
  return v;
}

sample run_weir(const timed_boxes& boxes, std::int64_t records) {
  meter m(records, true);
  const auto box_at = [&](int i) {
    const box_network one = box(fmt::format("work {}", i + 1), takes(value), gives(value),
                                [&boxes, i](std::int64_t v) { return boxes.run(i, v); });
    return boxes.is_serial(i) ? network(one.serial()) : network(one);
  };
  network all = box_at(0);
  for (int i = 1; i < boxes.count(); ++i) all = all >> box_at(i);
  const network sink = box("sink", takes(value, number), gives_none, [&](std::int64_t v, std::int64_t n) {
                         m.see(n, boxes.is_right(v, n));
                       }).serial();
  run_to_end(fed(
      m, records, gives(value, number, first, second, third),
      [](emitter& emit, std::int64_t i) {
        emit(value = timed_boxes::first_value(i), number = i, first = i, second = 0.5, third = &carried);
      },
      all >> sink));
  return m.result("weir");
}

sample run_flow_graph_sequencer(const timed_boxes& boxes, std::int64_t records) {
  using namespace tbb::flow;
  meter m(records, true);
  flow_ends<item> ends(m, records, places, true, begin_item,
                       [&](const item& x) { m.see(x.number, boxes.is_right(x.value, x.number)); });
  std::deque<function_node<item, item>> nodes;
  for (int i = 0; i < boxes.count(); ++i) {
    nodes.emplace_back(ends.graph, boxes.is_serial(i) ? serial : unlimited, [&boxes, i](item x) {
      x.value = boxes.run(i, x.value);
      return x;
    });
    if (i) make_edge(nodes[nodes.size() - 2], nodes.back());
  }
  make_edge(ends.begin(), nodes.front());
  make_edge(nodes.back(), ends.end());
  ends.run();
  return m.result("flow_graph_sequencer");
}

sample run_parallel_pipeline(const timed_boxes& boxes, std::int64_t records) {
  using tbb::filter_mode;
  meter m(records, true);
  const auto filter_at = [&](int i) {
    return filters(1, boxes.is_serial(i) ? filter_mode::serial_in_order : filter_mode::parallel,
                   [&boxes, i](item& x) { x.value = boxes.run(i, x.value); });
  };
  tbb::filter<item*, item*> all = filter_at(0);
  for (int i = 1; i < boxes.count(); ++i) all = all & filter_at(i);
  run_pipeline(
      records, places, [&] { m.begin(); }, begin_item, all,
      [&](const item& x) { m.see(x.number, boxes.is_right(x.value, x.number)); });
  return m.result("parallel_pipeline");
}

sample run_shared_loop(const timed_boxes& boxes, std::int64_t records) {
  meter m(records, true);
  // Some 16 us at a time, so that the counter costs next to nothing.
  const auto batch = std::max<std::int64_t>(1, static_cast<std::int64_t>(64 / boxes.microseconds()));
  std::vector<item> items(static_cast<std::size_t>(records));
  std::atomic<std::int64_t> next{0};
  const auto take_part = [&] {
    for (std::int64_t from = next.fetch_add(batch); from < records; from = next.fetch_add(batch))
      for (std::int64_t i = from; i < std::min(from + batch, records); ++i) {
        item& x = items[static_cast<std::size_t>(i)] = begin_item(i);
        x.value = boxes.run_all(x.value);
      }
  };
  m.begin();
  std::vector<std::thread> others;
  for (int i = 1; i < program::usable_cores(); ++i) others.emplace_back(take_part);
  take_part();
  for (std::thread& t : others) t.join();
  for (const item& x : items) m.see(x.number, boxes.is_right(x.value, x.number));
  sample s = m.result("shared_loop");
  s.steady_records_per_second = unknown;  // the sink sees all at the end
  return s;
}

sample run_loop(const timed_boxes& boxes, std::int64_t records) {
  meter m(records, true);
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = begin_item(i);
    x.value = boxes.run_all(x.value);
    m.see(x.number, boxes.is_right(x.value, x.number));
  }
  return m.result("loop");
}

sample run_bound(const timed_boxes& boxes, std::int64_t records) {
  meter m(records, true);
  const std::int64_t answer = boxes.run(boxes.serial(), 0);
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) m.see(i, boxes.run(boxes.serial(), 0) == answer);
  return m.result("bound");
}

}  // namespace weir::overhead
