#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace weir::flow_accuracy {

// A network and what it is fed with.
struct application {
  std::string name;
  network net;
  std::vector<std::string> components;               // in network order
  std::function<record(std::int64_t number)> input;  // one record makes one result
};

// JPEG encoding of pictures of 128 x 96 at quality 75: eleven components.
application jpeg();

// DES of 4000 blocks at once, each round a component of its own: eighteen components.
application des();

}  // namespace weir::flow_accuracy
