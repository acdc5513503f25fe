// The trials of a controller on numbers of cores that its models do not know.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "scheduler/control/at.hpp"
#include "scheduler/control/controller.hpp"
#include "scheduler/control/enough_of.hpp"
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

}  // namespace

// Whether a trial would only follow a stream that swings, as the allotment in force was chosen not to.
bool controller::is_followed_too_late(const system_view& view, const assessment& now, const allotment& to) const {
  return is_steady_ && stay_in_the_middle(view, now, to);
}

std::optional<allotment> controller::explore(const system_view& view, const assessment& now, int reference) {
  const component_view& slow = at(view, reference);
  if (options_.exploration_threshold <= 0 || is_outside(slow)) return std::nullopt;
  explorations_.resize(view.components.size());
  exploration& last = explorations_[static_cast<std::size_t>(reference)];
  const auto patience = static_cast<std::uint64_t>(options_.patience);
  if (slow.invocations_since_move < patience || slow.invocations < last.considered + patience) return std::nullopt;
  last.considered = slow.invocations;
  if (now.cores > 0)
    if (auto fewer = try_to_free(view, now)) return fewer;
  if (auto between = try_between(view, now, reference)) return between;
  if (auto more = try_more(view, now, reference, last)) return more;
  return try_fewer(view, now, reference, last);
}

// Whether a trial costs no more than exploration may by now. If so, its cost is counted.
bool controller::can_afford(const system_view& view, double loss_a_record) {
  const double loss = 2 * cost_of_a_move(view) + options_.patience * std::max(0.0, loss_a_record);
  if (!(explored_seconds_ + loss < options_.explored_part * view.time)) return false;
  explored_seconds_ += loss;
  return true;
}

// More cores than it was ever seen on, although its model doubts the gain: once for each largest number seen.
std::optional<allotment> controller::try_more(const system_view& view, const assessment& now, int reference,
                                              exploration& last) {
  const component_view& slow = at(view, reference);
  const int largest = slow.model->cores_known().largest;
  const int cores = lane_cores(at(view.current, reference)).first;
  if (largest <= last.largest || 2 * cores < largest) return std::nullopt;
  const double x = slow.recent.empty() ? 1 : slow.recent.back().x;
  if (cores < largest && slow.model->mean(x, largest) >= slow.model->mean(x, cores)) return std::nullopt;

  system_view hopeful = enough_of(view, rule_);
  hopeful.components[static_cast<std::size_t>(reference)].model = std::make_shared<no_core_wasted>(slow.model, largest);
  const allotment to = rule_.decide(hopeful);
  if (lane_cores(at(to, reference)).first <= largest) return std::nullopt;
  const assessment then = rule_.assess(hopeful, to);
  const double gain = rule_.assess(hopeful, view.current).cost / then.cost - 1;
  if (!(gain > options_.exploration_threshold)) return std::nullopt;
  if (is_followed_too_late(view, now, to) || !can_afford(view, rule_.assess(view, to).cost - now.cost))
    return std::nullopt;
  const std::string why =
      "a look: " + slow.name + " counts most and never had more than " + std::to_string(largest) + " cores";
  last.largest = largest;
  verify_after_ = options_.patience;
  return decided(view, to, why, gain, then.p99);
}

// The least number of cores above `cores` that an invocation of the component had by any decision; 0: there is none.
int controller::next_had(const system_view& view, int component, int cores) const {
  int above = 0;
  for (const decision& d : decisions_) {
    if (d.to.components.size() != view.components.size() || at(d.to, component).cores.empty()) continue;
    const int had = lane_cores(at(d.to, component)).first;
    if (had > cores && (above == 0 || had < above)) above = had;
  }
  return above;
}

