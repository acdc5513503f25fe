// Four stateless boxes of 1, 10 and 100 us of pure computation: how much of two cores a stream of them uses. `loop` is
// one thread. Efficiency is the rate over the loop's in the same round, divided by the number of cores.

#include <fmt/format.h>

#include <memory>

#include "bench/measurements/overhead/by_fastflow.hpp"
#include "bench/measurements/overhead/by_taskflow.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/timed_boxes.hpp"

namespace weir::overhead {

std::vector<row> grain_rows() {
  std::vector<row> rows;
  for (const int us : {1, 10, 100}) {
    const auto boxes = std::make_shared<const timed_boxes>(std::vector<double>(4, us));
    // weir's runs are long: it learns at the beginning, and a real stream lasts longer than a benchmark.
    const auto add = [&](const char* impl, sample (*run)(const timed_boxes&, std::int64_t), double seconds) {
      rows.push_back(
          {"grain", fmt::format("{}us", us), impl, [boxes, run](std::int64_t n) { return run(*boxes, n); }, seconds});
    };
    add("weir", run_weir, us == 1 ? 0.8 : 1.55);
    add("flow_graph_sequencer", run_flow_graph_sequencer, 0.3);
    add("parallel_pipeline", run_parallel_pipeline, 0.3);
#ifdef WEIR_HAS_TASKFLOW
    add("taskflow", by_taskflow::run_timed_boxes, 0.3);
#endif
#ifdef WEIR_HAS_FASTFLOW
    add("fastflow", by_fastflow::run_timed_boxes, 0.3);
#endif
    add("shared_loop", run_shared_loop, 0.3);
    add("loop", run_loop, 0.3);
  }
  return rows;
}

}  // namespace weir::overhead
