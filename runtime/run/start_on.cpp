#include "runtime/run/start_on.hpp"

#include <string>
#include <utility>

#include <weir/version.hpp>

#include "runtime/machine/this_process.hpp"
#include "runtime/options/run_plan.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/run/run_state.hpp"

namespace weir::detail {

started started::at_first(std::unique_ptr<run_state> run) { return {execution(std::move(run)), std::nullopt}; }

remote::window_limits limits_of(const options& o) {
  remote::window_limits l;
  if (const record_bound streams = plan_of(o).streams; !streams.is_automatic) l.records = streams.records;
  l.reassigns = o.on_failure == on_failure::reassign;
  l.spreads = o.spread_keys;
  l.cores = o.machine.size();
  return l;
}

started start_on(std::shared_ptr<remote::transport> over, const network& net, options o) {
  const remote::window_limits limits = limits_of(o);
  return start_on(std::move(over), net, std::move(o), limits);
}

started start_on(std::shared_ptr<remote::transport> over, const network& net, options o,
                 const remote::window_limits& limits) {
  this_process::refuse_in_child("start");
  this_process::hold_others();
  o.validate();
  const int rank = over->rank();
  auto others = std::make_unique<ranks>(std::move(over), net, std::string(linked_version()), limits);
  auto run = std::make_unique<run_state>(net, std::move(o), std::move(others));
  if (rank == 0) return started::at_first(std::move(run));
  run->others()->serve();
  run_report report = run->report();
  run->environment().errors.throw_if_ended();
  return {std::nullopt, std::move(report)};
}

}  // namespace weir::detail
