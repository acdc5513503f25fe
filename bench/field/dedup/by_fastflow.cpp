// The stages as nodes and ordered farms of a FastFlow pipeline.
#include "bench/field/common/fastflow_pipeline.hpp"
#include "bench/field/dedup/ways.hpp"

namespace weir::field_bench::dedup {

bytes by_fastflow(const bytes& input, const job& what, int threads) {
  bytes archive;
  seen_before seen;
  std::size_t next = 0;
  fastflow_pipeline<block> all(
      threads, [&] { return next < block_count(input, what) ? nth_block(input, what, next++) : nullptr; });
  all.ordered_farm([&](block& b) { cut(b, what), hash(b, what); });
  all.serial([&](block& b) { seen.mark(b, what); });
  all.ordered_farm([](block& b) { compress(b); });
  all.serial([&](block& b) { append(archive, b, what); });
  all.run();
  return archive;
}

}  // namespace weir::field_bench::dedup
