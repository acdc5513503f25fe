#include "bench/weir/compare/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "model/named/estimators.hpp"
#include "scheduler/control/learner.hpp"
#include "scheduler/expect/expectation.hpp"

namespace weir::command {
namespace {

constexpr int samples = 240;                          // of a curve: more than one for every three pixels
constexpr std::size_t recent_most = learner::window;  // as many as a rule's view has

std::vector<timeline::division> divisions_of(const compared_run& run, double end) {
  std::vector<timeline::division> divisions;
  for (const decision& d : run.report.decisions) {
    if (!divisions.empty()) divisions.back().until = d.time;
    timeline::division now{d.time, end, {}, d.to.shared.size(), d.to.shared_host()};
    if (now.host >= 0) now.shared = 0;
    for (const share& s : d.to.components) now.owned.push_back(s.cores.size());
    divisions.push_back(std::move(now));
  }
  return divisions;
}

// The number of results in the window over the time that they took, counted from the result before them. So the curve
// does not jump when one result more or less falls into the window.
timeline::curve observed_of(const compared_run& run, double end, double window) {
  timeline::curve curve;
  const std::vector<double>& came = run.results;
  const auto after = [&](double t) { return std::upper_bound(came.begin(), came.end(), t); };
  for (int i = 0; i <= samples; ++i) {
    const double t = end * i / samples;
    const auto last = after(t);
    if (last == came.begin()) continue;
    const auto first = std::min(after(t - window), last - 1);
    const double since = first == came.begin() ? run.first_sent : *(first - 1);
    // If the next result is overdue at the rate of the ones before, the time until now counts as well.
    const double until = std::max(*(last - 1), t - (*(last - 1) - since) / static_cast<double>(last - first));
    if (until > since) curve.emplace_back(t, static_cast<double>(last - first) / (until - since));
  }
  return curve;
}

timeline::curve predicted_of(const compare_plan& plan, const compared_run& run, double end) {
  std::vector<observation> seen = run.observations;
  const auto ended = [](const observation& o) { return o.start + o.seconds; };
  std::sort(seen.begin(), seen.end(), [&](const auto& a, const auto& b) { return ended(a) < ended(b); });

  std::vector<std::shared_ptr<estimator>> models;
  system_view view;
  view.cores = core_set::range(0, plan.machine.size());
  for (std::size_t i = 0; i < run.degrees.size(); ++i) {
    models.push_back(make_estimator(plan.estimator, degree{run.degrees[i]}));
    component_view c;
    c.name = run.report.names[i];
    c.model = models.back();
    c.visits = static_cast<double>(run.report.components[i].invocations) / static_cast<double>(run.results.size());
    view.components.push_back(std::move(c));
  }

  timeline::curve curve;
  std::size_t next = 0, in_force = 0;
  const auto& decisions = run.report.decisions;
  for (int i = 0; i <= samples; ++i) {
    const double t = end * i / samples;
    for (; next < seen.size() && ended(seen[next]) <= t; ++next) {
      const observation& o = seen[next];
      if (!is_usable(o)) continue;
      models[o.component]->observe(o);
      auto& recent = view.components[o.component].recent;
      recent.push_back({o.x, o.cores, o.seconds});
      if (recent.size() > recent_most) recent.erase(recent.begin());
    }
    while (in_force + 1 < decisions.size() && decisions[in_force + 1].time <= t) ++in_force;
    const expectation expected = expected_times(view, decisions[in_force].to);
    const bool known = std::none_of(expected.seconds.begin(), expected.seconds.end(),
                                    [](double seconds) { return std::isnan(seconds); });
    if (known && expected.bottleneck > 0) curve.emplace_back(t, 1 / expected.bottleneck);
  }
  return curve;
}

}  // namespace

timeline timeline_of(const compare_plan& plan, const compared_run& run) {
  timeline t;
  t.title = run.text == run.name ? run.name : run.name + ": " + run.text;
  t.end = run.results.back();
  t.cores = plan.machine.size();
  t.components = run.report.names;
  t.divisions = divisions_of(run, t.end);
  const double window = std::max(run.seconds / 20, 8 * run.seconds / static_cast<double>(run.results.size()));
  t.observed = observed_of(run, t.end, window);
  if (!run.report.decisions.empty()) t.predicted = predicted_of(plan, run, t.end);
  t.phases = run.phases;
  return t;
}

}  // namespace weir::command
