#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weir/network/registry.hpp>
#include "runtime/snet/load.hpp"

namespace weir::program {

// A text on disk and the libraries that it may use, as typed.
struct snet_files {
  std::string text;
  std::vector<std::string> libraries;
};

// The boxes of the libraries. Throws bad_input that names the library and says why it cannot be used.
registry boxes_of(const snet_files& files);

// The network; null when the text has errors, which were printed on standard error then. With `stubs`, boxes need not
// be registered. Throws bad_input when the file cannot be read.
std::optional<detail::snet::loaded> network_of(const snet_files& files, const registry& known, bool stubs);

// A whole file, or bad_input.
std::string text_of(const std::string& path);

}  // namespace weir::program
