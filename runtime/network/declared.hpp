#pragma once

#include <string>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/network/signature.hpp>
#include "runtime/network/node.hpp"

namespace weir::detail {

// Checks that the network may be used as one with these rules. A declared input must have all labels that the network
// needs, and each output all labels of a declared output. Throws type_error otherwise. Returns the declared rules with
// the labels that the network consumes, and those of its initialisers if none is declared for them.
std::vector<signature::rule> check_declared(const std::vector<signature_map>& maps, const node& of,
                                            const std::string& name);

}  // namespace weir::detail
