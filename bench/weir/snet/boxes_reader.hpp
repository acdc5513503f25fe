#pragma once

#include <optional>

#include "bench/weir/snet/boxes_plan.hpp"
#include "runtime/snet/fault_list.hpp"

namespace weir::program {

// Reads a file of boxes (README.md, boxes.schema.json). Every mistake is added to `faults` at its place; nothing is
// returned then. Paths in it are taken from its folder.
std::optional<boxes_plan> read_boxes(const detail::snet::source_text& file, detail::snet::fault_list& faults);

}  // namespace weir::program
