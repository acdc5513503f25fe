// The cost of a network's life around its records: n boxes in a chain are written down, started, given one record and
// destroyed. And that of one run of a network that stands: a hundred records, from start() to the end.

#include <fmt/format.h>
#include <malloc.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_pipeline.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/measurements/overhead/allocations.hpp"
#include "bench/measurements/overhead/by_taskflow.hpp"
#include "bench/measurements/overhead/channel.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/support/self.hpp"

namespace weir::overhead {
namespace {

constexpr int in_run = 4;  // boxes

// A chain of n boxes, from its start to its end: returns its result for a record of value 0, and calls `standing` while
// the chain still exists.
using life = std::int64_t (*)(int n, const std::function<void()>& standing);

std::int64_t live_weir(int n, const std::function<void()>& standing) {
  const auto add = [](int i) {
    return box("add " + std::to_string(i), takes(value), gives(value), [](std::int64_t v) { return v + 1; });
  };
  network net = add(0);
  for (int i = 1; i < n; ++i) net = net >> add(i);
  execution run = start(net);
  run.send(value = 0, number = 0, first = 0, second = 0.5, third = &carried);
  run.close();
  std::int64_t end = -1;
  for (const record& r : run) end = r[value];
  standing();
  return end;
}

std::int64_t live_flow_graph(int n, const std::function<void()>& standing) {
  using namespace tbb::flow;
  std::int64_t end = -1;
  graph g;
  std::deque<function_node<item, item>> nodes;
  for (int i = 0; i < n; ++i) {
    nodes.emplace_back(g, serial, [](item x) {
      ++x.value;
      return x;
    });
    if (i) make_edge(nodes[nodes.size() - 2], nodes.back());
  }
  function_node<item> last(g, serial, [&end](const item& x) {
    end = x.value;
    return continue_msg();
  });
  make_edge(nodes.back(), last);
  nodes.front().try_put(item_of(0, 0));
  g.wait_for_all();
  standing();
  return end;
}

std::int64_t live_spsc_threads(int n, const std::function<void()>& standing) {
  std::deque<channel> streams;
  std::vector<std::thread> threads;
  streams.emplace_back(64);
  for (int i = 0; i < n; ++i) {
    channel &from = streams.back(), &to = streams.emplace_back(64);
    threads.emplace_back([&from, &to] {
      for (item x; from.pop(x);) {
        ++x.value;
        to.push(x);
      }
      to.close();
    });
  }
  streams.front().push(item_of(0, 0));
  item end;
  streams.back().pop(end);
  standing();
  streams.front().close();
  for (std::thread& t : threads) t.join();
  return end.value;
}

std::int64_t live_loop(int n, const std::function<void()>& standing) {
  std::vector<std::function<item(item)>> boxes;
  for (int i = 0; i < n; ++i)
    boxes.emplace_back([](item x) {
      ++x.value;
      return x;
    });
  item x = item_of(0, 0);
  for (const auto& box : boxes) x = box(x);
  standing();
  return x.value;
}

// ---- one run of n records through a chain of four, which was written down before ----

std::int64_t run_weir(int n, const std::function<void()>& standing) {
  static const network net = [] {
    const auto add = [](const char* name) {
      return box(name, takes(value), gives(value), [](std::int64_t v) { return v + 1; });
    };
    return add("a") >> add("b") >> add("c") >> add("d");
  }();
  execution run = start(net);
  for (int i = 0; i < n; ++i) run.send(value = i, number = i, first = 0, second = 0.5, third = &carried);
  run.close();
  int right = 0;
  for (const record& r : run) right += r[value] == right + in_run;
  standing();
  return right;
}

std::int64_t run_flow_graph(int n, const std::function<void()>& standing) {
  using namespace tbb::flow;
  struct chain {
    graph g;
    std::deque<function_node<item, item>> nodes;
    std::int64_t sum = 0;  // it keeps no order
    function_node<item> last{g, serial, [this](const item& x) {
                               sum += x.value;
                               return continue_msg();
                             }};
    chain() {
      for (int i = 0; i < in_run; ++i) {
        nodes.emplace_back(g, serial, [](item x) {
          ++x.value;
          return x;
        });
        if (i) make_edge(nodes[nodes.size() - 2], nodes.back());
      }
      make_edge(nodes.back(), last);
    }
  };
  static chain& c = *new chain;  // oneTBB may be gone before static destructors run
  c.sum = 0;
  for (int i = 0; i < n; ++i) c.nodes.front().try_put(item_of(i, i));
  c.g.wait_for_all();
  standing();
  return c.sum == n * (n - 1) / 2 + n * in_run ? n : -1;
}

std::int64_t run_parallel_pipeline(int n, const std::function<void()>& standing) {
  int sent = 0, right = 0;
  const auto add = tbb::make_filter<item, item>(tbb::filter_mode::serial_in_order, [](item x) {
    ++x.value;
    return x;
  });
  const auto first_of = tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) {
    if (sent == n) {
      flow.stop();
      return item();
    }
    const int i = sent++;
    return item_of(i, i);
  });
  const auto last = tbb::make_filter<item, void>(tbb::filter_mode::serial_in_order,
                                                 [&](const item& x) { right += x.value == right + in_run; });
  tbb::parallel_pipeline(64, first_of & add & add & add & add & last);
  standing();
  return right;
}

