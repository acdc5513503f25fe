#pragma once

#include <memory>
#include <vector>

namespace weir::detail {

class entity;

// Before the run starts: sets the position of each entity. REQUIRES: `entities` are in the order of the stream, and
// each knows its index.
void set_positions(const std::vector<std::unique_ptr<entity>>& entities);

}  // namespace weir::detail
