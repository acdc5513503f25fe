// A scenario, as read by simulate, with the network that the first seed draws. An accepted small scenario also runs:
// the best possible, two policies, and on machines its prediction. A run may refuse it, too, but ends.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/weir/simulate/scenario_file.hpp"
#include "scheduler/predict/placement_advice.hpp"
#include "scheduler/simulate/hindsight.hpp"
#include "tests/fuzz/input_path.hpp"

using namespace weir;
using namespace weir::simulation;

namespace {

// The same with few records in each phase.
scenario with_few_records(scenario of) {
  constexpr std::uint64_t in_phase = 20;
  for (std::size_t j = 0; j < of.phase_starts.size(); ++j) of.phase_starts[j] = in_phase * j;
  of.records = in_phase * of.phase_starts.size();
  return of;
}

bool is_small(const scenario& of) {
  constexpr double most_invocations = 2000;
  const std::vector<double> visits = visits_of(of, of.all_links());
  return of.cores <= 16 && of.components.size() <= 6 && of.phase_starts.size() <= 4 && !of.changes_routing() &&
         std::accumulate(visits.begin(), visits.end(), 0.0) * static_cast<double>(of.records) < most_invocations;
}

void run_all(const scenario& of) {
  of.validate();
  regret_of(of, 1);
  run(of, 1, {equal_shares{}});
  run(of, 1, {adaptive{}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const input_path file(data, size);
  try {
    program::scenario_file read = program::read_scenario(file.text(), {});
    if (read.drawn) return 0;
    read.fixed = with_few_records(read.fixed);
    if (!is_small(read.fixed)) return 0;
    if (!read.machines) {
      run_all(read.fixed);
    } else if (read.machines->machines() <= 4 && read.machines->all_cores() <= 16) {
      const placed_scenario placed = read.on_machines();
      placed.validate();
      advise_placement(model_of(placed));
      run_all(spread_over_machines(placed));
    }
  } catch (const program::bad_input&) {
  } catch (const std::invalid_argument&) {  // by a run
  }
  return 0;
}
