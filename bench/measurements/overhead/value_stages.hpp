#pragma once

#include <tbb/flow_graph.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/meter.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/row.hpp"

namespace weir::overhead {

// Stages in series that each make a value of the one before, nothing at first, and a sink that checks the last one.
// Stages may use oneTBB inside. The functions are called by several threads at the same time, `is_right` by one.
template <class Value>
struct value_stages {
  using stage = std::function<Value(std::int64_t number, const Value* before)>;
  std::vector<stage> all;
  std::function<bool(const Value& last, std::int64_t number)> is_right;
};

// The item that the rivals move.
template <class Value>
struct value_item {
  std::int64_t number = 0;
  std::shared_ptr<const Value> made{};
};

// Values in flight: at most four for each of two cores, since more would leave the caches.
inline constexpr std::size_t values_in_flight = 8;

template <class Value>
void apply(const typename value_stages<Value>::stage& stage, value_item<Value>& x) {
  x.made = std::make_shared<const Value>(stage(x.number, x.made.get()));
}

template <class Value>
sample run_flow_graph(const value_stages<Value>& work, std::int64_t records) {
  using item = value_item<Value>;
  meter m(records, true);
  flow_ends<item> ends(
      m, records, values_in_flight, true, [](std::int64_t i) { return item{i}; },
      [&](const item& x) { m.see(x.number, work.is_right(*x.made, x.number)); });
  std::deque<tbb::flow::function_node<item, item>> nodes;
  for (const auto& stage : work.all) {
    nodes.emplace_back(ends.graph, tbb::flow::unlimited, [&stage](item x) {
      apply<Value>(stage, x);
      return x;
    });
    if (nodes.size() > 1) tbb::flow::make_edge(nodes[nodes.size() - 2], nodes.back());
  }
  tbb::flow::make_edge(ends.begin(), nodes.front());
  tbb::flow::make_edge(nodes.back(), ends.end());
  ends.run();
  return m.result("flow_graph_sequencer");
}

template <class Value>
sample run_parallel_pipeline(const value_stages<Value>& work, std::int64_t records) {
  using item = value_item<Value>;
  meter m(records, true);
  const auto filter_of = [](const typename value_stages<Value>::stage& stage) {
    return tbb::make_filter<item*, item*>(tbb::filter_mode::parallel, [&stage](item* x) {
      apply<Value>(stage, *x);
      return x;
    });
  };
  tbb::filter<item*, item*> between = filter_of(work.all.front());
  for (std::size_t i = 1; i < work.all.size(); ++i) between = between & filter_of(work.all[i]);
  run_pipeline<item>(
      records, values_in_flight, [&] { m.begin(); }, [](std::int64_t i) { return item{i}; }, between,
      [&](const item& x) { m.see(x.number, work.is_right(*x.made, x.number)); });
  return m.result("parallel_pipeline");
}

// One thread and one core.
template <class Value>
sample run_loop(const value_stages<Value>& work, std::int64_t records) {
  meter m(records, true);
  tbb::task_arena one_core(1);
  one_core.execute([&] {
    m.begin();
    for (std::int64_t i = 0; i < records; ++i) {
      Value made = work.all.front()(i, nullptr);
      for (std::size_t k = 1; k < work.all.size(); ++k) made = work.all[k](i, &made);
      m.see(i, work.is_right(made, i));
    }
  });
  return m.result("loop");
}

// The rows of weir and its rivals. `stages` lives as long as the rows.
template <class Value>
void add_rows(std::vector<row>& rows, const std::string& group, const std::string& config,
              std::function<sample(std::int64_t)> weir, const std::shared_ptr<const value_stages<Value>>& stages) {
  constexpr double learning = 0.8, short_run = 0.25;  // seconds; weir learns at the beginning
  rows.push_back({group, config, "weir", std::move(weir), learning});
  const auto add = [&](const char* impl, sample (*run)(const value_stages<Value>&, std::int64_t)) {
    rows.push_back({group, config, impl, [stages, run](std::int64_t r) { return run(*stages, r); }, short_run});
  };
  add("flow_graph_sequencer", run_flow_graph<Value>);
  add("parallel_pipeline", run_parallel_pipeline<Value>);
  add("loop", run_loop<Value>);
}

}  // namespace weir::overhead
