#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/box_spec.hpp"
#include "runtime/network.hpp"

namespace weir::detail {

// One place of a box in the unfolded network.
struct unfolded_box {
  std::string path;  // ":S2": the second of a serial composition; ":S2:S1" inside a group
  std::shared_ptr<const box_spec> spec;
  std::size_t component;  // boxes of one name are one component; numbered in order of first appearance
};

// The boxes of a network in the order of the stream. Throws type_error when two different boxes have one name, or one
// field name has two types.
std::vector<unfolded_box> unfold(const network& net);

}  // namespace weir::detail
