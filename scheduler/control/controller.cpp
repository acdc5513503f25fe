#include "scheduler/control/controller.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "model/number_text.hpp"
#include "scheduler/control/at.hpp"
#include "scheduler/control/move_noise.hpp"
#include "scheduler/divide/throughput.hpp"

namespace weir {
namespace {

int count(const system_view& view) { return static_cast<int>(view.components.size()); }

// Whether component i was invoked at least so often on the allotment in force.
bool has_run(const system_view& view, int i, int times) {
  return at(view, i).invocations_since_move >= static_cast<std::uint64_t>(times);
}

// The component whose invocations tell how long an allotment has been in force. It is the critical one, or, for the
// shared group, the member with the most seconds.
int reference_component(const allotment& given, const assessment& now) {
  if (now.critical >= 0) return now.critical;
  int largest = 0;
  for (int i = 0; i < static_cast<int>(given.components.size()); ++i)
    if (at(given, i).is_member() && (!at(given, largest).is_member() || now.seconds_of(i) > now.seconds_of(largest)))
      largest = i;
  return largest;
}

bool any_unknown(const system_view& view) {
  return std::any_of(view.components.begin(), view.components.end(), is_unknown);
}

// Whether a move changes the cores of a component's invocations and its model cannot know the effect.
bool is_guessed(const component_view& c, const share& from, const share& to) {
  return c.visits > 0 && lane_cores(from) != lane_cores(to) && !c.model->cores_known().alpha_known;
}

// A component that runs inline and owns cores, or -1.
int inline_owner(const system_view& view) {
  for (int i = 0; i < static_cast<int>(view.components.size()); ++i)
    if (at(view, i).runs_inline && !at(view.current, i).cores.empty()) return i;
  return -1;
}

std::uint64_t invocations_of(const system_view& view, int component) {
  if (component >= 0) return at(view, component).invocations;
  std::uint64_t most = 0;
  for (const component_view& c : view.components) most = std::max(most, c.invocations);
  return most;
}

std::string place_of(const allotment& given, int component) {
  const auto cores = [](int n) { return "on " + std::to_string(n) + (n == 1 ? " core" : " cores"); };
  if (component < 0) return cores(given.shared.size());
  const share& s = at(given, component);
  if (s.outside) return "outside the cores";
  if (s.cores.empty()) return "in the shared group";
  std::string text = cores(s.cores.size());
  if (s.width > 1) text += " in " + std::to_string(s.width) + " lanes";
  if (given.shared_host() == component) text += " with the shared group";
  return text;
}

void require_controller_option(bool holds, const char* field, double value, const char* range) {
  if (!holds)
    throw std::invalid_argument(std::string("controller_options: ") + field + " is " + in_digits(value) +
                                "; it must be " + range);
}

}  // namespace

std::string controller::rationale::words(const policy& rule, const allotment& from, const allotment& to) const {
  const int who = now.critical;
  std::string text = who >= 0 ? name : name.empty() ? "the shared group" : "the shared group, most of it " + name + ",";
  if (const std::string cost = rule.words(now); cost.empty())
    text += " is the bottleneck: ";
  else
    text = cost + ", " + rule.words(next) + " after the move; " + text + " counts most: ";
  text += in_digits(now.seconds_of(who) * 1e3, 3) + " ms a record " + place_of(from, who);
  if (who >= 0 || !to.shared.empty())
    text += ", " + in_digits(next.seconds_of(who) * 1e3, 3) + " ms " + place_of(to, who);
  if (is_guess) text += "; how times change with cores is still a guess";
  if (caution > 1) text += "; records were late, so times count as " + in_digits(caution, 3) + " times as long";
  return text;
}

void controller_options::validate() const {
  require_controller_option(min_gain >= 0, "min_gain", min_gain, "0 or more");
  require_controller_option(noise_weight >= 0, "noise_weight", noise_weight, "0 or more");
  require_controller_option(patience >= 1, "patience", patience, "1 or more");
  require_controller_option(early_patience >= 1, "early_patience", early_patience, "1 or more");
  require_controller_option(move_cost >= 0, "move_cost", move_cost, "0 or more");
  require_controller_option(horizon > 0, "horizon", horizon, "more than 0");
  require_controller_option(kept_part >= 0 && kept_part <= 1, "kept_part", kept_part, "in [0, 1]");
  require_controller_option(block_for >= 0, "block_for", block_for, "0 or more");
  require_controller_option(exploration_threshold >= 0, "exploration_threshold", exploration_threshold, "0 or more");
  require_controller_option(explored_part >= 0 && explored_part <= 1, "explored_part", explored_part, "in [0, 1]");
  require_controller_option(settle_after >= 1, "settle_after", settle_after, "1 or more");
}

controller::controller(policy rule, controller_options options)
    : rule_(rule.keeping()), aside_(rule.keeping()), options_(options) {
  options_.validate();
}

std::vector<decision> controller::decisions() const {
  auto all = decisions_;
  if (pending_rationale_) all.back().why = pending_rationale_->words(rule_, all.back().from, all.back().to);
  return all;
}

void controller::write_pending_rationale() {
  if (pending_rationale_)
    decisions_.back().why = pending_rationale_->words(rule_, decisions_.back().from, decisions_.back().to);
  pending_rationale_.reset();
}

allotment controller::decided(const system_view& view, allotment to, std::string why, double gain, double p99) {
  if (decisions_.size() == most_decisions) {
    ++forgotten_.decisions;
    forgotten_.reverted += decisions_[1].reverted;
    decisions_.erase(decisions_.begin() + 1);
  }
  decisions_.push_back({view.time, view.current, to, std::move(why), gain, std::nullopt, false, rule_.goal()});
  if (p99 > 0) decisions_.back().predicted_p99 = p99;
  cores_ = view.cores;
  is_steady_ = false;
  left_.reset();
  compared_at_ = 0;
  return to;
}

double controller::cost_of_a_move(const system_view& view) const {
  return view.move_cost > 0 ? view.move_cost : options_.move_cost;
}

double controller::noise_of(const system_view& view, int component) const {
  return options_.noise_weight * relative_noise(view, component);
}

bool controller::is_blocked(const system_view& view, int component) const {
  return std::any_of(blocked_.begin(), blocked_.end(), [&](const blocked_direction& b) {
    return b.receiver == component && invocations_of(view, component) < b.until;
  });
}

void controller::unblock(int receiver) {
  std::erase_if(blocked_, [&](const blocked_direction& b) { return b.receiver == receiver; });
}

// What went wrong again is blocked twice as long.
void controller::block(const system_view& view, int receiver) {
  constexpr int longest = 64;
  auto length = static_cast<std::uint64_t>(options_.block_for);
  for (const blocked_direction& b : blocked_)
    if (b.receiver == receiver) length = std::min(2 * b.length, length * longest);
  unblock(receiver);
  blocked_.push_back({receiver, length, invocations_of(view, receiver) + length});
}

controller::knowledge controller::known(const system_view& view) const {
  if (!all_observed(view)) return knowledge::partial;
  const bool is_open = std::any_of(view.components.begin(), view.components.end(), [&](const component_view& c) {
    return is_unknown(c) && c.invocations < static_cast<std::uint64_t>(options_.settle_after);
  });
  return is_open ? knowledge::observed : knowledge::complete;
}

std::optional<allotment> controller::step(const system_view& view) try {
  const auto changes = [](const component_view& c) { return !c.next_inputs.empty(); };
  if (!options_.look_ahead || std::ranges::none_of(view.components, changes)) return step_now(view);
  system_view ahead = view;
  for (component_view& c : ahead.components)
    if (changes(c)) c.inputs = c.next_inputs, c.inputs_seen = c.next_inputs_seen;
  return step_now(ahead);
} catch (...) {
  memory_.clear();  // they may know a part of this step only
  measured_.clear();
  throw;
}

std::optional<allotment> controller::step_now(const system_view& view) {
  write_pending_rationale();
  if (decisions_.empty() || view.cores != cores_ || view.current.components.size() != view.components.size())
    return decide_anew(view);
  assert(view.current == decisions_.back().to || view.current == decisions_.back().from);
  if (!rule_.adapts() || view.components.empty() || !all_observed(view)) return std::nullopt;
  if (rule_.settles()) return settle_once(view);
  if (options_.remember) memory_.look(view, options_.look_ahead);
  if (options_.go_back) measured_.look(view, rule_, aside_);
  if (auto freed = evict_inline_owner(view)) return freed;

  const assessment now = rule_.assess(view, view.current);
  if (std::isfinite(now.p99_demanded)) late_.look(view, now.p99_demanded);
  if (late_.factor() == 1) return step_by(view, now);
  system_view slower = view;
  for (component_view& c : slower.components) c.time_factor *= late_.factor();
  return step_by(slower, rule_.assess(slower, slower.current));
}

std::optional<allotment> controller::step_by(const system_view& view, const assessment& now) {
  const int reference = reference_component(view.current, now);
  if (auto back = verify_last_move(view, reference)) return back;
  if (left_) return verify_return(view, reference);
  proposal best = propose(view, now, reference);
  if (best.what != verdict::move)
    if (auto back = go_back(view, reference, is_steady_ || best.is_steady)) return back;
  if (best.what == verdict::wait) return std::nullopt;
  if (best.what == verdict::stay) return explore(view, now, reference);
  return make_move(view, now, std::move(best));
}

std::optional<allotment> controller::decide_anew(const system_view& view) {
  verify_after_.reset();
  blocked_.clear();
  memory_.clear();
  measured_.clear();
  lost_seconds_ = 0;
  late_ = {};
  known_then_ = known(view);
  const bool is_first = decisions_.empty();
  const std::string cores = "the run may now use cores " + to_string(view.cores);
  allotment to = decided(view, rule_.decide(view), is_first ? rule_.name() + " to start with" : cores, 0);
  if (to == view.current) return std::nullopt;
  return to;
}

std::optional<allotment> controller::settle_once(const system_view& view) {
  if (known_then_ == knowledge::complete || known(view) != knowledge::complete) return std::nullopt;
  known_then_ = knowledge::complete;
  allotment to = rule_.decide(view);
  if (to == view.current) return std::nullopt;
  const assessment then = rule_.assess(view, to);
  const double gain = rule_.assess(view, view.current).cost / then.cost - 1;
  return decided(view, std::move(to), "every model is known: this division stays", gain, then.p99);
}

std::optional<allotment> controller::evict_inline_owner(const system_view& view) {
  const int owner = inline_owner(view);
  if (owner < 0) return std::nullopt;
  verify_after_.reset();
  return decided(view, rule_.decide(view), at(view, owner).name + " takes less than a hand-over: it runs inline", 0);
}

std::optional<allotment> controller::verify_last_move(const system_view& view, int reference) {
  decision& last = decisions_.back();
  if (!verify_after_ || view.current != last.to || !has_run(view, reference, *verify_after_)) return std::nullopt;
  verify_after_.reset();

  // The factors are times measured since the move over times that the models expect.
  system_view since = view;
  std::vector<double> factors;
  for (component_view& c : since.components) {
    const auto n = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(c.recent.size(), c.invocations_since_move));
    double measured = 0, expected = 0;
    for (auto s = c.recent.end() - n; s != c.recent.end(); ++s) {
      measured += s->seconds;
      expected += c.model->mean(s->x, s->cores) * c.time_factor;
    }
    factors.push_back(measured > 0 && expected > 0 ? measured / expected : 1.0);
  }
  const double before = rule_.assess(since, last.from).cost;
  const double promised = before / rule_.assess(since, last.to).cost - 1;
  for (std::size_t i = 0; i < factors.size(); ++i) since.components[i].time_factor *= factors[i];
  const assessment measured = aside_.assess(since, last.to);
  const double realised = before / measured.cost - 1;
  last.realised_gain = realised;
  if (measured.p99 > 0) last.realised_p99 = measured.p99;
  const double least = options_.kept_part * last.predicted_gain, noise = noise_of(view, reference);
  if (!options_.verify) return std::nullopt;
  const bool went_wrong = realised + noise < least && promised >= least;
  if (!went_wrong) {
    const double doubt = options_.noise_weight * measured_noise(view, reference);
    if (!is_loss(since, before, realised + doubt)) {
      if (realised > options_.min_gain) unblock(receiver(last.from, last.to));
      return std::nullopt;
    }
    if (!has_run(view, reference, options_.patience)) {  // too early to be believed
      verify_after_ = options_.patience;
      return std::nullopt;
    }
  }

