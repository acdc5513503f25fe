#pragma once

#include <cstddef>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/network/network.hpp>
#include <weir/network/resource.hpp>
#include "bench/weir/snet/boxes_plan.hpp"

namespace weir::program {

// A predictor that reads the taken label at `index`, which has this type (null: a tag). `value` is of a tag, integer or
// number, and `kind` of a tag or integer. `file_size` is of a file, or of the one at a path or text. `length` is of a
// text, of bytes, or of a list. Models learn nothing from a file whose size cannot be read.
class placed_predictor {
 public:
  // Throws type_error for a label of another type; its words go on from the label's name.
  placed_predictor(const planned_predictor& by, std::size_t index, const value_type* type);

  const planned_predictor by;
  const detail::box_predictor predictor;
};

// Gives the box these predictors. REQUIRES: at least one.
network with_planned_predictors(const network& box, const std::vector<placed_predictor>& all);

// Says what the box needs of a resource with this total, or without one of its own. `index` and `type` as above, of the
// label of need.by. Throws as placed_predictor does, and as box_network::needs().
network with_planned_need(const network& box, const planned_need& need, const resource& of, std::size_t index,
                          const value_type* type);

}  // namespace weir::program
