#pragma once

#include <tbb/flow_graph.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "bench/measurements/overhead/meter.hpp"

namespace weir::overhead {

// Both ends of a flow graph. An input node makes items 0, 1, 2, .., with at most as many in flight as a limiter allows.
// A serial last node calls `see`. The rows differ in the part between them. Such graphs keep no order unless a
// sequencer, by the items' `number`, precedes the last node.
template <class Item>
class flow_ends {
 public:
  flow_ends(meter& m, std::int64_t records, std::size_t in_flight, bool sequenced,
            std::function<Item(std::int64_t)> make, std::function<void(const Item&)> see)
      : input_(graph,
               [&m, records, make, next = std::int64_t{0}](tbb::flow_control& control) mutable {
                 if (next == records) {
                   control.stop();
                   return Item{};
                 }
                 if (next == 0) m.begin();
                 return make(next++);
               }),
        limit_(graph, in_flight),
        sequencer_(graph, [](const Item& x) { return static_cast<std::size_t>(x.number); }),
        last_(graph, tbb::flow::serial,
              [see](const Item& x) {
                see(x);
                return tbb::flow::continue_msg();
              }),
        sequenced_(sequenced) {
    tbb::flow::make_edge(input_, limit_);
    if (sequenced_) tbb::flow::make_edge(sequencer_, last_);
    tbb::flow::make_edge(last_, limit_.decrementer());
  }

  tbb::flow::sender<Item>& begin() { return limit_; }
  tbb::flow::receiver<Item>& end() {
    if (sequenced_) return sequencer_;
    return last_;
  }

  void run() {
    input_.activate();
    graph.wait_for_all();
  }

  tbb::flow::graph graph;

 private:
  tbb::flow::input_node<Item> input_;
  tbb::flow::limiter_node<Item> limit_;
  tbb::flow::sequencer_node<Item> sequencer_;
  tbb::flow::function_node<Item> last_;
  const bool sequenced_;
};

}  // namespace weir::overhead