  const int who = receiver(last.from, last.to);
  block(view, who);
  if (realised > options_.min_gain + noise) return std::nullopt;
  last.reverted = true;
  const std::string promised_words = predicted_words(last);
  std::string why = "taken back: the last move gave " + realised_words(last);
  if (!promised_words.empty()) why += "; promised was " + promised_words;
  return decided(view, allotment(last.from), std::move(why), 1 / (1 + realised) - 1);
}

// Whether the last move was a loss that only going back undoes: the model learnt what happened, and has nothing better.
// `since`: with the times measured since the move.
bool controller::is_loss(const system_view& since, double before, double at_most) const {
  if (at_most >= -options_.min_gain) return false;
  const allotment next = aside_.decide(since);
  if (next == since.current || aside_.assess(since, next).cost > before) return true;
  for (int i = 0; i < count(since); ++i)
    if (is_guessed(at(since, i), at(since.current, i), at(next, i))) return true;
  return false;
}

controller::proposal controller::propose(const system_view& view, const assessment& now, int reference) const {
  const bool waited = has_run(view, reference, options_.patience), was_blind = known_then_ == knowledge::partial;
  if (!waited && !(has_run(view, reference, options_.early_patience) && (was_blind || any_unknown(view))))
    return {verdict::wait};
  proposal best{verdict::stay, rule_.sketch(view)};
  if (best.to == view.current) return best;
  bool is_seen = true;  // every component whose model is a guess has run a few times
  for (int i = 0; i < count(view); ++i) {
    if (!is_guessed(at(view, i), at(view.current, i), at(best.to, i))) continue;
    best.is_guess = true;
    is_seen = is_seen && has_run(view, i, options_.early_patience);
  }
  best.is_early = best.is_guess || was_blind;
  if (!(best.is_early ? is_seen : waited)) return {verdict::wait};

  best.then = rule_.assess(view, best.to);
  best.gain = now.cost / best.then.cost - 1;
  if (!(best.gain > options_.min_gain + noise_of(view, reference)) ||
      !(best.gain * options_.horizon * now.cost > cost_of_a_move(view)))
    return best;
  // If another component becomes the slowest, the gain also depends on the inputs of that component.
  if (const int next = reference_component(best.to, best.then); !best.is_early && next != reference) {
    const double doubt =
        ratio_noise(at(view, reference), at(view.current, reference), at(view, next), at(best.to, next));
    if (!(best.gain > options_.min_gain + options_.noise_weight * doubt)) return {verdict::wait};
  }
  best.to = rule_.decide(view);  // until here only its numbers counted
  best.what = is_blocked(view, receiver(view.current, best.to)) ? verdict::wait : verdict::move;
  if (best.what == verdict::move)
    if (auto steady = stay_in_the_middle(view, now, best.to)) return *std::move(steady);
  return best;
}

