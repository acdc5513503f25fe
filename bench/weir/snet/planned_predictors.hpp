#pragma once

#include <string>

#include <weir/network/network.hpp>
#include <weir/network/resource.hpp>
#include "bench/weir/snet/boxes_plan.hpp"

namespace weir::program {

// Gives the box this predictor. It reads the taken label at `index`, which has this type (null: a tag).
// `value` is of a tag, integer or number; `file_size` of a file, or of the one at a path or text; `length` of a text,
// bytes, or a list. Throws type_error for a label of another type; its words go on
// from the label's name. Models learn nothing from a file whose size cannot
// be read.
network with_planned_predictor(const network& box, const planned_predictor& by, std::size_t index,
                               const value_type* type);

// Says what the box needs of a resource with this total, or without one of its own. `index` and `type` as above, of the
// label of need.by. Throws as with_planned_predictor() does, and as box_network::needs().
network with_planned_need(const network& box, const planned_need& need, const resource& of, std::size_t index,
                          const value_type* type);

}  // namespace weir::program
