#include "bench/weir/explain/explain_options.hpp"

#include "bench/support/bad_input.hpp"
#include "bench/support/host.hpp"
#include "bench/support/number_list.hpp"

namespace weir::program {

explain_plan plan_of(const explain_options& typed) {
  explain_plan plan;
  plan.observations = typed.observations;
  plan.component = typed.component;
  if (typed.clusters != "auto")
    plan.clusters = static_cast<int>(parse_number("--clusters", typed.clusters, 1, explain_plan::most_clusters));
  if (typed.log && typed.linear) throw bad_input("--log and --linear: a time is one or the other");
  plan.log_time = !typed.linear;
  plan.seed = typed.seed;
  plan.json = typed.json;
  parse_machine(typed.machine);  // for its error message
  plan.cores = typed.machine == "local" ? topology::local() : topology::synthetic(typed.machine);
  return plan;
}

}  // namespace weir::program
