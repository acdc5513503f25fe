#pragma once

#include <tbb/parallel_pipeline.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/measurements/overhead/item.hpp"

namespace weir::overhead {

// `count` filters in series that each call `change` with an item. REQUIRES: count is at least one.
template <class Item = item, class Change>
tbb::filter<Item*, Item*> filters(int count, tbb::filter_mode mode, Change change) {
  const auto one = [&] {
    return tbb::make_filter<Item*, Item*>(mode, [change](Item* x) {
      change(*x);
      return x;
    });
  };
  tbb::filter<Item*, Item*> all = one();
  for (int i = 1; i < count; ++i) all = all & one();
  return all;
}

// Runs a oneTBB pipeline whose first filter makes items 0, 1, 2, .. and whose last one sees them, both in order.
// `begin` is called before the first item. Items are in a circular buffer and the filters pass their addresses, since
// oneTBB would allocate memory for every item at every filter. The buffer is large enough: no more than `places` are in
// flight and they end in order.
template <class Item = item, class Begin, class Make, class See>
void run_pipeline(std::int64_t records, std::size_t places, Begin begin, Make make,
                  const tbb::filter<Item*, Item*>& between, See see) {
  std::vector<Item> ring(places);
  std::int64_t next = 0;
  const auto source =
      tbb::make_filter<void, Item*>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) -> Item* {
        if (next == records) {
          control.stop();
          return nullptr;
        }
        if (next == 0) begin();
        Item* const x = &ring[static_cast<std::size_t>(next) % places];
        *x = make(next++);
        return x;
      });
  tbb::parallel_pipeline(
      places,
      source & between & tbb::make_filter<Item*, void>(tbb::filter_mode::serial_in_order, [&](Item* x) { see(*x); }));
}

}  // namespace weir::overhead
