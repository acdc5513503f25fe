#include <weir/network/graph.hpp>

#include <array>
#include <utility>

#include "runtime/network/nodes.hpp"

namespace weir {
namespace detail {
namespace {

using node_kind = network_graph::node_kind;
using group_kind = network_graph::group_kind;

node_kind kind_of(const box_spec& box) {
  return box.initialiser ? node_kind::source : box.is_fold() ? node_kind::fold : node_kind::box;
}

class graph_drawing {
 public:
  network_graph of(const network& net) {
    const std::size_t in = point(node_kind::input, "in");
    const ends all = draw(net);
    const std::size_t out = point(node_kind::output, "out");
    arrow(in, all.first);
    arrow(all.second, out);
    return std::move(graph_);
  }

 private:
  using ends = std::pair<std::size_t, std::size_t>;  // the first and the last node of a drawn part

  ends draw(const network& net) {
    return visit(net,
                 overloads{
                     [&](const bypass_node&) { return both(point(node_kind::bypass, "[]")); },
                     [&](const filter_node& n) { return both(point(node_kind::filter, n)); },
                     [&](const sync_node& n) { return both(point(node_kind::sync, n)); },
                     [&](const box_node& n) { return both(point(kind_of(*n.spec), n, n.spec->name)); },
                     [&](const serial_node& n) { return chain(n); },
                     [&](const choice_node& n) { return choice(n); },
                     [&](const star_node& n) { return frame(group_kind::star, "* " + to_string(n.exits), n.body); },
                     [&](const split_node& n) { return frame(group_kind::split, "! " + n.of(), n.body); },
                     [&](const feedback_node& n) {
                       const ends body = frame(group_kind::feedback, "\\ " + to_string(n.back), n.body);
                       arrow(body.second, body.first, true);
                       return body;
                     },
                     [&](const ordered_node& n) { return frame(group_kind::ordered, "ordered", n.inner); },
                     [&](const named_node& n) { return frame(group_kind::named, n.given, n.inner); },
                     [&](const wrapped_node& n) { return draw(n.inner); },
                 });
  }

  static ends both(std::size_t point) { return {point, point}; }

  std::size_t point(node_kind kind, std::string label, std::string component = {}) {
    graph_.nodes.push_back({kind, std::move(label), std::move(component), group_});
    return graph_.nodes.size() - 1;
  }
  std::size_t point(node_kind kind, const node& written, std::string component = {}) {
    return point(kind, written.notation(), std::move(component));
  }

  void arrow(std::size_t from, std::size_t to, bool back = false) { graph_.edges.push_back({from, to, back}); }

  ends chain(const serial_node& row) {
    ends all;
    bool is_first = true;
    row.each([&](const network& part) {
      const ends one = draw(part);
      if (std::exchange(is_first, false))
        all.first = one.first;
      else
        arrow(all.second, one.first);
      all.second = one.second;
      return true;
    });
    return all;
  }

  ends choice(const choice_node& row) {
    const ends all{point(node_kind::choice, "|"), point(node_kind::merge, "")};
    row.each([&](const network& branch) {
      const ends one = draw(branch);
      arrow(all.first, one.first);
      arrow(one.second, all.second);
      return true;
    });
    return all;
  }

  ends frame(group_kind kind, std::string label, const network& inside) {
    const int around = std::exchange(group_, static_cast<int>(graph_.groups.size()));
    graph_.groups.push_back({kind, std::move(label), around});
    const ends all = draw(inside);
    group_ = around;
    return all;
  }

  network_graph graph_;
  int group_ = network_graph::outermost;
};

}  // namespace
}  // namespace detail

network_graph graph_of(const network& net, std::size_t most) {
  // A network may share its parts: unfolded, it can be far larger than it is in memory.
  if (net.root()->entities <= most) return detail::graph_drawing().of(net);
  network_graph none;
  none.left_out = net.root()->entities;
  return none;
}

const char* to_string(network_graph::node_kind kind) {
  constexpr std::array names{"input", "output", "box", "source", "fold", "filter", "sync", "bypass", "choice", "merge"};
  return names[static_cast<std::size_t>(kind)];
}

const char* to_string(network_graph::group_kind kind) {
  constexpr std::array names{"star", "split", "feedback", "ordered", "named"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace weir
