#pragma once

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <functional>
#include <memory>

#include <weir/record/record.hpp>

namespace weir::program {

// An item of a free-for-all on its way.
template <class Item>
using held = std::shared_ptr<Item>;

// A stage of it: `change` is called with many items at the same time.
template <class Item, class Change>
tbb::filter<held<Item>, held<Item>> pipeline_stage(Change change) {
  return tbb::make_filter<held<Item>, held<Item>>(tbb::filter_mode::parallel, [change](const held<Item>& i) {
    change(*i);
    return i;
  });
}

// A free-for-all: while sent(0), sent(1), .. hold, items begin(0), begin(1), .. go through the stages and end, in
// order, as records. One shared arena with as many threads as cores runs all parallelism: the pipeline and its stages.
// There are four items in flight per core, as in oneTBB's examples.
template <class Item>
void run_as_pipeline(int cores, const std::function<Item(std::size_t)>& begin,
                     const tbb::filter<held<Item>, held<Item>>& stages, const std::function<record(Item&)>& end,
                     const std::function<bool(std::size_t)>& sent, const std::function<void(record)>& result) {
  std::size_t next = 0;
  const auto input = [&](tbb::flow_control& control) -> held<Item> {
    if (!sent(next)) {
      control.stop();
      return nullptr;
    }
    return std::make_shared<Item>(begin(next++));
  };
  const auto output = [&](const held<Item>& i) { result(end(*i)); };
  const auto in_order = tbb::filter_mode::serial_in_order;
  tbb::task_arena arena(cores);
  arena.execute([&] {
    tbb::parallel_pipeline(static_cast<std::size_t>(4 * cores),
                           tbb::make_filter<void, held<Item>>(in_order, input) & stages &
                               tbb::make_filter<held<Item>, void>(in_order, output));
  });
}

}  // namespace weir::program
