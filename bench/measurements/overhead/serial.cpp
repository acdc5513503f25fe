// Four boxes of 2, 2, 10 and 2 us, and the same ten times as long. The third is serial, so no implementation can be
// faster than one thread that runs this box only: `bound`.

#include <fmt/format.h>

#include <memory>

#include "bench/measurements/overhead/by_fastflow.hpp"
#include "bench/measurements/overhead/by_taskflow.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/timed_boxes.hpp"

namespace weir::overhead {

std::vector<row> serial_rows() {
  std::vector<row> rows;
  for (const int us : {10, 100}) {
    const double others = us / 5.0;
    const auto boxes = std::make_shared<const timed_boxes>(std::vector<double>{others, others, double(us), others}, 2);
    const auto add = [&](const char* impl, sample (*run)(const timed_boxes&, std::int64_t), double seconds) {
      rows.push_back(
          {"serial", fmt::format("{}us", us), impl, [boxes, run](std::int64_t n) { return run(*boxes, n); }, seconds});
    };
    add("weir", run_weir, 0.8);  // it learns at the beginning
    add("flow_graph_sequencer", run_flow_graph_sequencer, 0.3);
    add("parallel_pipeline", run_parallel_pipeline, 0.3);
#ifdef WEIR_HAS_TASKFLOW
    add("taskflow", by_taskflow::run_timed_boxes, 0.3);
#endif
#ifdef WEIR_HAS_FASTFLOW
    add("fastflow", by_fastflow::run_timed_boxes, 0.3);
#endif
    add("loop", run_loop, 0.3);
    add("bound", run_bound, 0.3);
  }
  return rows;
}

}  // namespace weir::overhead
