#include "runtime/network/dot.hpp"

#include <vector>

namespace weir::detail {
namespace {

std::string quoted(const std::string& text) {
  std::string q = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') q += '\\';
    q += c;
  }
  return q + "\"";
}

const char* shape_of(network_graph::node_kind kind) {
  using node_kind = network_graph::node_kind;
  switch (kind) {
    case node_kind::filter:
      return "note";
    case node_kind::sync:
      return "component";
    case node_kind::choice:
      return "diamond";
    case node_kind::merge:
      return "point";
    case node_kind::input:
    case node_kind::output:
    case node_kind::bypass:
      return "plaintext";
    default:
      return "box";
  }
}

std::string name_of(std::size_t node) { return "n" + std::to_string(node); }

}  // namespace

std::string dot_of(const network_graph& graph) {
  std::string text = "digraph weir {\n  rankdir=LR;\n";
  // Nodes are in the order of the notation, and so are groups: a group opens before its first node, and closes before
  // the next node that lies outside of it.
  std::vector<int> open;
  std::size_t next_group = 0;
  const auto is_in = [&](int group, int in) {
    while (group > in) group = graph.groups[static_cast<std::size_t>(group)].parent;
    return group == in;
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const network_graph::node& n = graph.nodes[i];
    for (; !open.empty() && !is_in(n.group, open.back()); open.pop_back()) text += "  }\n";
    for (; static_cast<int>(next_group) <= n.group; ++next_group) {
      text += "  subgraph cluster" + std::to_string(next_group) +
              " {\n  label=" + quoted(graph.groups[next_group].label) + ";\n";
      open.push_back(static_cast<int>(next_group));
    }
    text += "  " + name_of(i) + " [shape=" + shape_of(n.kind) + ", label=" + quoted(n.label) + "];\n";
  }
  for (const network_graph::edge& e : graph.edges) text += "  " + name_of(e.from) + " -> " + name_of(e.to) + ";\n";
  return text + "}\n";
}

}  // namespace weir::detail
