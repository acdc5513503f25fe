// Two networks of four boxes of 10 us in one process, each with half of the records: at the same time, or one after the
// other. The clock runs from before both are made until both are gone.

#include <future>
#include <memory>

#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/timed_boxes.hpp"

namespace weir::overhead {
namespace {

using runner = sample (*)(const timed_boxes&, std::int64_t records);

// Each checks its own answers.
sample run_two(runner run, const timed_boxes& boxes, std::int64_t records, std::launch when) {
  const usage before = usage_now();
  std::future<sample> other = std::async(when, run, std::cref(boxes), records / 2);
  run(boxes, records - records / 2);
  other.get();
  return sample_of(before, usage_now(), records);
}

}  // namespace

std::vector<row> two_runs_rows() {
  std::vector<row> rows;
  const auto boxes = std::make_shared<const timed_boxes>(std::vector<double>(4, 10));
  const auto add = [&](const char* impl, runner run, std::launch when, double seconds) {
    rows.push_back({"two_runs", "10us", impl, [=](std::int64_t n) { return run_two(run, *boxes, n, when); }, seconds});
    rows.back().least_records = 2;
  };
  constexpr auto same_time = std::launch::async, in_turn = std::launch::deferred;
  add("weir", run_weir, same_time, 1.55);
  add("weir_in_turn", run_weir, in_turn, 1.55);
  add("parallel_pipeline", run_parallel_pipeline, same_time, 0.3);
  add("shared_loop", run_shared_loop, same_time, 0.3);
  add("two_loops", run_loop, same_time, 0.3);
  add("loop", run_loop, in_turn, 0.3);
  return rows;
}

}  // namespace weir::overhead
