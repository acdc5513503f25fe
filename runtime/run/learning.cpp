#include "runtime/run/learning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include <weir/model/named/estimators.hpp>
#include "model/priors/prior_choice.hpp"
#include "runtime/machine/float_state.hpp"
#include "runtime/record/cut_text.hpp"
#include "runtime/run/work_plan.hpp"
#include "runtime/threads/this_thread.hpp"
#include "scheduler/expect/group_share.hpp"

namespace weir::detail {

namespace {

using fresh_models = std::map<std::pair<std::string, int>, std::shared_ptr<estimator>>;

// The misfit of a saved model with its component, in words; empty where it fits.
std::string misfit_of(const saved_model& saved, const component_state& of) {
  const box_spec& spec = *of.spec;
  if (saved.degree != spec.degree)
    return " has degree " + std::to_string(saved.degree) + ", expected was a " + saved.estimator + " model of degree " +
           std::to_string(spec.degree);
  const std::vector<predictor_form> forms = of.predictors.forms();
  const std::string list = forms.empty() ? "" : joint_name("", forms);
  const auto open = saved.estimator.find('(');
  const std::string given = open == std::string::npos ? "" : saved.estimator.substr(open);
  // Without a predictor, a model that knows of no candidates fits as well.
  if (given != list && (spec.predict || !given.empty()))
    return " is a " + saved.estimator + " model, expected was one of " +
           (list.empty() ? "one predictor" : "the predictors " + list);
  return "";
}

std::unique_ptr<estimator> restored(const saved_model& saved, const std::string& which) {
  try {
    return estimator_of(saved)->clone();  // clone() fits the model once, so predictions do not fit it again
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(which + ": " + e.what());
  }
}

// The models of other runs that the component can start from. `notes` receives a sentence for each one passed over.
std::vector<prior_candidate> candidates_of(const component_state& of, const std::string& estimator, const options& o,
                                           std::vector<std::string>& notes) {
  constexpr std::size_t most = 64;
  std::vector<prior_candidate> out;
  for (const saved_run& run : o.prior_runs) {
    const auto found = run.models.find(of.spec->name);
    if (found == run.models.end()) continue;
    const std::string which =
        visible_text("options.prior_runs: the model for '" + of.spec->name + "' of run '" + run.name + "'", false);
    std::string misfit = misfit_of(found->second, of);
    // The candidates are compared with a model of this estimator, and one of them may take its place.
    if (misfit.empty() && found->second.estimator != estimator)
      misfit = " is a " + found->second.estimator + " model, expected was a " + estimator + " model";
    std::shared_ptr<weir::estimator> model;
    if (misfit.empty()) {
      model = restored(found->second, which);
      if (model->cores_known().largest == 0)
        misfit = " has observed nothing";
      else if (!model->clone()->rescale(1))
        misfit = " cannot be carried to other machines, expected was a weir model";
    }
    if (!misfit.empty()) {
      notes.push_back(which + misfit + ": it is passed over");
      continue;
    }
    if (out.size() == most)
      throw std::invalid_argument("options.prior_runs: more than " + std::to_string(most) + " runs have a model for '" +
                                  of.spec->name + "', expected were " + std::to_string(most) + " at most");
    out.push_back({run.name, std::move(model), found->second.machine});
  }
  return out;
}

// The model that a component starts from. `fresh`: those without a prior, by name and degree; components share them.
std::shared_ptr<estimator> start_of(const component_state& of, const options& o, fresh_models& fresh,
                                    std::vector<std::string>& notes) {
  const box_spec& spec = *of.spec;
  if (const auto prior = o.prior_models.find(spec.name); prior != o.prior_models.end()) {
    const std::string which = "options.prior_models: the model for '" + spec.name + "'";
    const std::string misfit = misfit_of(prior->second, of);
    if (!misfit.empty()) throw std::invalid_argument(which + misfit);
    return restored(prior->second, which);
  }
  const std::vector<predictor_form> forms = of.predictors.forms();
  const std::string name = forms.empty() ? o.estimator : joint_name(o.estimator, forms);
  std::vector<prior_candidate> candidates = candidates_of(of, name, o, notes);
  if (!candidates.empty())
    return std::make_shared<prior_choice>(make_estimator(name, degree{spec.degree}), std::move(candidates));
  auto& model = fresh[{name, spec.degree}];
  if (!model) model = make_estimator(name, degree{spec.degree});
  return model;
}

bool is_component(const unfolded& net, const std::string& name) {
  return std::ranges::any_of(net.components, [&](auto& c) { return c->spec->name == name; }) ||
         std::ranges::find(net.elsewhere, name) != net.elsewhere.end();
}

void check_names(const unfolded& net, const options& o) {
  for (const auto& prior : o.prior_models)
    if (!is_component(net, prior.first))
      throw std::invalid_argument("options.prior_models: no component is named '" + prior.first + "'");
  const auto concerns = [&](const saved_run& run) {
    return std::ranges::any_of(run.models, [&](auto& m) { return is_component(net, m.first); });
  };
  if (!o.prior_runs.empty() && std::ranges::none_of(o.prior_runs, concerns))
    throw std::invalid_argument("options.prior_runs: none of the " + std::to_string(o.prior_runs.size()) +
                                " runs has a model of a component of this network, expected was one");
}

}  // namespace

learning::learning(run_environment& run, const unfolded& net, const options& o, messenger& messages)
    : run_(run),
      net_(net),
      tells_observations_(static_cast<bool>(o.on_observation)),
      learns_(o.learn_from),
      messages_(messages),
      traffic_(net),
      seen_of_(net.components.size()) {
  check_names(net, o);
  fresh_models fresh;
  const std::string here = o.prior_models.empty() ? "" : run.platform.cores()->description();
  for (auto& c : net.components) {
    c->learnt.emplace(start_of(*c, o, fresh, notes_), run.platform.cores());
    const auto prior = o.prior_models.find(c->spec->name);
    if (prior == o.prior_models.end()) continue;
    const std::string& there = prior->second.machine;
    if (!there.empty()) prior_machines_[c->index] = there;
    if (!there.empty() && there != here)
      notes_.push_back(visible_text("options.prior_models: the model for '" + c->spec->name + "' was learnt on " +
                                        there + "; this machine is " + here,
                                    false));
  }
}

void learning::observe(worker& by, const observation& o) noexcept {
  if (!by.observations.push(o)) [[unlikely]] {
    const lock_guard lock(mutex_);
    absorb(by);
    by.observations.push(o);
  }
  if (messages_.is_behind() && run_.platform.has_threads()) [[unlikely]] {
    const off_cores meanwhile;
    messages_.wait_until_told_some();
  }
}

void learning::absorb_all() noexcept {
  run_.workers.each([this](worker& w) WEIR_NOT_ANALYSED { absorb(w); });
}

void learning::absorb(worker& w) noexcept {
  const standard_floats own;
  w.observations.consume_all([this](const observation& o) WEIR_NOT_ANALYSED {
    try {
      absorb(o);
    } catch (const std::bad_alloc&) {  // one observation less
    }
  });
  try {
    messages_.put_all(observed_);
  } catch (const std::bad_alloc&) {  // they are learnt and not told
    observed_.clear();
  }
}

void learning::absorb(const observation& o) {
  component_state& c = *net_.components[o.component];
  if (tells_observations_) observed_.emplace_back(messenger::observed{&c.spec->name, o});
  const double cost = c.is_blocking() ? o.seconds : cost_of(o, learns_);  // blocking: its waiting counts
  check_predictors(c, o);
  // A CPU time of 0 was not read. An invocation that was interrupted may have waited for a core.
  if (o.cpu_seconds > 0 && o.switches == 0 && o.seconds >= undisturbed::shortest) {
    undisturbed& u = seen_of_[c.index].alone;
    ++u.invocations;
    u.seconds += o.seconds;
    u.cpu_seconds += o.cpu_seconds;
  }
  if (o.after_move && !c.paced.is_sampled() && is_usable_x(c.learnt->x_of(o))) {  // sampled: it was hardly the first
    const double expected = c.learnt->expected(o);
    if (std::isfinite(expected)) {
      move_costs_.of_last += std::max(0.0, cost - expected);
      move_costs_.seen = true;
    }
  }
  c.learnt->observe(o, cost);
}

void learning::check_predictors(const component_state& c, const observation& o) {
  const bool has_x = c.spec->first_form != predictor_form::number || is_usable_x(o.x);
  const bool has_sizes = c.spec->predict || std::ranges::none_of(o.further, [](double v) { return std::isnan(v); });
  if ((has_x && has_sizes) || std::exchange(seen_of_[c.index].has_unusable, true)) return;
  const std::string name = visible_text(c.spec->name, false);
  run_.run.note((has_x ? fmt::format("the size of a field of {} threw, or is no number", name)
                       : fmt::format("the predictor of {} gave {}", name, o.x)) +
                ", expected is a finite number that is not negative: its model learns nothing from such invocations");
}

bool learning::learn_costs(std::uint64_t sent, latency_probe& probe) {
  traffic_.update(run_.life.since_start(), sent);
  probe.aim(traffic_.arrival_rate());
  bool changed = false;
  for (auto& c : net_.components) {
    const double mean = c->learnt->mean_seconds();
    if (mean <= 0) continue;
    c->mean_hint.store(mean, std::memory_order_relaxed);
    pace& known = seen_of_[c->index].known;
    const pace was = std::exchange(known, pace_of(known, mean, c->learnt->observed()));
    if (known != pace::unknown) c->paced.set(known);
    // Unknown ones run like timed ones, unless they are now to be apart from their neighbours (plan_fusion).
    const bool runs_alike = was == pace::unknown && known == pace::timed;
    const bool may_be_apart = c->widest < unlimited && mean >= apart_above;
    changed |= known != was && (!runs_alike || may_be_apart);
  }
  return changed;
}

void learning::tell_group_shares(const system_view& view) {
  if (!divides_idle_cores(view.current)) return;
  for (auto& c : net_.components) {
    const bool is_short = c->paced.is_sampled();  // to ask the model of each takes longer than they do
    const group_share part = is_short || c->runs_outside()
                                 ? group_share{1, c->mean_hint.load(std::memory_order_relaxed)}
                                 : share_in_group(view, c->index);
    c->most_in_group.store(part.most_cores, std::memory_order_relaxed);
    c->seconds_on_one_core.store(part.seconds, std::memory_order_relaxed);
  }
}

void learning::tell_later_runs() const noexcept {
  for (const auto& c : net_.components) {
    const double mean = c->mean_hint.load(std::memory_order_relaxed);
    if (mean > 0 || c->paced.get() != pace::unknown)
      c->spec->earlier.note(c->paced.is_sampled() && mean < inlined_below && !c->runs_outside());
  }
}

void learning::moved() {
  for (auto& c : net_.components) c->learnt->moved(run_.life.since_start());
  if (move_costs_.seen) move_costs_.of_earlier += move_costs_.of_last, ++move_costs_.earlier;
  move_costs_.of_last = 0;
  move_costs_.seen = false;
}

// Seconds, on average; 0 before one was seen.
double learning::move_cost() const {
  const int moves = move_costs_.earlier + move_costs_.seen;
  return moves > 0 ? (move_costs_.of_earlier + move_costs_.of_last) / moves : 0;
}

bool learning::has_observed() const {
  return std::any_of(net_.components.begin(), net_.components.end(),
                     [](const auto& c) { return c->learnt->observed() > 0; });
}

system_view learning::view(std::uint64_t sent) const {
  system_view v;
  v.needs_shared = net_.entities.size() > net_.boxes.size();
  v.time = run_.life.since_start();
  v.move_cost = move_cost();
  v.links = traffic_.links();
  v.arrival_rate = traffic_.arrival_rate();
  const auto ran = traffic_.invocations(sent);
  const std::vector<double>& by_entity = traffic_.visits();
  std::vector<const box_entity*> place_of(net_.components.size(), nullptr);
  std::vector<int> places(net_.components.size(), 0);
  for (const box_entity* box : net_.boxes) place_of[box->component.index] = box, ++places[box->component.index];
  std::vector<double> waiting;
  v.components.reserve(net_.components.size());
  for (const auto& c : net_.components) {
    component_view x;
    x.name = c->spec->name;
    waiting.clear();
    // Where a component stands in several places, it is not known which of the waiting records come next.
    const region* const at = places[c->index] == 1 ? place_of[c->index]->own_region.get() : nullptr;
    if (at) at->in().read_waiting(steady_inputs::most_ahead, waiting);
    c->learnt->fill(x, waiting);
    x.invocations = ran[c->index];
    x.visits = 0;
    x.instances = 0;
    x.min_cores = c->spec->min_cores;
    x.max_cores = c->spec->max_cores;
    x.max_width = c->widest;
    if (const admission* const a = c->admission()) {
      const admission::bound most = a->most_at_a_time();
      if (most.invocations < std::min(x.max_width, run_.platform.cores()->size()))
        x.max_width = most.invocations, x.limited_by = most.resource;
    }
    x.sequential = c->spec->sequential;
    x.priority = c->spec->priority;
    x.most_together = c->spec->most_in_batch;
    x.blocking = c->is_blocking() ? c->spec->max_width : 0;
    x.runs_inline = c->paced.is_inlined() && c->spec->min_cores == 1 && !c->runs_outside();
    v.components.push_back(std::move(x));
  }
  for (const box_entity* box : net_.boxes) {
    component_view& x = v.components[box->component.index];
    x.visits += by_entity[box->index];
    ++x.instances;
    if (box->own_region) x.queue_length += box->own_region->in().in_stream();
  }
  // Records that a device runs need no cores.
  for (const auto& c : net_.components)
    if (c->on_device) v.components[c->index].visits *= c->on_device->part_on_cores();
  for (component_view& x : v.components) x.arrival_rate = v.arrival_rate * x.visits;
  return v;
}

prediction learning::predict(const std::string& component, std::span<const double> values, int cores) {
  if (cores < 1) throw std::invalid_argument(fmt::format("predict: cores{{{}}}, expected were 1 or more", cores));
  const lock_guard lock(mutex_);
  absorb_all();
  std::string names;
  for (auto& c : net_.components) {
    if (c->spec->name == component) return c->learnt->model().predict(x_of(*c, values), cores);
    names += (names.empty() ? "" : ", ") + c->spec->name;
  }
  throw std::invalid_argument("predict: no component is named '" + component + "'; there are " + names);
}

// Without a predictor: the middle of the model's x of the last inputs.
double learning::x_of(component_state& c, std::span<const double> values) {
  const std::size_t predictors = c.spec->further.size() + 1;
  if (values.size() != predictors)
    throw std::invalid_argument(fmt::format(
        "predict: {} values for component '{}', expected {}{}", values.size(), c.spec->name, predictors,
        c.spec->predict ? ", one for each of its predictors" : ", whatever it is, since it has no predictor"));
  const estimator& model = c.learnt->model();
  if (!c.spec->predict) {
    std::vector<invocation_sample> last = c.learnt->last();
    if (last.empty() || model.predictors() == 1) return values[0];
    const auto middle = last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2);
    std::nth_element(last.begin(), middle, last.end(), [](auto& a, auto& b) { return a.x < b.x; });
    return middle->x;
  }
  observation asked;
  asked.x = values[0];
  std::copy(values.begin() + 1, values.end(), asked.further.begin());
  return model.x_of(asked);
}

std::map<std::string, saved_model> learning::models() {
  const lock_guard lock(mutex_);
  absorb_all();
  std::map<std::string, saved_model> all;
  const std::string here = run_.platform.cores()->description();
  for (auto& c : net_.components) all[c->spec->name] = saved(*c, here);
  return all;
}

// A model that has observed nothing here is still that of its machine.
saved_model learning::saved(component_state& c, const std::string& here) const {
  const estimator& model = c.learnt->model();
  const auto before = prior_machines_.find(c.index);
  return {model.describe().estimator, c.spec->degree, model.state(),
          c.learnt->observed() > 0 || before == prior_machines_.end() ? here : before->second};
}

}  // namespace weir::detail
