#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weir/network/resource.hpp>
#include "runtime/entities/component_state.hpp"
#include "runtime/machine/resource_ledger.hpp"

namespace weir::detail {

// Opens the accounts of the resources that the components need. A total comes from `given`, option `resources`, or else
// from the boxes; "memory" has one by itself (memory_limit()). Returns the names in `given` that no component needs.
// Throws std::invalid_argument, naming the resource, where there is no total, and for two different ones.
std::vector<std::string> open_resources(const std::vector<std::unique_ptr<component_state>>& components,
                                        const std::vector<resource>& given, resource_ledger& ledger);

}  // namespace weir::detail
