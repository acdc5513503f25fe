#pragma once

#include <memory>
#include <vector>

#include "runtime/box_stage.hpp"
#include "runtime/network.hpp"
#include "runtime/observer.hpp"
#include "runtime/order_stages.hpp"
#include "runtime/stage.hpp"

namespace weir::detail {

// An initialiser, and the ordered networks it is in, from the outermost on.
struct source_place {
  box_stage* box;
  std::vector<order_exit_stage*> within;
};

// A network expression laid out as stages: one for each entity at each place where it is written. What unfolds while a
// network runs are scopes.
struct unfolded {
  std::vector<std::unique_ptr<component_state>> components;  // boxes of one name are one; in order of first appearance
  std::vector<std::unique_ptr<level>> levels;                // the first is the outermost
  std::vector<std::unique_ptr<stage>> stages;  // whatever leads to a stage stands before it, but for ways back
  std::vector<source_place> sources;
  std::vector<observer*> observers;
  stage* entry = nullptr;
};

// Throws type_error when two different boxes have one name, or one field name has two types.
unfolded unfold(run_state& run, const network& net, stage& exit);

}  // namespace weir::detail
