#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <weir/network/registry.hpp>
#include "bench/weir/snet/bound_boxes.hpp"
#include "runtime/snet/load.hpp"

namespace weir::program {

// A text on disk, and the libraries and files of boxes (*.json) that it may use, as typed.
struct snet_files {
  std::string text;
  std::vector<std::string> boxes;
  std::vector<std::string> isolated;  // boxes of libraries that are to run in processes of their own
};

// A network that was read, and what its boxes come from.
struct snet_network {
  registry known;
  detail::snet::loaded made;        // with the fields of files of boxes, too
  std::deque<bound_boxes> bound{};  // files of boxes
};

// The network; null when text or files of boxes have errors, which were printed on standard error then. With `stubs`,
// boxes need not be registered, and programs need not be there. Throws bad_input when a file cannot be read, or a
// library cannot be used.
std::optional<snet_network> network_of(const snet_files& files, bool stubs);

// A whole file, or bad_input.
std::string text_of(const std::string& path);

}  // namespace weir::program
