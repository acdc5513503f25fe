#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "examples/images/picture_files.hpp"

namespace examples::images {

struct settings {
  int radius = 4;    // of the blur
  int factor = 2;    // by which a side shrinks
  int quality = 85;  // of the copy
};

// Called with the number of a picture and the file of its copy, in the order of the pictures, one call at a time.
using writer = std::function<void(std::size_t picture, const std::vector<std::uint8_t>& copy)>;

// Both do the same: read, decode, blur, shrink and encode each picture and hand the copy over. A picture that cannot be
// processed is left out; the result names each with the reason, as "name: reason". An exception of `write` ends
// everything, and they throw it.
std::vector<std::string> by_weir(const picture_files& pictures, const settings& with, const writer& write);
std::vector<std::string> by_pipeline(const picture_files& pictures, const settings& with, const writer& write);

}  // namespace examples::images
