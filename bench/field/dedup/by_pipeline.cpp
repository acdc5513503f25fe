// The stages as filters of a oneTBB pipeline.
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "bench/field/dedup/ways.hpp"

namespace weir::field_bench::dedup {

bytes by_pipeline(const bytes& input, const job& what, int threads) {
  using tbb::filter_mode;
  bytes archive;
  seen_before seen;
  std::size_t next = 0;
  const auto read =
      tbb::make_filter<void, held_block>(filter_mode::serial_in_order, [&](tbb::flow_control& control) -> held_block {
        if (next < block_count(input, what)) return nth_block(input, what, next++);
        control.stop();
        return nullptr;
      });
  const auto stage = [](filter_mode mode, auto change) {
    return tbb::make_filter<held_block, held_block>(mode, [change](const held_block& b) {
      change(*b);
      return b;
    });
  };
  const auto all = read & stage(filter_mode::parallel, [&](block& b) { cut(b, what), hash(b, what); }) &
                   stage(filter_mode::serial_in_order, [&](block& b) { seen.mark(b, what); }) &
                   stage(filter_mode::parallel, [](block& b) { compress(b); }) &
                   tbb::make_filter<held_block, void>(filter_mode::serial_in_order,
                                                      [&](const held_block& b) { append(archive, *b, what); });
  // With arrivals one more, since the first filter sleeps until the next block.
  const int all_threads = threads + (what.clock ? 1 : 0);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(all_threads));
  tbb::task_arena arena(all_threads);
  arena.execute([&] { tbb::parallel_pipeline(static_cast<std::size_t>(4 * threads), all); });
  return archive;
}

}  // namespace weir::field_bench::dedup
