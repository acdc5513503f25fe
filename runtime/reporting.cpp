#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/run_state.hpp"

namespace weir::detail {

run_report run_state::report() {
  run_report r;
  const std::lock_guard placing(placing_);
  const std::lock_guard learning(learning_);
  absorb_all();
  r.policy = options_.policy.name();
  r.machine = machine_->cores()->summary();
  const double ended = ended_at_.load();
  r.seconds = (ended > 0 ? ended : now()) - started_at_;
  r.sent = sent_.load();
  r.results = results_.pushed();
  r.failed = failed_.load();
  r.dropped = dropped_.load();
  if (is_stopping())
    for (const auto& s : stages_) r.dropped += s->own_region.kept();
  const auto ran = invocations();
  for (const auto& c : components_) {
    component_report x;
    const share& has = in_force_.components[c->index];
    x.name = c->spec->name;
    x.cores = has.cores.size();
    x.width = has.cores.empty() ? std::min(shared_->seat_count(), c->spec->max_width) : has.width;
    if (!has.cores.empty())
      x.place = "own cores {" + to_string(has.cores) + "}, " + std::to_string(has.width) +
                (has.width == 1 ? " lane" : " lanes");
    else if (c->is_short.load())
      x.place = "inline";
    else
      x.place = "shared group {" + to_string(in_force_.shared) + "}" +
                (in_force_.shared_host() >= 0
                     ? " on a core of " + components_[static_cast<std::size_t>(in_force_.shared_host())]->spec->name
                     : "");
    x.invocations = ran[c->index];
    x.observations = c->observed;
    x.total_seconds = c->observed_seconds;
    x.mean_seconds =
        c->observed ? c->observed_seconds / static_cast<double>(c->observed) : std::numeric_limits<double>::quiet_NaN();
    x.utilisation = has.cores.empty() || r.seconds <= 0 ? std::numeric_limits<double>::quiet_NaN()
                                                        : c->busy_core_seconds / (r.seconds * has.cores.size());
    x.model = c->model->describe();
    r.components.push_back(std::move(x));
    r.names.push_back(c->spec->name);
  }
  std::string from = "input";
  for (const auto& s : stages_) {
    r.components[s->component.index].failures += s->failed.load();
    if (!s->fused) {
      const stream& in = s->own_region.inlet();
      r.streams.push_back({from, s->name(), in.popped(), in.limit(), in.peak()});
    }
    from = s->name();
  }
  r.streams.push_back(
      {from, "output", results_.pushed(), results_.bounded() ? results_.capacity() : 0, results_.peak()});
  r.decisions = controller_->decisions();
  {
    const std::lock_guard lock(state_mutex_);
    r.failures.assign(failures_.begin(), failures_.begin() + std::min<std::ptrdiff_t>(100, std::ssize(failures_)));
    r.notes = notes_;
  }
  if (machine_->binding_refused().load())
    r.notes.push_back("the system refused to bind threads to cores: cores are granted by number only");
  return r;
}

}  // namespace weir::detail
