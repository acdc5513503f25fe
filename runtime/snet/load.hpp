#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include <weir/network/network.hpp>
#include <weir/network/registry.hpp>
#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/network_builder.hpp"

namespace weir::detail::snet {

// A network that was read, and the C++ types that its fields have to have; those of others do not matter.
struct loaded {
  network net;
  std::map<std::string, const value_type*, std::less<>> fields;
};

// Makes the network of a text. Errors are added to `faults`, and nothing is returned. With `stubs` a box need not be
// registered; a record that comes to one that is not fails. `remedy` ends the error of one that has to be.
std::optional<loaded> load(const source_text& text, const registry& known, bool stubs, fault_list& faults,
                           const box_remedy& remedy = {});

// A whole file of at most longest_text bytes. Throws std::runtime_error that names it and says why it cannot be read.
std::string read_file(const std::string& path);

}  // namespace weir::detail::snet
