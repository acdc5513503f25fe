#pragma once

#include <string>

#include <weir/network/graph.hpp>

namespace weir::detail {

// A network's graph in Graphviz' DOT language.
std::string dot_of(const network_graph& graph);

}  // namespace weir::detail
