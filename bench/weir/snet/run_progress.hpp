#pragma once

#include <weir/run/execution.hpp>
#include "bench/support/progress_bar.hpp"
#include "bench/weir/snet/record_source.hpp"

namespace weir::program {

// A line on standard error that says how far a run is: "12 results, 1 failed of 40 inputs". Its bar has the part of the
// input whose records have come out, failed or ended; where a record becomes several, the part that was sent. For one
// thread at a time.
class run_progress {
 public:
  // Refers to all of these. `from` null: there is no input.
  run_progress(const execution& run, const record_source* from, bool wanted);

  void draw_if_due();
  void end();  // on a terminal the line goes; elsewhere the last one is written

 private:
  void reach();

  const execution& run_;
  const record_source* from_;
  progress_bar bar_;
};

}  // namespace weir::program
