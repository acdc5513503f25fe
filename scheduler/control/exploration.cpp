#include "scheduler/control/exploration.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "scheduler/control/assessor.hpp"
#include "scheduler/control/move_noise.hpp"

namespace weir {
namespace {

// A model by which cores waste nothing from one number to another, and are of no use beyond. Up to the first it equals
// the original model.
class no_core_wasted final : public estimator {
 public:
  no_core_wasted(std::shared_ptr<const estimator> model, int first, int last = unlimited)
      : model_(std::move(model)), first_(first), last_(last) {}
  void observe(const observation&) override {}
  prediction predict(double x, int cores) const override {
    prediction p = model_->predict(x, std::min(cores, first_));
    if (cores > first_) p.mean *= static_cast<double>(first_) / std::min(cores, last_);
    return p;
  }
  description describe() const override { return model_->describe(); }
  known_cores cores_known() const override { return model_->cores_known(); }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<no_core_wasted>(*this); }
  std::vector<double> state() const override { return model_->state(); }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  std::shared_ptr<const estimator> model_;
  int first_, last_;
};

// A model that is believed down to half of the smallest number of cores that was seen. Where it does not know how times
// change with cores, they do not change.
class believed_below final : public estimator {
 public:
  believed_below(std::shared_ptr<const estimator> model, bool is_flat)
      : model_(std::move(model)), least_(is_flat ? model_->cores_known().smallest : 1) {}
  void observe(const observation&) override {}
  prediction predict(double x, int cores) const override { return model_->predict(x, std::max(cores, least_)); }
  description describe() const override { return model_->describe(); }
  known_cores cores_known() const override {
    known_cores known = model_->cores_known();
    known.smallest = std::max(1, known.smallest / 2);
    return known;
  }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<believed_below>(*this); }
  std::vector<double> state() const override { return model_->state(); }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  std::shared_ptr<const estimator> model_;
  int least_;
};

// The least number of cores above `cores` that the component's invocations had by a past decision; 0: there is none.
int next_had(const std::vector<decision>& past, std::size_t components, int component, int cores) {
  int above = 0;
  for (const decision& d : past) {
    if (d.to.components.size() != components || at(d.to, component).cores.empty()) continue;
    const int had = lane_cores(at(d.to, component)).first;
    if (had > cores && (above == 0 || had < above)) above = had;
  }
  return above;
}

std::string exploring(const situation& s, const policy& rule) {
  return "exploring: " + at(s.view, s.reference).name +
         (rule.words(s.now).empty() ? " is the bottleneck" : " counts most");
}

double last_x(const component_view& c) { return c.recent.empty() ? 1 : c.recent.back().x; }

}  // namespace

std::optional<exploration::trial> exploration::next(const situation& s, const policy& rule,
                                                    const std::vector<decision>& past,
                                                    const controller_options& options,
                                                    const std::function<bool(const allotment&)>& follows_swing) {
  const component_view& slow = at(s.view, s.reference);
  if (options.exploration_threshold <= 0 || is_outside(slow)) return {};
  tried_.resize(s.view.components.size());
  component_trials& tried = tried_[static_cast<std::size_t>(s.reference)];
  if (!s.has_run(options.patience) ||
      slow.invocations < tried.considered + static_cast<std::uint64_t>(options.patience))
    return {};
  tried.considered = slow.invocations;
  for (const auto find : {freed_cores, between, more, half}) {
    question q{s, rule, past, options.exploration_threshold, tried};
    std::optional<trial> found = find(q);
    if (!found || follows_swing(found->to) || !can_afford(s.view, found->loss, options)) continue;
    tried = q.tried;
    return found;
  }
  return {};
}

// Whether a trial costs no more than exploration may by now. If so, its cost is counted.
bool exploration::can_afford(const system_view& view, double loss_a_record, const controller_options& options) {
  const double loss = 2 * cost_of_a_move(view, options) + options.patience * std::max(0.0, loss_a_record);
  if (!(spent_seconds_ + loss < options.explored_part * view.time)) return false;
  spent_seconds_ += loss;
  return true;
}

