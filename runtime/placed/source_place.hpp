#pragma once

#include <vector>

#include "runtime/engine/entity.hpp"

namespace weir::detail {

class order_exit_entity;

// An initialiser, or a part on another rank with initialisers in it, and the ordered networks it is in, from the
// outermost on. Plain data.
struct source_place {
  entity* what;
  std::vector<order_exit_entity*> within;

  // Lets it begin, on a record without labels. Throws std::bad_alloc.
  void start(owned_body nothing) const;
};

}  // namespace weir::detail
