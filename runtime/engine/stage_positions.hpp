#pragma once

#include <memory>
#include <vector>

namespace weir::detail {

class stage;

// Before the run starts: sets the position of each stage. REQUIRES: `stages` are in the order of the stream, and each
// knows its index.
void set_positions(const std::vector<std::unique_ptr<stage>>& stages);

}  // namespace weir::detail
