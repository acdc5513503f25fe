#include "runtime/engine/stage_positions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/engine/stage.hpp"

namespace weir::detail {

namespace {

// A stage on the way of the walk, and the successors that are still to be walked to, the next one last.
struct on_the_way {
  stage* here;
  std::vector<stage*> left;
};

}  // namespace

// The order of the stream is the reversed postorder of a walk that takes the last successor first. The other one comes
// of a walk that takes the first one first. Steps back to the entry of a loop are left out.
void set_positions(const std::vector<std::unique_ptr<stage>>& stages) {
  std::vector<bool> is_seen(stages.size(), false);
  std::vector<on_the_way> way;
  auto number = static_cast<std::uint32_t>(stages.size());
  const auto enter = [&](stage& s) {
    is_seen[s.index] = true;
    way.push_back({&s, s.successors()});
    std::reverse(way.back().left.begin(), way.back().left.end());
  };
  const auto is_one_of_these = [&](const stage& s) { return s.index < stages.size() && stages[s.index].get() == &s; };
  for (const auto& first : stages) {
    if (is_seen[first->index]) continue;
    enter(*first);
    while (!way.empty()) {
      on_the_way& last = way.back();
      if (last.left.empty()) {
        last.here->position = {static_cast<std::uint32_t>(last.here->index), --number};
        way.pop_back();
        continue;
      }
      stage* const to = last.left.back();
      last.left.pop_back();
      if (is_one_of_these(*to) && to->index > last.here->index && !is_seen[to->index]) enter(*to);
    }
  }
}

}  // namespace weir::detail