// Where the next number of cores that it had is no faster by its model: a number in the middle, which may be faster
// than both. Each look halves what lies between, on a logarithmic scale.
std::optional<allotment> controller::try_between(const system_view& view, const assessment& now, int reference) {
  const component_view& slow = at(view, reference);
  if (at(view.current, reference).cores.empty()) return std::nullopt;
  const int cores = lane_cores(at(view.current, reference)).first, above = next_had(view, reference, cores);
  const int middle = static_cast<int>(std::lround(std::sqrt(static_cast<double>(cores) * above)));
  const double x = slow.recent.empty() ? 1 : slow.recent.back().x;
  if (!(cores < middle && middle < above) || slow.model->mean(x, above) < slow.model->mean(x, cores))
    return std::nullopt;

  system_view hopeful = enough_of(view, rule_);
  hopeful.components[static_cast<std::size_t>(reference)].model =
      std::make_shared<no_core_wasted>(slow.model, cores, middle);
  const allotment to = rule_.decide(hopeful);
  const int given = lane_cores(at(to, reference)).first;
  const assessment then = rule_.assess(hopeful, to);
  const double gain = rule_.assess(hopeful, view.current).cost / then.cost - 1;
  if (!(cores < given && given <= middle) || !(gain > options_.exploration_threshold) ||
      is_followed_too_late(view, now, to) || !can_afford(view, rule_.assess(view, to).cost - now.cost))
    return std::nullopt;
  verify_after_ = options_.patience;
  return decided(view, to,
                 "a look: " + slow.name + " counts most, and had " + std::to_string(cores) + " and " +
                     std::to_string(above) + " cores, but no number between",
                 gain, then.p99);
}

// Where cores cost: what the rule would decide if the models held on fewer cores than any component was seen on, down
// to half of these. Once it was tried, that is known.
std::optional<allotment> controller::try_to_free(const system_view& view, const assessment& now) {
  system_view hopeful = view;
  for (component_view& c : hopeful.components) c.model = std::make_shared<believed_below>(c.model, is_unknown(c));
  const allotment to = rule_.decide(hopeful);
  const assessment then = rule_.assess(hopeful, to);
  const double gain = now.cost / then.cost - 1;
  if (then.cores >= now.cores || !(gain > options_.exploration_threshold) ||
      !can_afford(view, rule_.assess(view, to).cost - now.cost))
    return std::nullopt;
  verify_after_ = options_.patience;
  return decided(view, to, "a look: " + rule_.words(now) + ", and fewer would do by models that never saw them", gain,
                 then.p99);
}

// Half of its cores, fewer than it was ever seen on, where its model expects next to nothing of the other half: it may
// be that they hurt, which a law cannot tell from so few numbers of cores. Once for each smallest number tried.
std::optional<allotment> controller::try_fewer(const system_view& view, const assessment& now, int reference,
                                               exploration& last) {
  const component_view& slow = at(view, reference);
  constexpr double nearly_as_good = 1.25;
  const share& has = at(view.current, reference);
  const int cores = lane_cores(has).second, half = cores / 2;
  if (has.cores.empty() || half < 1 || half >= slow.model->cores_known().smallest ||
      (last.smallest > 0 && half >= last.smallest) || half * has.width < slow.min_cores)
    return std::nullopt;
  const double x = slow.recent.empty() ? 1 : slow.recent.back().x;
  const double slower = slow.model->mean(x, half) / slow.model->mean(x, cores);
  if (!(slower < nearly_as_good)) return std::nullopt;
  // The others keep theirs: what the freed cores would do for them is another question.
  allotment to = view.current;
  to.components[static_cast<std::size_t>(reference)].cores = has.cores.part(0, half * has.width);
  if (view.current.shared_host() == reference || is_followed_too_late(view, now, to) ||
      !can_afford(view, (slower - 1) * now.cost))
    return std::nullopt;
  last.smallest = half;
  verify_after_ = options_.patience;
  return decided(view, to, "a look: " + slow.name + " counts most, and half of its cores seem to do as well",
                 1 / slower - 1);
}

}  // namespace weir
