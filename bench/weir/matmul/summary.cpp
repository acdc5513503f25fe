#include "bench/weir/matmul/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include <weir/options/saved_models.hpp>
#include "bench/weir/matmul/emulated_network.hpp"

namespace weir::program {

learnt_summary learnt_from(const std::vector<const timed_run*>& runs, measured_time time) {
  const timed_run& last = *runs.back();
  std::vector<std::unique_ptr<estimator>> models;
  learnt_summary learnt;
  for (const std::string& name : last.report.names) {
    const saved_model& saved = last.models.at(name);
    models.push_back(estimator_of(saved));
    learnt.components.push_back({name, models.back()->describe(), {}});
  }

  std::map<std::tuple<std::uint32_t, double, int>, std::vector<double>> cells;
  for (const timed_run* run : runs)
    for (const observation& o : run->observations) {
      const double x = models[o.component]->x_of(o);
      std::vector<double>& cell = cells[{o.component, x, o.cores}];
      if (!is_usable(o)) continue;
      const double seconds = cost_of(o, time);
      cell.push_back(seconds);
      const double predicted = models[o.component]->predict(x, o.cores).mean;
      learnt.components[o.component].errors.push_back(100 * std::abs(predicted - seconds) / seconds);
    }
  for (const auto& [key, cell] : cells) {
    const auto& [component, x, cores] = key;
    const double sum = std::accumulate(cell.begin(), cell.end(), 0.0);
    learnt.rows.push_back({learnt.components[component].name, x, cores, cell.size(),
                           sum / static_cast<double>(cell.size()), quantile(cell, 0.5),
                           models[component]->predict(x, cores).mean});
  }
  return learnt;
}

expected_seconds expected_of(const matmul_plan& plan) {
  const int cores = plan.machine.size();
  double most = 0, least = 0;
  for (const std::int64_t input : plan.inputs) {
    const auto x = static_cast<double>(input);
    // A product by kernel naive on one core of the machine in README.md; the other kernels take about as long.
    const double product = 4.4e-10 * x * x * x;
    most += plan.emulated ? equal_bottleneck(cores, x) : product;
    least += plan.emulated ? best_bottleneck(cores, plan.max_width, x) : product / cores;
  }
  return {least * plan.total_runs(), most * plan.total_runs()};
}

const timed_run& shown_run(const std::vector<timed_run>& runs) {
  const auto adaptive =
      std::find_if(runs.rbegin(), runs.rend(), [](const timed_run& r) { return r.name == "adaptive"; });
  return adaptive == runs.rend() ? runs.back() : *adaptive;
}

emulated_summary emulated_summary_of(const matmul_plan& plan, const timed_run& run) {
  const double sum = std::accumulate(plan.inputs.begin(), plan.inputs.end(), 0.0);
  const double x = sum / static_cast<double>(plan.inputs.size());
  const int cores = plan.machine.size();
  emulated_summary s;
  s.best = best_bottleneck(cores, plan.max_width, x);
  s.equal = equal_bottleneck(cores, x);

  std::vector<std::vector<double>> ends(run.report.names.size());
  for (const observation& o : run.observations) ends[o.component].push_back(o.start + o.seconds);
  double through = 0;
  for (std::vector<double>& of : ends) {
    std::sort(of.begin(), of.end());
    through = std::max(through, of.size() < emulated_summary::records ? std::numeric_limits<double>::infinity()
                                                                      : of[emulated_summary::records - 1]);
  }
  const decision* in_force = nullptr;
  for (const decision& d : run.report.decisions)
    if (!in_force || d.time <= through) in_force = &d;
  s.reached = true_bottleneck(in_force->to, x);
  s.allotment = to_string(in_force->to, run.report.names);
  return s;
}

}  // namespace weir::program
