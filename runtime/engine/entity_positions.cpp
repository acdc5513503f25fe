#include "runtime/engine/entity_positions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/engine/entity.hpp"

namespace weir::detail {

namespace {

// An entity on the way of the walk, and the successors that are still to be walked to, the next one last.
struct on_the_way {
  entity* here;
  std::vector<entity*> left;
};

}  // namespace

// The order of the stream is the reversed postorder of a walk that takes the last successor first. Taking the first
// successor first gives the opposite order of parallel branches. Steps back to the entry of a loop are left out.
void set_positions(const std::vector<std::unique_ptr<entity>>& entities) {
  std::vector<bool> is_seen(entities.size(), false);
  std::vector<on_the_way> way;
  auto number = static_cast<std::uint32_t>(entities.size());
  const auto enter = [&](entity& s) {
    is_seen[s.index] = true;
    way.push_back({&s, s.successors()});
    std::reverse(way.back().left.begin(), way.back().left.end());
  };
  const auto is_one_of_these = [&](const entity& s) {
    return s.index < entities.size() && entities[s.index].get() == &s;
  };
  for (const auto& first : entities) {
    if (is_seen[first->index]) continue;
    enter(*first);
    while (!way.empty()) {
      on_the_way& last = way.back();
      if (last.left.empty()) {
        last.here->position = {static_cast<std::uint32_t>(last.here->index), --number};
        way.pop_back();
        continue;
      }
      entity* const to = last.left.back();
      last.left.pop_back();
      if (is_one_of_these(*to) && to->index > last.here->index && !is_seen[to->index]) enter(*to);
    }
  }
}

}  // namespace weir::detail
