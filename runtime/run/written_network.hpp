#pragma once

#include <memory>

#include <weir/network/graph.hpp>
#include <weir/network/network.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The network of a run as it is written down, and its graph. Thread-safe.
class written_network {
 public:
  explicit written_network(const network& net) : net_(net) {}

  const network& get() const { return net_; }

  // Its graph, made when it is first asked for and then shared by all reports. Throws std::bad_alloc.
  std::shared_ptr<const network_graph> graph() {
    constexpr std::size_t most_drawn = 2000;  // more are no picture
    const lock_guard lock(mutex_);
    if (!graph_) graph_ = std::make_shared<const network_graph>(graph_of(net_, most_drawn));
    return graph_;
  }

 private:
  const network net_;
  WEIR_LOCK(graph) mutex_;
  std::shared_ptr<const network_graph> graph_ WEIR_GUARDED_BY(mutex_);  // null: not asked for yet
};

}  // namespace weir::detail
