#pragma once

#include "runtime/engine/entity.hpp"
#include "runtime/engine/inlet_gate.hpp"

namespace weir::detail {

// Bounds the number of branches that `until` ended and that wait for their end. They wait for the end handler of a
// fold, or for an invocation with the rest of a fixed batch. An entity of the branches puts a record for each into the
// unbounded inlet of another entity. It takes no new records while more wait there than its stream holds. Each of the
// two heads a region. Thread-safe.
//
// No wait closes a circle. The other entity is behind the first, or counts as behind it. It waits only for entities
// behind it, up to the unbounded inlet of a loop. A helper runs readers of channels that may be full,
// and the way back of a loop is none. So on the stack of a thread each invocation is behind those beneath it. Without
// threads a box that waits for room runs any region on its own stack, so the gate stays open there.
class end_gate {
 public:
  end_gate(const entity& from, const entity& behind) : from_(from), behind_(behind) {}

  // Before the run starts, once the region in front exists, and once the one behind does.
  void set_in_front(bool has_threads) {
    if (has_threads) from_.own_region->in().set_gate([this] { return gate_.is_shut([this] { return is_above(); }); });
  }
  void set_behind() {
    behind_.own_region->unbounded()->set_taken(
        [this] { gate_.look_again(*from_.own_region, [this] { return is_above(); }); });
  }

 private:
  bool is_above() const { return behind_.own_region->unbounded()->size() > from_.own_region->inlet().limit(); }

  const entity &from_, &behind_;
  inlet_gate gate_;
};

}  // namespace weir::detail
