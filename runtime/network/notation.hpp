#pragma once

#include <string>

#include <weir/network/network.hpp>

namespace weir::detail {

// A network in S-Net's notation: the definitions of its boxes and groups if it has groups, a line each, and then the
// network itself.
std::string notation_of(const network& net);

}  // namespace weir::detail
