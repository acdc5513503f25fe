// A star that every record passes to a depth of 100: the body counts down.

#include <tbb/flow_graph.h>

#include <tuple>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

constexpr std::int64_t depth = 100;
constexpr std::size_t places = 64;

sample run_weir(const network& body, std::int64_t records, const std::string& who) {
  meter m(records, false);
  const network sink = box("sink", takes(value, number), gives_none, [&m](std::int64_t v, std::int64_t n) {
                         m.see(n, v == 0);
                       }).serial();
  run_to_end(fed(
                 m, records, gives(value, number, first, second, third),
                 [](emitter& emit, std::int64_t i) {
                   emit(value = depth, number = i, first = i, second = 0.5, third = &carried);
                 },
                 star(body, pattern{value}.where(value == 0)) >> sink),
             in_flight(places));
  return m.result(who);
}

sample run_weir_box(std::int64_t records) {
  return run_weir(box("down", takes(value), gives(value), [](std::int64_t v) { return v - 1; }), records, "weir");
}

sample run_weir_filter(std::int64_t records) {
  return run_weir(filter(takes(value)).emit(value = value - 1), records, "weir_filter");
}

// A cycle through one node: items circulate until they are done.
sample run_flow_graph(std::int64_t records) {
  using namespace tbb::flow;
  meter m(records, false);
  flow_ends<item> ends(
      m, records, places, false, [](std::int64_t i) { return item_of(depth, i, i); },
      [&m](const item& x) { m.see(x.number, x.value == 0); });
  multifunction_node<item, std::tuple<item, item>> down(ends.graph, serial, [](item x, auto& ports) {
    if (--x.value == 0)
      std::get<0>(ports).try_put(x);
    else
      std::get<1>(ports).try_put(x);
  });
  make_edge(ends.begin(), down);
  make_edge(output_port<0>(down), ends.end());
  make_edge(output_port<1>(down), down);
  ends.run();
  return m.result("flow_graph");
}

sample run_loop(std::int64_t records) {
  meter m(records, true);
  void (*volatile opaque)(item&) = [](item& x) { --x.value; };
  const auto down = opaque;
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = item_of(depth, i, i);
    while (x.value != 0) down(x);
    m.see(x.number, x.value == 0);
  }
  return m.result("loop");
}

}  // namespace

std::vector<row> star_rows() {
  return {{"star", "depth=100", "weir", run_weir_box},
          {"star", "depth=100", "weir_filter", run_weir_filter},
          {"star", "depth=100", "flow_graph", run_flow_graph},
          {"star", "depth=100", "loop", run_loop}};
}

}  // namespace weir::overhead
