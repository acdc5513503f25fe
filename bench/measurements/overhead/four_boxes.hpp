#pragma once

#include <tbb/flow_graph.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>

#include "bench/measurements/overhead/channel.hpp"
#include "bench/measurements/overhead/item.hpp"

namespace weir::overhead {

// Four boxes that add one, in weir, in a flow graph, and with threads and queues. Latency and idle costs are measured
// on them.

inline network chain_of_four() {
  const auto add_one = [](std::int64_t v) { return v + 1; };
  const auto add = [&](const char* name) { return box(name, takes(value), gives(value), add_one); };
  return add("add 1") >> add("add 2") >> add("add 3") >> add("add 4");
}

// .. and a sink, which is called with value, number and first of every record.
template <class See>
network four_boxes(See see) {
  return chain_of_four() >> box("sink", takes(value, number, first), gives_none, see).serial();
}

inline std::deque<tbb::flow::function_node<item, item>> four_nodes(tbb::flow::graph& graph) {
  std::deque<tbb::flow::function_node<item, item>> nodes;
  for (int i = 0; i < 4; ++i) {
    nodes.emplace_back(graph, tbb::flow::serial, [](item x) {
      ++x.value;
      return x;
    });
    if (i) tbb::flow::make_edge(nodes[nodes.size() - 2], nodes.back());
  }
  return nodes;
}

// The calling thread pushes; each box has a thread, and so does the sink.
class four_threads {
 public:
  explicit four_threads(std::function<void(const item&)> see) {
    for (std::size_t i = 0; i < 4; ++i)
      threads_[i] = std::thread([&from = streams_[i], &to = streams_[i + 1]] {
        for (item x; from.pop(x);) {
          ++x.value;
          to.push(x);
        }
        to.close();
      });
    threads_[4] = std::thread([&from = streams_[4], see] {
      for (item x; from.pop(x);) see(x);
    });
  }

  void push(const item& x) { streams_[0].push(x); }

  // To be called once: returns when the sink has seen everything.
  void end() {
    streams_[0].close();
    for (std::thread& t : threads_) t.join();
  }

 private:
  static constexpr std::size_t places = 64;
  std::array<channel, 5> streams_{channel(places), channel(places), channel(places), channel(places), channel(places)};
  std::array<std::thread, 5> threads_;
};

}  // namespace weir::overhead