#ifdef WEIR_HAS_TASKFLOW
std::int64_t run_taskflow(int n, const std::function<void()>& standing) {
  const std::int64_t right = by_taskflow::run_again(n, in_run);
  standing();
  return right;
}
#endif

std::int64_t run_loop(int n, const std::function<void()>& standing) {
  static const std::vector<std::function<item(item)>> boxes(in_run, [](item x) {
    ++x.value;
    return x;
  });
  int right = 0;
  for (int i = 0; i < n; ++i) {
    item x = item_of(i, i);
    for (const auto& box : boxes) x = box(x);
    right += x.value == right + in_run;
  }
  standing();
  return right;
}

// By malloc, over all threads; oneTBB's own allocator does not count.
double bytes_in_use() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd);
}

sample lives(life of, int n, const std::string& who, std::int64_t records) {
  meter m(records, true);
  std::vector<double> took;
  m.begin();
  for (std::int64_t i = 0; i < records; ++i) {
    const std::int64_t began = now_ns();
    const std::int64_t end = of(n, [] {});
    took.push_back(static_cast<double>(now_ns() - began));
    m.see(i, end == n);
  }
  sample s = m.result(who);
  add_latencies(s, took);
  const double bytes_before = bytes_in_use();
  const long long before = allocations();
  of(n, [&] { s.bytes_per_component = (bytes_in_use() - bytes_before) / n; });
  s.allocations_per_component = static_cast<double>(allocations() - before) / n;
  return s;
}

// One life in a process of its own, in which nothing ran before.
sample first_life(const std::string& impl, std::int64_t records) {
  const std::string arguments = fmt::format("--only start/n=1/{} --once --records 1", impl);
  std::vector<double> took;
  for (std::int64_t i = 0; i < records; ++i) {
    const std::string text = program::output_of_self(arguments);
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    if (end == text.c_str()) throw std::runtime_error(fmt::format("{} printed no time: {}", arguments, text));
    took.push_back(1e9 * seconds);
  }
  sample s;
  add_latencies(s, took);
  return s;
}

}  // namespace

std::vector<row> start_rows() {
  const std::vector<std::pair<std::string, life>> impls{
      {"weir", live_weir}, {"flow_graph", live_flow_graph}, {"spsc_threads", live_spsc_threads}, {"loop", live_loop}};
  std::vector<row> rows;
  for (const auto& [impl, of] : impls) {
    rows.push_back({"start", "first", impl, [impl = impl](std::int64_t records) { return first_life(impl, records); }});
    rows.back().records = 5;
  }
  constexpr int most_threads = 100;
  for (const int n : {1, 100, 10000, 100000})
    for (const auto& [impl, of] : impls) {
      if (n > most_threads && impl == "spsc_threads") continue;
      const std::string config = fmt::format("n={}", n);
      rows.push_back({"start", config, impl,
                      [of = of, n, impl = impl](std::int64_t records) { return lives(of, n, impl, records); }});
      rows.back().records = n == 1 ? 100 : n == 100 ? 20 : 1;
      if (n == 100000) rows.back().rounds = 3;
    }
  const std::vector<std::pair<std::string, life>> runs{{"weir", run_weir},
                                                       {"flow_graph", run_flow_graph},
                                                       {"parallel_pipeline", run_parallel_pipeline},
#ifdef WEIR_HAS_TASKFLOW
                                                       {"taskflow", run_taskflow},
#endif
                                                       {"loop", run_loop}};
  for (const auto& [impl, of] : runs) {
    rows.push_back({"start", "run=100", impl,
                    [of = of, impl = impl](std::int64_t records) { return lives(of, 100, impl, records); }});
    rows.back().records = 200;
  }
  return rows;
}

}  // namespace weir::overhead
