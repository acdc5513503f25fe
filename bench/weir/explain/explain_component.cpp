#include "bench/weir/explain/explain_component.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

constexpr std::size_t fewest_rows = 20;     // with fewer rows, any feature explains anything
constexpr std::size_t fewest_of_mode = 10;  // rows for each requested mode

}  // namespace

explained_component explained(const observed_run& run, std::uint32_t component, const overlap_sweep& sweep,
                              const explain_plan& plan) {
  explained_component result;
  result.name = run.components[component];
  std::vector<double> seconds;
  for (const invocation& row : run.rows)
    if (row.component == component) seconds.push_back(row.seconds);
  result.invocations = seconds.size();
  result.typical_seconds = quantile(std::move(seconds), 0.5);
  if (result.invocations < fewest_rows) {
    result.notes.push_back(fmt::format("{}: at least {} are needed to tell structure from chance",
                                       counted(result.invocations, "invocation"), fewest_rows));
    return result;
  }
  const component_features seen = features_of(run, component, plan.cores, sweep, plan.log_time);
  result.features = seen.all;
  result.overlaps_left_out = seen.overlaps_left_out;
  if (seen.time_deviation <= 0) {
    result.notes.push_back("every invocation took the same time");
    return result;
  }

  mixture_search search;
  search.seed = plan.seed;
  search.modes = plan.clusters;
  const auto carried = static_cast<int>(std::min(seen.rows.size() / fewest_of_mode, std::size_t{255}));
  search.most_modes = std::min(search.most_modes, carried);
  if (search.modes > carried) {
    search.modes = carried;
    result.notes.push_back(fmt::format("{} carry {} rather than {}", counted(seen.rows.size(), "invocation"),
                                       counted(static_cast<std::uint64_t>(carried), "mode"), plan.clusters));
  }
  const mixture_fit fit = fit_mixture(seen.data, search);
  result.tried = fit.tried;
  result.factors = factors_of(seen, fit.single.modes.front(), result.typical_seconds);
  result.modes = modes_of(seen, fit.model);
  const bool modes_pay = std::any_of(fit.tried.begin(), fit.tried.end(),
                                     [&](const mixture_candidate& c) { return c.gain >= search.least_gain; });
  result.has_structure = !result.factors.empty() || modes_pay;
  return result;
}

}  // namespace weir::program
