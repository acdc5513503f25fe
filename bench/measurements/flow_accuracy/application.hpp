#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace weir::flow_accuracy {

// A network and its input.
struct application {
  std::string name;
  network net;
  std::vector<std::string> components;               // in network order
  std::function<record(std::int64_t number)> input;  // one record makes one result
};

// JPEG encoding of pictures of 128 x 96 at quality 75: eleven components.
application jpeg();

// DES of 4000 blocks per record, with each round as its own component: eighteen components.
application des();

}  // namespace weir::flow_accuracy
