// Pairing: the k-th record of one kind with the k-th of another. The table counts pairs as records.

#include <tbb/flow_graph.h>

#include <deque>
#include <tuple>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

constexpr tag left{"left"}, right{"right"};
constexpr std::size_t places = 64;

sample run_weir(std::int64_t pairs) {
  meter m(pairs, false);
  const network sink =
      box("sink", takes(left, right), gives_none, [&m](std::int64_t l, std::int64_t r) { m.see(l, l == r); }).serial();
  run_to_end(fed(
                 m, pairs, gives(left, first, second, third) | gives(right, first, second, third),
                 [](emitter& emit, std::int64_t i) {
                   emit(left = i, first = i, second = 0.5, third = &carried);
                   emit(right = i, first = i, second = 0.5, third = &carried);
                 },
                 star(sync({left}, {right}), pattern{left, right}) >> sink),
             in_flight(places));
  return m.result("weir");
}

sample run_flow_graph(std::int64_t pairs) {
  using namespace tbb::flow;
  meter m(pairs, false);
  graph g;
  std::int64_t next = 0;
  // Both kinds come from one node, alternately, as weir's come from one source.
  input_node<item> input(g, [&](tbb::flow_control& control) {
    if (next == 2 * pairs) {
      control.stop();
      return item{};
    }
    if (next == 0) m.begin();
    const std::int64_t i = next++;
    return item_of(i % 2, i / 2, i / 2);
  });
  limiter_node<item, int> limit(g, places);
  multifunction_node<item, std::tuple<item, item>> deal(g, serial, [](const item& x, auto& ports) {
    if (x.value == 0)
      std::get<0>(ports).try_put(x);
    else
      std::get<1>(ports).try_put(x);
  });
  using pair = std::tuple<item, item>;
  join_node<pair, queueing> join(g);
  function_node<pair, int> last(g, serial, [&](const pair& p) {
    const auto& [l, r] = p;
    m.see(l.number, l.number == r.number && l.value == 0 && r.value == 1);
    return 2;  // places that became free
  });
  make_edge(input, limit);
  make_edge(limit, deal);
  make_edge(output_port<0>(deal), input_port<0>(join));
  make_edge(output_port<1>(deal), input_port<1>(join));
  make_edge(join, last);
  make_edge(last, limit.decrementer());
  input.activate();
  g.wait_for_all();
  return m.result("flow_graph");
}

sample run_loop(std::int64_t pairs) {
  meter m(pairs, true);
  std::deque<item> waiting[2];
  m.begin();
  for (std::int64_t i = 0; i < 2 * pairs; ++i) {
    waiting[i % 2].push_back(item_of(i % 2, i / 2, i / 2));
    if (waiting[0].empty() || waiting[1].empty()) continue;
    const item l = waiting[0].front(), r = waiting[1].front();
    waiting[0].pop_front();
    waiting[1].pop_front();
    m.see(l.number, l.number == r.number);
  }
  return m.result("loop");
}

}  // namespace

std::vector<row> sync_rows() {
  return {{"sync", "pairs", "weir", run_weir},
          {"sync", "pairs", "flow_graph", run_flow_graph},
          {"sync", "pairs", "loop", run_loop}};
}

}  // namespace weir::overhead
