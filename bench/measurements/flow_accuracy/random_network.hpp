#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::flow_accuracy {

// A synthetic streaming application, as data: input for models of flows, and a plan for networks of boxes that only
// take their time.

struct random_component {
  double mean_seconds;  // of one message; the times are exponentially distributed
};

struct random_stream {
  std::size_t from, to;  // components
  int message_bytes;
};

// Components are numbered along the streams: each stream leads to a higher number. Component 0 is the only source, the
// last one the only sink. All others have 1 to 4 streams in and 1 to 4 out; source and sink have as many on their one
// side. No two streams join the same two components. A value.
struct random_network {
  std::vector<random_component> components;
  std::vector<random_stream> streams;
};

// A network of `components` components, drawn as TGFF draws task graphs (R. P. Dick, D. L. Rhodes, W. Wolf, TGFF: Task
// Graphs for Free, CODES 1998). It grows from the source by two steps with equal chances. Either a component without
// successors gets 1 to 4, or 1 to 4 components with fewer than 4 successors get a common one. Unlike TGFF's, the
// network ends in a single sink. The components needed for that are reserved; they join components without successors,
// four at a time.
//
// Times and sizes are those of Beard, Chamberlain & Franklin (Simple Analytic Performance Models for Streaming Data
// Applications). A component takes 20 us, varied uniformly by up to 10 %. Messages have 1 to 64 bytes, uniformly.
//
// Drawn from std::mt19937_64 seeded with `seed`, the same with every compiler and library. Throws std::invalid_argument
// for fewer than 2 components.
random_network draw_network(std::size_t components, std::uint64_t seed);

// The 40 networks of that evaluation: 3 to 82 components, evenly spread, with different seeds.
std::vector<random_network> draw_networks(std::uint64_t seed);

}  // namespace weir::flow_accuracy
