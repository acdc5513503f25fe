#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::flow_accuracy {

// A synthetic streaming application, as data: what a model of flows is tried on, and what a run of boxes that do
// nothing but take their time is built from.

struct drawn_component {
  double mean_seconds;  // of one message; the times themselves are exponentially distributed
};

struct drawn_stream {
  std::size_t from, to;  // components
  int message_bytes;
};

// Components are numbered along the streams: each leads to a higher number. Component 0 is the only source, the last
// the only sink; all others have 1 to 4 streams in and 1 to 4 out, source and sink on their one side. No two streams
// join the same two components. A value.
struct drawn_network {
  std::vector<drawn_component> components;
  std::vector<drawn_stream> streams;
};

// A network of that many components, drawn as TGFF draws task graphs (R. P. Dick, D. L. Rhodes, W. Wolf, TGFF: Task
// Graphs for Free, CODES 1998): from the source on, with equal chances, either a component that has no successor gets
// 1 to 4, or 1 to 4 components that have fewer than 4 get one in common. Ours ends with a single sink: as many
// components as that takes are kept back, and join what has no successor, four at a time.
//
// Times and sizes are those of the evaluation of Beard, Chamberlain & Franklin (Simple Analytic Performance Models for
// Streaming Data Applications): 20 us, for each component up to 10 % more or less, and 1 to 64 bytes; uniformly.
//
// Drawn from std::mt19937_64 seeded with `seed`, the same with every compiler and library. Throws std::invalid_argument
// for fewer than 2 components.
drawn_network draw_network(std::size_t components, std::uint64_t seed);

// The 40 networks of that evaluation: 3 to 82 components, evenly spread, each with a seed of its own.
std::vector<drawn_network> draw_networks(std::uint64_t seed);

}  // namespace weir::flow_accuracy
