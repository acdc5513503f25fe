#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <weir/network/network.hpp>

namespace [[gnu::visibility("default")]] weir {

// A network as a directed graph, to be drawn. Plain data; what belongs together is told by index. network::dot() is
// made from it, and so is the picture on the page of a run.
struct network_graph {
  // The part of a network that a node stands for.
  enum class node_kind { input, output, box, source, fold, filter, sync, bypass, choice, merge };
  // The part of a network that a frame around nodes stands for.
  enum class group_kind { star, split, feedback, ordered, named };
  static constexpr int outermost = -1;  // the group of nodes in no frame

  // A box, a filter, or another thing that records reach.
  struct node {
    node_kind kind{};       // its kind
    std::string label;      // as the network is written: a box's name and labels, a filter's clauses
    std::string component;  // the name in reports; empty: no box
    int group = outermost;  // that it lies in
  };

  // A frame around nodes and other frames.
  struct group {
    group_kind kind{};       // its kind
    std::string label;       // "* {<done>}", "! <k>", a name
    int parent = outermost;  // the frame that it lies in
  };

  // The way of records from one node to another.
  struct edge {
    std::size_t from = 0, to = 0;  // nodes
    bool back = false;             // the way back of a feedback
  };

  std::vector<node> nodes;    // in the order in which the network is written; input first, output last
  std::vector<group> groups;  // told by their index, as nodes are
  std::vector<edge> edges;    // the ways that records can take
  std::size_t left_out =
      0;  // boxes, filters, synchrocells and bypasses, when they are too many; then nothing else is here
};

// The names of the kinds, such as "box" and "star".
const char* to_string(network_graph::node_kind kind);
const char* to_string(network_graph::group_kind kind);

// The graph of a network; of one with more than `most` boxes, filters, synchrocells and bypasses, only their number.
// Throws std::bad_alloc.
network_graph graph_of(const network& net, std::size_t most = static_cast<std::size_t>(-1));

}  // namespace weir
