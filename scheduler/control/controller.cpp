#include "scheduler/control/controller.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <weir/scheduler/divide/throughput.hpp>
#include "scheduler/control/indexing.hpp"
#include "scheduler/control/move_noise.hpp"

namespace weir {
namespace {

constexpr double clearly_better = 0.1;    // what the models say of other inputs may be wrong by as much
constexpr double errors_apart = 3;        // two would be seen by chance in some of eight allotments
constexpr double swing_records = 64;      // a swinging stream is not known by less, times the logarithm of the gain
constexpr double compared_growth = 1.25;  // of the records from one comparison to the next, since each takes a while

double doubt(const stream_history::cost& a, const stream_history::cost& b) {
  return errors_apart * std::hypot(a.error, b.error);
}

int count(const system_view& view) { return static_cast<int>(view.components.size()); }

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

// The view by the inputs of records that wait, where these are unlike those before.
std::optional<system_view> with_next_inputs(const system_view& view) {
  const auto changes = [](const component_view& c) { return !c.next_inputs.empty(); };
  if (std::ranges::none_of(view.components, changes)) return {};
  system_view ahead = view;
  for (component_view& c : ahead.components)
    if (changes(c)) c.inputs = c.next_inputs, c.inputs_seen = c.next_inputs_seen;
  return ahead;
}

std::uint64_t invocations_of(const system_view& view, int component) {
  if (component >= 0) return at(view, component).invocations;
  std::uint64_t most = 0;
  for (const component_view& c : view.components) most = std::max(most, c.invocations);
  return most;
}

}  // namespace

controller::controller(policy rule, controller_options options)
    : rules_{rule.keeping(), rule.keeping()}, options_(options) {
  options_.validate();
}

// p99: seconds, by the models (assessment::p99); 0: not asked for.
allotment controller::decided(const system_view& view, allotment to, std::string why, double gain, double p99) {
  log_.add({view.time, view.current, to, std::move(why), gain, std::nullopt, false, rules_.here.goal()});
  if (p99 > 0) log_.last().predicted_p99 = p99;
  cores_ = view.cores;
  in_force_ = {};
  return to;
}

double controller::noise_of(const situation& s) const {
  return options_.noise_weight * relative_noise(s.view, s.reference);
}

bool controller::is_blocked(const system_view& view, int component) const {
  return std::any_of(blocked_.begin(), blocked_.end(), [&](const blocked_direction& b) {
    return b.receiver == component && invocations_of(view, component) < b.until;
  });
}

void controller::unblock(int receiver) {
  std::erase_if(blocked_, [&](const blocked_direction& b) { return b.receiver == receiver; });
}

// A direction that went wrong again is blocked twice as long.
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

std::optional<allotment> controller::step(const system_view& seen) try {
  const std::optional<system_view> ahead = options_.look_ahead ? with_next_inputs(seen) : std::nullopt;
  const system_view& view = ahead ? *ahead : seen;
  log_.write_words(rules_.here);
  if (log_.list().empty() || view.cores != cores_ || view.current.components.size() != view.components.size()) {
    allotment to = decide_anew(view);
    if (to == view.current) return std::nullopt;
    return to;
  }
  assert(view.current == log_.last().to || view.current == log_.last().from);
  if (!rules_.here.adapts() || view.components.empty() || !all_observed(view)) return std::nullopt;
  if (rules_.here.decides_once()) return decide_once(view);
  history_.take(view, rules_, options_.look_ahead);
  if (auto freed = evict_inline_owner(view)) return freed;

  assessment now = rules_.here.assess(view, view.current);
  if (std::isfinite(now.p99_demanded)) late_.take(view, now.p99_demanded);
  if (late_.factor() == 1) return decide(view, now);
  system_view slower = view;
  for (component_view& c : slower.components) c.time_factor *= late_.factor();
  return decide(slower, rules_.here.assess(slower, slower.current));
} catch (...) {
  history_.clear();  // it may know a part of this step only
  throw;
}

std::optional<allotment> controller::decide(const system_view& view, const assessment& now) {
  situation s{view, now, reference_component(view.current, now)};
  for (const auto rule :
       {&controller::judge_last, &controller::follow, &controller::return_to_better, &controller::explore})
    if (verdict v = (this->*rule)(s); v.decides) return std::move(v.to);
  return std::nullopt;
}

allotment controller::decide_anew(const system_view& view) {
  blocked_.clear();
  history_.clear();
  lost_seconds_ = 0;
  late_ = {};
  known_then_ = known(view);
  const bool is_first = log_.list().empty();
  const std::string cores = "the run may now use cores " + to_string(view.cores);
  return decided(view, rules_.here.decide(view), is_first ? rules_.here.name() + " to start with" : cores, 0);
}

std::optional<allotment> controller::decide_once(const system_view& view) {
  if (known_then_ == knowledge::complete || known(view) != knowledge::complete) return std::nullopt;
  known_then_ = knowledge::complete;
  allotment to = rules_.here.decide(view);
  if (to == view.current) return std::nullopt;
  const assessment then = rules_.here.assess(view, to);
  const double gain = rules_.here.assess(view, view.current).cost / then.cost - 1;
  return decided(view, std::move(to), "every model is known: this division stays", gain, then.p99);
}

std::optional<allotment> controller::evict_inline_owner(const system_view& view) {
  const int owner = inline_owner(view);
  if (owner < 0) return std::nullopt;
  return decided(view, rules_.here.decide(view), at(view, owner).name + " takes less than a hand-over: it runs inline",
                 0);
}

controller::verdict controller::judge_last(situation& s) {
  const bool is_return = in_force_.left.has_value();
  if (!in_force_.judge_after || s.view.current != log_.last().to || !s.has_run(*in_force_.judge_after))
    return {is_return};
  in_force_.judge_after.reset();
  return is_return ? judge_return(s) : judge_move(s);
}

// Compares the gain as measured with the promised one, on the same inputs, by the models and what times were since.
controller::verdict controller::judge_move(const situation& s) {
  decision& last = log_.last();
  system_view since = s.view;
  const double before = rules_.here.assess(since, last.from).cost;
  const double promised = before / rules_.here.assess(since, last.to).cost - 1;
  for (component_view& c : since.components) c.time_factor *= ratio_since_move(c).mean;
  const assessment measured = rules_.aside.assess(since, last.to);
  const double realised = before / measured.cost - 1;
  last.realised_gain = realised;
  if (measured.p99 > 0) last.realised_p99 = measured.p99;
  const double least = options_.kept_part * last.predicted_gain, noise = noise_of(s);
  if (!options_.verify) return {};
  const bool went_wrong = realised + noise < least && promised >= least;
  if (!went_wrong) {
    const double doubt = options_.noise_weight * ratio_since_move(at(s.view, s.reference)).error;
    if (!is_loss(since, before, realised + doubt)) {
      if (realised > options_.min_gain) unblock(receiver(last.from, last.to));
      return {};
    }
    if (!s.has_run(options_.patience)) {  // too early to be believed
      in_force_.judge_after = options_.patience;
      return {};
    }
  }

  block(s.view, receiver(last.from, last.to));
  if (realised > options_.min_gain + noise) return {};
  last.reverted = true;
  const std::string promised_words = predicted_words(last);
  std::string why = "taken back: the last move gave " + realised_words(last);
  if (!promised_words.empty()) why += "; promised was " + promised_words;
  return {true, decided(s.view, allotment(last.from), std::move(why), 1 / (1 + realised) - 1)};
}

// Whether the last move was a loss that only going back undoes: the model learnt what happened, and has nothing better.
// `since`: with the times measured since the move.
bool controller::is_loss(const system_view& since, double before, double at_most) const {
  if (at_most >= -options_.min_gain) return false;
  const allotment next = rules_.aside.decide(since);
  if (next == since.current || rules_.aside.assess(since, next).cost > before) return true;
  for (int i = 0; i < count(since); ++i)
    if (is_guessed(at(since, i), at(since.current, i), at(next, i))) return true;
  return false;
}

// Whether going back helped. If not, the stream is another one, and no direction is known to be wrong.
controller::verdict controller::judge_return(const situation& s) {
  const system_view& view = s.view;
  const left_allotment left = *std::exchange(in_force_.left, std::nullopt);
  const auto now = history_.cost_of_current(view, rules_), then = history_.cost_of(left.given, view, rules_);
  if (!now || !then) return {true};
  const double gain = then->mean / now->mean - 1;
  log_.last().realised_gain = gain;
  if (gain > options_.min_gain) {
    lost_seconds_ = 0;
    if (gain > clearly_better + doubt(*now, *then)) block(view, receiver(view.current, left.given));
    return {true};
  }
  blocked_.clear();
  lost_seconds_ += 2 * cost_of_a_move(view, options_) + (view.time - log_.last().time) * std::max(0.0, -gain);
  if (gain > -options_.min_gain) return {true};
  log_.last().reverted = true;
  allotment to = decided(view, left.given, "taken back: the stream is another one now", 1 / (1 + gain) - 1);
  in_force_.is_compromise = left.was_compromise;
  return {true, std::move(to)};
}

// The policy's answer, weighed. A guess, or a move after a blind decision, comes early: a longer wait confirms nothing.
// Only the counts of cores are weighed first, since places take longer to find and most answers gain nothing.
controller::proposal controller::propose(const situation& s) const {
  const system_view& view = s.view;
  const bool waited = s.has_run(options_.patience), was_blind = known_then_ == knowledge::partial;
  if (!waited && !(s.has_run(options_.early_patience) && (was_blind || any_unknown(view)))) return {outcome::wait};
  proposal best{outcome::stay, rules_.here.sketch(view)};
  if (best.to == view.current) return best;
  bool is_seen = true;  // every component whose model is a guess has run a few times
  for (int i = 0; i < count(view); ++i) {
    if (!is_guessed(at(view, i), at(view.current, i), at(best.to, i))) continue;
    best.is_guess = true;
    is_seen = is_seen && s.has_run(i, options_.early_patience);
  }
  best.is_early = best.is_guess || was_blind;
  if (!(best.is_early ? is_seen : waited)) return {outcome::wait};

  best.then = rules_.here.assess(view, best.to);
  best.gain = s.now.cost / best.then.cost - 1;
  if (!(best.gain > options_.min_gain + noise_of(s)) ||
      !(best.gain * options_.horizon * s.now.cost > cost_of_a_move(view, options_)))
    return best;
  // If another component becomes the slowest, the gain also depends on the inputs of that component.
  if (const int next = reference_component(best.to, best.then); !best.is_early && next != s.reference) {
    const double doubt =
        ratio_noise(at(view, s.reference), at(view.current, s.reference), at(view, next), at(best.to, next));
    if (!(best.gain > options_.min_gain + options_.noise_weight * doubt)) return {outcome::wait};
  }
  best.to = rules_.here.decide(view);  // until here only its numbers counted
  best.what = is_blocked(view, receiver(view.current, best.to)) ? outcome::wait : outcome::move;
  if (best.what == outcome::move)
    if (auto other = compromise(s, best.to)) return *std::move(other);
  return best;
}

// The proposal in place of `instead_of`, where the stream swings faster than cores can follow it. By the models of now
// a move may be right and yet come too late each time. So the allotments of the past, and two for the work of the whole
// history, are candidates for the whole of it.
std::optional<controller::proposal> controller::compromise(const situation& s, const allotment& instead_of) const {
  if (!options_.remember) return {};
  const system_view& view = s.view;
  constexpr std::size_t most_known = 8;
  std::vector<allotment> candidates{view.current, instead_of};
  const auto add = [&](const allotment& other) {
    if (std::find(candidates.begin(), candidates.end(), other) == candidates.end() && check(other, view.cores).empty())
      candidates.push_back(other);
  };
  for (auto d = log_.list().rbegin(); d != log_.list().rend() && candidates.size() < most_known; ++d)
    if (d->to.components.size() == view.components.size()) add(d->to);
  const double move = cost_of_a_move(view, options_);
  // The known ones alone tell whether the stream swings. Only then are others found, which takes longer.
  if (!history_.beats_following(view, rules_.here, candidates, move, in_force_.is_compromise)) return {};
  add(rules_.aside.decide(history_.with_mean_work(view)));
  add(rules_.aside.decide(history_.with_largest_work(view)));
  const auto found = history_.beats_following(view, rules_.here, candidates, move, in_force_.is_compromise);
  if (!found) return {};

  proposal stay{outcome::stay, view.current};
  stay.is_compromise = true;
  const double gain = found->costs.front() / found->costs[found->index] - 1;
  if (!(gain > options_.min_gain) || !(gain * options_.horizon * s.now.cost > move)) return stay;
  stay.what = outcome::move;
  stay.to = candidates[found->index];
  stay.gain = gain;
  return stay;
}

controller::verdict controller::follow(situation& s) {
  proposal best = propose(s);
  s.is_best = best.what == outcome::stay;
  s.is_for_swings = in_force_.is_compromise || best.is_compromise;
  if (best.what != outcome::move) return {};
  if (best.is_compromise) {  // that it is worse for the present is no surprise
    allotment to = decided(s.view, std::move(best.to),
                           "the stream swings faster than cores can follow: this is better for all of it", best.gain);
    log_.last().goal = objective::throughput;  // the memory compares bottlenecks, whatever the rule minimises
    in_force_.is_compromise = true;
    return {true, std::move(to)};
  }
  const int named = s.now.critical < 0 ? s.now.heaviest : s.now.critical;
  const std::string name = named < 0 ? "" : at(s.view, named).name;
  allotment to = decided(s.view, std::move(best.to), "", best.gain, best.then.p99);
  log_.explain_last({s.now, std::move(best.then), name, best.is_guess, late_.factor()});
  in_force_.judge_after = best.is_early ? options_.early_patience : options_.patience;
  known_then_ = knowledge::observed;
  return {true, std::move(to)};
}

// The best allotment that was in force before, if it was clearly better than the one in force is. Not before this one
// has cost more than finding out does, and than the returns that did not help have cost since one did.
controller::verdict controller::return_to_better(situation& s) {
  const system_view& view = s.view;
  if (!options_.go_back || !options_.verify || late_.factor() != 1) return {};
  const double records = history_.records(view);
  if (records < in_force_.compared_at) in_force_.compared_at = 0;  // of another allotment, or of other inputs
  if (!s.has_run(options_.early_patience) || records < compared_growth * in_force_.compared_at) return {};
  in_force_.compared_at = records;
  const auto now = history_.cost_of_current(view, rules_);
  if (!now) return {};
  std::optional<allotment> best;
  double most = 0;
  const double cost_of_trial = 2 * cost_of_a_move(view, options_) + options_.patience * now->mean + lost_seconds_;
  for (const allotment& before : history_.before()) {
    const auto then = history_.cost_of(before, view, rules_);
    if (!then || !(then->mean > 0 && now->mean > then->mean)) continue;
    const double gain = now->mean / then->mean - 1, factor = std::log1p(gain);
    const bool is_clear = factor > std::log1p(clearly_better) + doubt(*now, *then);
    const bool is_known = !s.is_for_swings || factor * std::min(now->records, then->records) > swing_records;
    const bool pays = (now->mean - then->mean) * now->records > cost_of_trial;
    if (is_clear && is_known && pays && gain > most) most = gain, best = before;
  }
  if (!best || !check(*best, view.cores).empty()) return {};
  left_allotment left{view.current, in_force_.is_compromise};
  allotment to = decided(view, *std::move(best), "", most);
  log_.last().why = "gone back to a division that was measured before: " + predicted_words(log_.last());
  in_force_.judge_after = options_.patience;
  in_force_.left = std::move(left);
  return {true, std::move(to)};
}

controller::verdict controller::explore(situation& s) {
  if (!s.is_best) return {};
  auto found = exploration_.next(s, rules_.here, log_.list(), options_, [&](const allotment& to) {
    return in_force_.is_compromise && compromise(s, to);  // as the one in force was chosen not to
  });
  if (!found) return {};
  allotment to = decided(s.view, std::move(found->to), std::move(found->why), found->predicted_gain, found->p99);
  in_force_.judge_after = options_.patience;
  return {true, std::move(to)};
}

}  // namespace weir
