// A box that emits 100 parts of each record, and the sum of these parts. A record of the table is one that is parted.

#include <tbb/flow_graph.h>

#include <optional>
#include <tuple>

#include "bench/measurements/overhead/flow_ends.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

constexpr std::int64_t parts = 100;
constexpr std::size_t places = 64;
constexpr tag part{"part"}, sum{"sum"};

bool is_right(std::int64_t of_parts, std::int64_t number) {
  return of_parts == parts * number + parts * (parts - 1) / 2;
}

// The sum so far of a record's parts, which come one after the other.
struct partial_sum {
  std::int64_t so_far = 0, seen = 0;

  // The sum, with the last part.
  std::optional<std::int64_t> add(std::int64_t p) {
    so_far += p;
    if (++seen < parts) return std::nullopt;
    const std::int64_t all = so_far;
    *this = {};
    return all;
  }
};

sample run_weir(std::int64_t records, const network& add_up, const char* who) {
  meter m(records, true);
  const network take_apart = box("parts", takes(value), gives(part), [](std::int64_t v, emitter& emit) {
    for (std::int64_t i = 0; i < parts; ++i) emit(part = v + i);
  });
  const network sink = box("sink", takes(sum, number), gives_none, [&m](std::int64_t s, std::int64_t n) {
                         m.see(n, is_right(s, n));
                       }).serial();
  run_to_end(
      fed(
          m, records, gives(value, number, first, second, third),
          [](emitter& emit, std::int64_t i) { emit(value = i, number = i, first = i, second = 0.5, third = &carried); },
          take_apart >> add_up >> sink),
      in_flight(places));
  return m.result(who);
}

sample run_weir_fold(std::int64_t records) {
  return run_weir(records,
                  fold("sum", takes(part, number), gives(sum, number), partial_sum{},
                       [](partial_sum& of, std::int64_t p, std::int64_t n, emitter& emit) {
                         if (const auto all = of.add(p)) emit(sum = *all, number = n);
                       }),
                  "weir");
}

sample run_weir_serial_box(std::int64_t records) {
  partial_sum of;
  return run_weir(records, box("sum", takes(part), gives(sum), [&of](std::int64_t p) { return of.add(p); }).serial(),
                  "weir_serial_box");
}

// Nodes of several outputs send inside their bodies, so that these parts keep their order from one to the other.
sample run_flow_graph(std::int64_t records) {
  using namespace tbb::flow;
  using node = multifunction_node<item, std::tuple<item>>;
  meter m(records, false);
  flow_ends<item> ends(
      m, records, places, false, [](std::int64_t i) { return item_of(i, i, i); },
      [&m](const item& x) { m.see(x.number, is_right(x.value, x.number)); });
  node take_apart(ends.graph, serial, [](item x, auto& ports) {
    const std::int64_t v = x.value;
    for (std::int64_t i = 0; i < parts; ++i) {
      x.value = v + i;
      std::get<0>(ports).try_put(x);
    }
  });
  partial_sum of;
  node add_up(ends.graph, serial, [&of](item x, auto& ports) {
    const auto all = of.add(x.value);
    if (!all) return;
    x.value = *all;
    std::get<0>(ports).try_put(x);
  });
  make_edge(ends.begin(), take_apart);
  make_edge(output_port<0>(take_apart), add_up);
  make_edge(output_port<0>(add_up), ends.end());
  ends.run();
  return m.result("flow_graph");
}

sample run_loop(std::int64_t records) {
  meter m(records, true);
  std::optional<std::int64_t> (*volatile opaque)(partial_sum&, const item&) = [](partial_sum& of, const item& x) {
    return of.add(x.value);
  };
  const auto add_up = opaque;
  partial_sum of;
  m.begin();
  for (std::int64_t n = 0; n < records; ++n) {
    item x = item_of(n, n, n);
    for (std::int64_t i = 0; i < parts; ++i) {
      x.value = n + i;
      if (const auto all = add_up(of, x)) m.see(x.number, is_right(*all, x.number));
    }
  }
  return m.result("loop");
}

}  // namespace

std::vector<row> fan_out_rows() {
  constexpr double learning = 0.8, short_run = 0.2;  // seconds; weir learns at the beginning
  return {{"fan_out", "parts=100", "weir", run_weir_fold, learning},
          {"fan_out", "parts=100", "weir_serial_box", run_weir_serial_box, learning},
          {"fan_out", "parts=100", "flow_graph", run_flow_graph, short_run},
          {"fan_out", "parts=100", "loop", run_loop, short_run}};
}

}  // namespace weir::overhead
