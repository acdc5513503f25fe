#pragma once

#include <variant>

#include <weir/network/network.hpp>
#include "runtime/network/leaf_nodes.hpp"
#include "runtime/network/loop_nodes.hpp"
#include "runtime/network/node.hpp"
#include "runtime/network/row_nodes.hpp"
#include "runtime/network/split_node.hpp"
#include "runtime/network/wrapping_nodes.hpp"

// The kinds of nodes.
namespace weir::detail {

// Functions for visit(), which calls the one that takes the node's kind, or a base of it.
template <class... F>
struct overloads : F... {
  using F::operator()...;
};
template <class... F>
overloads(F...) -> overloads<F...>;

template <class F>
decltype(auto) visit(const network& net, F&& f) {
  check_stack();
  return std::visit([&](const auto* one) -> decltype(auto) { return f(*one); }, net.root()->kind());
}

// The networks around a place in a network.
struct surroundings {
  bool in_split = false, in_star = false, in_loop = false;
  bool branches_end = false;  // of a split around it
  void meet(const network& around) {
    const auto* const split = as<split_node>(around);
    in_split = in_split || split;
    branches_end = branches_end || (split && split->last);
    in_star = in_star || as<star_node>(around);
    in_loop = in_loop || as<star_node>(around) || as<feedback_node>(around);
  }
  // How many invocations of a box may run here at the same time: of a fold one, but in the branches of a split several.
  int widest(const box_spec& box) const { return box.is_fold() && (in_loop || !in_split) ? 1 : box.max_width; }
};

}  // namespace weir::detail
