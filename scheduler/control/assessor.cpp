#include "scheduler/control/assessor.hpp"

namespace weir {
namespace {

// All but the invocations, of which the last one stays.
component_view without_invocations(const component_view& c) {
  // Names every member, so that none that is added is forgotten.
  const auto& [name, model, recent, inputs, inputs_seen, next_inputs, next_inputs_seen, invocations, since_move,
               together, most_together, visits, arrival_rate, queue_length, instances, min_cores, max_cores, max_width,
               limited_by, sequential, runs_inline, blocking, time_factor, kind_factors, priority] = c;
  return {name,
          model,
          recent.empty() ? recent : decltype(c.recent){recent.back()},
          inputs,
          inputs_seen,
          next_inputs,
          next_inputs_seen,
          invocations,
          since_move,
          together,
          most_together,
          visits,
          arrival_rate,
          queue_length,
          instances,
          min_cores,
          max_cores,
          max_width,
          limited_by,
          sequential,
          runs_inline,
          blocking,
          time_factor,
          kind_factors,
          priority};
}

}  // namespace

system_view without_samples(const system_view& view, const policy& rule) {
  if (rule.reads_invocations()) return view;
  const auto& [components, links, arrival_rate, machine, cores, current, in_force_since, time, needs_shared, move_cost,
               latencies, left_since_move, interference] = view;
  system_view copy{{},   links,        arrival_rate, machine,   cores,           current,     in_force_since,
                   time, needs_shared, move_cost,    latencies, left_since_move, interference};
  copy.components.reserve(components.size());
  for (const component_view& c : components) copy.components.push_back(c.inputs.empty() ? c : without_invocations(c));
  return copy;
}

}  // namespace weir