std::optional<exploration::trial> exploration::freed_cores(question& q) {
  if (q.s.now.cores == 0) return {};
  system_view hopeful = without_samples(q.s.view, q.rule);
  for (component_view& c : hopeful.components) c.model = std::make_shared<believed_below>(c.model, is_unknown(c));
  const allotment to = q.rule.decide(hopeful);
  const assessment then = q.rule.assess(hopeful, to);
  const double gain = q.s.now.cost / then.cost - 1;
  if (then.cores >= q.s.now.cores || !(gain > q.threshold)) return {};
  return trial{to, "exploring: " + q.rule.words(q.s.now) + ", and fewer cores would do by models that never saw them",
               gain, then.p99, q.rule.assess(q.s.view, to).cost - q.s.now.cost};
}

std::optional<exploration::trial> exploration::between(question& q) {
  const component_view& slow = at(q.s.view, q.s.reference);
  const share& has = at(q.s.view.current, q.s.reference);
  if (has.cores.empty()) return {};
  const int cores = lane_cores(has).first;
  const int above = next_had(q.past, q.s.view.components.size(), q.s.reference, cores);
  const int middle = static_cast<int>(std::lround(std::sqrt(static_cast<double>(cores) * above)));
  const double x = last_x(slow);
  if (!(cores < middle && middle < above) || slow.model->mean(x, above) < slow.model->mean(x, cores)) return {};
  return by_model(q, std::make_shared<no_core_wasted>(slow.model, cores, middle), cores, middle,
                  " and was tried on " + std::to_string(cores) + " and " + std::to_string(above) +
                      " cores, but on no number between");
}

std::optional<exploration::trial> exploration::more(question& q) {
  const component_view& slow = at(q.s.view, q.s.reference);
  const int largest = slow.model->cores_known().largest;
  const int cores = lane_cores(at(q.s.view.current, q.s.reference)).first;
  if (largest <= q.tried.largest || 2 * cores < largest) return {};
  const double x = last_x(slow);
  if (cores < largest && slow.model->mean(x, largest) >= slow.model->mean(x, cores)) return {};
  q.tried.largest = largest;
  return by_model(q, std::make_shared<no_core_wasted>(slow.model, largest), largest, unlimited,
                  " and was never tried on more than " + std::to_string(largest) + " cores");
}

// The others keep theirs: what the freed cores would do for them is another question.
std::optional<exploration::trial> exploration::half(question& q) {
  const component_view& slow = at(q.s.view, q.s.reference);
  constexpr double nearly_as_good = 1.25;
  const share& has = at(q.s.view.current, q.s.reference);
  const int cores = lane_cores(has).second, fewer = cores / 2;
  if (has.cores.empty() || fewer < 1 || fewer >= slow.model->cores_known().smallest ||
      (q.tried.smallest > 0 && fewer >= q.tried.smallest) || fewer * has.width < slow.min_cores ||
      q.s.view.current.shared_host() == q.s.reference)
    return {};
  const double x = last_x(slow), slower = slow.model->mean(x, fewer) / slow.model->mean(x, cores);
  if (!(slower < nearly_as_good)) return {};
  q.tried.smallest = fewer;
  allotment to = q.s.view.current;
  to.components[static_cast<std::size_t>(q.s.reference)].cores = has.cores.part(0, fewer * has.width);
  return trial{std::move(to), exploring(q.s, q.rule) + ", and half of its cores seem to do as well", 1 / slower - 1, 0,
               (slower - 1) * q.s.now.cost};
}

// By a model of the reference component that would have to be true, if it gives that component more than `above` cores,
// and `at_most`.
std::optional<exploration::trial> exploration::by_model(question& q, std::shared_ptr<const estimator> model, int above,
                                                        int at_most, const std::string& why) {
  system_view hopeful = without_samples(q.s.view, q.rule);
  hopeful.components[static_cast<std::size_t>(q.s.reference)].model = std::move(model);
  const allotment to = q.rule.decide(hopeful);
  const int cores = lane_cores(at(to, q.s.reference)).first;
  if (!(above < cores && cores <= at_most)) return {};
  const assessment then = q.rule.assess(hopeful, to);
  const double gain = q.rule.assess(hopeful, q.s.view.current).cost / then.cost - 1;
  if (!(gain > q.threshold)) return {};
  return trial{to, exploring(q.s, q.rule) + why, gain, then.p99, q.rule.assess(q.s.view, to).cost - q.s.now.cost};
}

}  // namespace weir
