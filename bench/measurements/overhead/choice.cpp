// A choice of four branches, each of which adds a different number, and their merge. Records choose a branch
// pseudo-randomly.

#include <tbb/flow_graph.h>

#include <array>
#include <deque>
#include <tuple>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

constexpr std::size_t places = 64;

std::int64_t branch_of(std::int64_t number) { return static_cast<std::int64_t>(scrambled(number) % 4); }
bool is_right(std::int64_t v, std::int64_t n) { return v == n + 1 + branch_of(n); }

// In addition to the value, each branch takes a label that no other branch takes.
constexpr tag to_a{"to_a"}, to_b{"to_b"}, to_c{"to_c"}, to_d{"to_d"};

template <int Add>
network branch(const tag& to) {
  return box("add " + std::to_string(Add), takes(value, to), gives(value),
             [](std::int64_t v, std::int64_t) { return v + Add; });
}

sample run_weir(std::int64_t records, bool is_ordered) {
  meter m(records, is_ordered);
  const network any = branch<1>(to_a) | branch<2>(to_b) | branch<3>(to_c) | branch<4>(to_d);
  const network sink = box("sink", takes(value, number), gives_none, [&m](std::int64_t v, std::int64_t n) {
                         m.see(n, is_right(v, n));
                       }).serial();
  const auto make = [](emitter& emit, std::int64_t i) {
    const auto give = [&](const tag& to) {
      emit(value = i, number = i, first = i, second = 0.5, third = &carried, to = 0);
    };
    switch (branch_of(i)) {
      case 0:
        return give(to_a);
      case 1:
        return give(to_b);
      case 2:
        return give(to_c);
      default:
        return give(to_d);
    }
  };
  const auto variants =
      gives(value, number, first, second, third, to_a) | gives(value, number, first, second, third, to_b) |
      gives(value, number, first, second, third, to_c) | gives(value, number, first, second, third, to_d);
  run_to_end(fed(m, records, variants, make, (is_ordered ? ordered(any) : any) >> sink), in_flight(places));
  return m.result(is_ordered ? "weir_ordered" : "weir");
}

sample run_flow_graph(std::int64_t records, bool sequenced) {
  using namespace tbb::flow;
  meter m(records, sequenced);
  flow_ends<item> ends(
      m, records, places, sequenced, [](std::int64_t i) { return item_of(i, i, i); },
      [&m](const item& x) { m.see(x.number, is_right(x.value, x.number)); });
  multifunction_node<item, std::tuple<item, item, item, item>> choose(ends.graph, serial,
                                                                      [](const item& x, auto& ports) {
                                                                        switch (branch_of(x.number)) {
                                                                          case 0:
                                                                            std::get<0>(ports).try_put(x);
                                                                            break;
                                                                          case 1:
                                                                            std::get<1>(ports).try_put(x);
                                                                            break;
                                                                          case 2:
                                                                            std::get<2>(ports).try_put(x);
                                                                            break;
                                                                          default:
                                                                            std::get<3>(ports).try_put(x);
                                                                        }
                                                                      });
  std::deque<function_node<item, item>> branches;
  for (int add = 1; add <= 4; ++add)
    branches.emplace_back(ends.graph, serial, [add](item x) {
      x.value += add;
      return x;
    });
  make_edge(ends.begin(), choose);
  make_edge(output_port<0>(choose), branches[0]);
  make_edge(output_port<1>(choose), branches[1]);
  make_edge(output_port<2>(choose), branches[2]);
  make_edge(output_port<3>(choose), branches[3]);
  for (auto& each : branches) make_edge(each, ends.end());
  ends.run();
  return m.result("flow_graph");
}

template <int Add>
void add_to(item& x) {
  x.value += Add;
}

sample run_loop(std::int64_t records) {
  meter m(records, true);
  using stage = void (*)(item&);
  volatile stage all[] = {add_to<1>, add_to<2>, add_to<3>, add_to<4>};
  const std::array<stage, 4> branches{all[0], all[1], all[2], all[3]};
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    item x = item_of(i, i, i);
    branches[static_cast<std::size_t>(branch_of(i))](x);
    m.see(x.number, is_right(x.value, x.number));
  }
  return m.result("loop");
}

}  // namespace

std::vector<row> choice_rows() {
  return {{"choice", "branches=4", "weir", [](std::int64_t n) { return run_weir(n, false); }},
          {"choice", "branches=4", "weir_ordered", [](std::int64_t n) { return run_weir(n, true); }},
          {"choice", "branches=4", "flow_graph", [](std::int64_t n) { return run_flow_graph(n, false); }},
          {"choice", "branches=4", "flow_graph_sequencer", [](std::int64_t n) { return run_flow_graph(n, true); }},
          {"choice", "branches=4", "loop", run_loop}};
}

}  // namespace weir::overhead
