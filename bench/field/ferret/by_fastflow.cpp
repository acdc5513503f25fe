// The stages as farms of a FastFlow pipeline.
#include "bench/field/common/fastflow_pipeline.hpp"
#include "bench/field/ferret/schedule.hpp"
#include "bench/field/ferret/ways.hpp"

namespace weir::field_bench::ferret {

outcome by_fastflow(const workload& what, const picture_index& in, int threads) {
  schedule times(what);
  std::size_t next = 0;
  fastflow_pipeline<query> all(threads, [&] { return next < what.queries ? times.wait_for(next++) : nullptr; });
  all.farm(segment);
  all.farm(extract);
  all.farm([&](query& q) { look_up(q, in); });
  all.farm([&](query& q) {
    rank(q, in);
    times.done(q);
  });
  all.run();
  return times.end();
}

}  // namespace weir::field_bench::ferret
