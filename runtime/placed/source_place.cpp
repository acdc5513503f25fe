#include "runtime/placed/source_place.hpp"

#include <utility>

#include "runtime/entities/order_entities.hpp"
#include "runtime/placed/call_entity.hpp"

namespace weir::detail {

void source_place::start(owned_body nothing) const {
  for (order_exit_entity* const exit : within) nothing->order = exit->open(nothing->order);
  if (auto* const call = dynamic_cast<call_entity*>(what)) return call->start(std::move(nothing));
  record_body* const starting = nothing.get();
  if (what->own_region->push(&starting, 1) == 1) nothing.release();
}

}  // namespace weir::detail
