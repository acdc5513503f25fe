// The cost of a network that has little to do: one record every 5 ms through four boxes, or none.

#include <sys/resource.h>
#include <tbb/flow_graph.h>

#include <chrono>
#include <deque>
#include <thread>

#include "bench/measurements/overhead/four_boxes.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"

namespace weir::overhead {
namespace {

using clock_type = std::chrono::steady_clock;

// Gives a record every 5 ms from the calling thread, whose own time also counts. `end` waits for the last.
template <class Give, class End>
sample with_pauses(meter& m, std::int64_t records, const std::string& who, Give give, End end) {
  m.begin();
  auto at = clock_type::now();
  for (std::int64_t i = 0; i < records; ++i) {
    at += std::chrono::milliseconds(5);
    std::this_thread::sleep_until(at);
    give(i);
  }
  end();
  sample s = m.result(who);
  s.cpu_percent_of_one_core = s.cpu_ns_per_record * 1e-9 * s.records_per_second * 100;
  return s;
}

sample run_weir(std::int64_t records) {
  meter m(records, true);
  execution run = start(four_boxes([&m](std::int64_t v, std::int64_t n, std::int64_t) { m.see(n, v == n + 4); }));
  return with_pauses(
      m, records, "weir",
      [&](std::int64_t i) { run.send(value = i, number = i, first = i, second = 0.5, third = &carried); },
      [&] {
        run.close();
        run.wait();
      });
}

sample run_flow_graph(std::int64_t records) {
  using namespace tbb::flow;
  meter m(records, true);
  graph g;
  std::deque<function_node<item, item>> nodes = four_nodes(g);
  function_node<item> last(g, serial, [&m](const item& x) {
    m.see(x.number, x.value == x.number + 4);
    return continue_msg();
  });
  make_edge(nodes.back(), last);
  return with_pauses(
      m, records, "flow_graph", [&](std::int64_t i) { nodes.front().try_put(item_of(i, i, i)); },
      [&] { g.wait_for_all(); });
}

sample run_spsc_threads(std::int64_t records) {
  meter m(records, true);
  four_threads threads([&m](const item& x) { m.see(x.number, x.value == x.number + 4); });
  return with_pauses(
      m, records, "spsc_threads", [&](std::int64_t i) { threads.push(item_of(i, i, i)); }, [&] { threads.end(); });
}

// Context switches of all threads but the calling one, which sleeps and wakes to measure.
long long switches_of_others() {
  rusage all{}, own{};
  getrusage(RUSAGE_SELF, &all);
  getrusage(RUSAGE_THREAD, &own);
  return all.ru_nvcsw + all.ru_nivcsw - own.ru_nvcsw - own.ru_nivcsw;
}

// A network that has worked and then idled for a second: does anything in it still wake up?
sample run_quiet(std::int64_t records, int seconds) {
  meter m(records, true);
  execution run = start(four_boxes([&m](std::int64_t v, std::int64_t n, std::int64_t) { m.see(n, v == n + 4); }));
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) run.send(value = i, number = i, first = i, second = 0.5, third = &carried);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const long long before = switches_of_others();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const long long after = switches_of_others();
  run.close();
  run.wait();
  m.result("weir");
  sample s;
  s.context_switches = static_cast<double>(after - before);
  return s;
}

}  // namespace

std::vector<row> idle_rows(int quiet_seconds) {
  constexpr std::int64_t two_seconds = 400;
  std::vector<row> rows{{"idle", "5ms", "weir", run_weir},
                        {"idle", "5ms", "flow_graph", run_flow_graph},
                        {"idle", "5ms", "spsc_threads", run_spsc_threads}};
  for (row& r : rows) r.records = two_seconds, r.rounds = 3;
  if (quiet_seconds > 0) {
    rows.push_back({"idle", "quiet", "weir", [quiet_seconds](std::int64_t n) { return run_quiet(n, quiet_seconds); }});
    rows.back().records = 1000;
    rows.back().rounds = 1;
  }
  return rows;
}

}  // namespace weir::overhead