std::optional<controller::proposal> controller::stay_in_the_middle(const system_view& view, const assessment& now,
                                                                   const allotment& instead_of) const {
  if (!options_.remember) return {};
  constexpr std::size_t most_known = 8;
  std::vector<allotment> candidates{view.current, instead_of};
  const auto add = [&](const allotment& other) {
    if (std::find(candidates.begin(), candidates.end(), other) == candidates.end() && check(other, view.cores).empty())
      candidates.push_back(other);
  };
  for (auto d = decisions_.rbegin(); d != decisions_.rend() && candidates.size() < most_known; ++d)
    if (d->to.components.size() == view.components.size()) add(d->to);
  const double move = cost_of_a_move(view);
  // The known ones alone tell whether the stream swings. Only then are others looked for, which takes longer.
  if (!memory_.steadier_than_following(view, rule_, candidates, move, is_steady_)) return {};
  add(aside_.decide(memory_.with_mean_work(view)));
  add(aside_.decide(memory_.with_largest_work(view)));
  const auto steady = memory_.steadier_than_following(view, rule_, candidates, move, is_steady_);
  if (!steady) return {};

  proposal stay{verdict::stay, view.current};
  stay.is_steady = true;
  const double gain = steady->costs.front() / steady->costs[steady->index] - 1;
  if (!(gain > options_.min_gain) || !(gain * options_.horizon * now.cost > move)) return stay;
  stay.what = verdict::move;
  stay.to = candidates[steady->index];
  stay.gain = gain;
  return stay;
}

allotment controller::make_move(const system_view& view, const assessment& now, proposal best) {
  if (best.is_steady) {  // that it is worse for the present is no surprise
    verify_after_.reset();
    allotment to = decided(view, std::move(best.to),
                           "the stream swings faster than cores can follow: this is better for all of it", best.gain);
    decisions_.back().goal = objective::throughput;  // the memory compares bottlenecks, whatever the rule minimises
    is_steady_ = true;
    return to;
  }
  const int named = now.critical < 0 ? now.heaviest : now.critical;
  const std::string name = named < 0 ? "" : at(view, named).name;
  allotment to = decided(view, std::move(best.to), "", best.gain, best.then.p99);
  pending_rationale_ = rationale{now, std::move(best.then), name, best.is_guess, late_.factor()};
  verify_after_ = best.is_early ? options_.early_patience : options_.patience;
  known_then_ = knowledge::observed;
  return to;
}

}  // namespace weir
