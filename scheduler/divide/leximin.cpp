#include "scheduler/divide/leximin.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

using timed = std::pair<double, int>;  // seconds of an item, and the item

// Restores the heap after its top became less. The new value mostly stays near the top. Removing and re-adding it would
// take it to the bottom and up again.
void sink_top(std::vector<timed>& heap) {
  const timed sinking = heap.front();
  std::size_t hole = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * hole + 1) {
    if (child + 1 < heap.size() && heap[child] < heap[child + 1]) ++child;
    if (!(sinking < heap[child])) break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = sinking;
}

}  // namespace

std::vector<int> leximin(const std::vector<core_bounds>& items, int cores,
                         const std::function<double(int item, int cores)>& seconds, served whom) {
  std::vector<int> given(items.size());
  std::vector<timed> slowest(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    assert(items[i].lower <= items[i].upper);
    given[i] = items[i].lower;
    cores -= items[i].lower;
    slowest[i] = {seconds(static_cast<int>(i), given[i]), static_cast<int>(i)};
  }
  assert(cores >= 0);
  std::make_heap(slowest.begin(), slowest.end());
  while (cores > 0 && !slowest.empty()) {  // ends: each round gives a core or settles an item; NaN settles one too
    auto& [now, item] = slowest.front();
    const auto i = static_cast<std::size_t>(item);
    const int most = std::min(items[i].upper, given[i] + std::min(cores, items[i].upper - given[i]));
    int better = given[i] + 1;
    double then = now;
    for (; better <= most; ++better)
      if (then = seconds(item, better); then < now * (1 - relative_rounding)) break;
    if (better <= most) {
      cores -= better - given[i];
      given[i] = better;
      now = then;
      sink_top(slowest);
    } else if (whom == served::slowest_only) {
      break;
    } else {  // settled
      std::pop_heap(slowest.begin(), slowest.end());
      slowest.pop_back();
    }
  }
  return given;
}

}  // namespace weir
