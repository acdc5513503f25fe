#include "model/weir/weir_estimator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "model/law/coverage.hpp"
#include "model/weir/family.hpp"
#include "model/weir/law_moments.hpp"
#include "model/weir/state_format.hpp"
#include "model/weir/state_reader.hpp"

namespace weir {
namespace {

bool is_refit_due(double mass) {
  const auto count = static_cast<std::uint64_t>(mass);
  constexpr std::uint64_t many = 1024;  // from here on an observation changes next to nothing
  const std::uint64_t interval = std::max<std::uint64_t>(std::bit_floor(count) / (count < many ? 8 : 2), 1);
  return count % interval == 0;
}

// Refit when the 3rd, 6th, 12th and 24th observation on a core count arrives: each changes the curve noticeably.
// `before`: observations on that core count before the latest.
bool is_news(double before) {
  if (before >= 24) return false;
  for (const double count : {3.0, 6.0, 12.0, 24.0})
    if (before < count && before + 1 >= count) return true;
  return false;
}

// At a p with fewer observations, or while the model has less mass, a surprise shows the curve's shape and not a
// change.
constexpr double seen_often = 3, known_well = 10;
// At first the robust scatter includes errors of a law that was not yet known. From this mass on it has forgotten them.
constexpr double robust_from = 40;
// Below this mass the law itself moves too much for its error along x to be learnt.
constexpr double known_shape = 20;

// How many observations a law is worth after all times changed by one factor. Its shape was right, but the shape of the
// next phase may differ by less than the test detects.
constexpr double worth_after_level = 8;

// The same on another machine or input, where observations showed that the shape is right.
constexpr double worth_after_rescaling = 30;

// The least deviation that counts, where times are exact.
constexpr double least_deviation = 1e-3;

// Weights chosen for no floor, or for less than a quarter of the present one, are of no use: the model begins anew.
constexpr double much_higher = 4;

void write_curves(const component_law& law, description& to) {
  to.coefficients.clear();
  for (int i = 0; i <= law.highest(); i += law.step) {
    to.coefficients.push_back(law.coefficient(i));
    if (law.two_curves) to.serial.push_back(law.serial_coefficient(i));
    if (law.roots && law.step == 1) to.powers.push_back(0.5 * i);
  }
}

double log_time(double seconds) { return std::log(std::max(seconds, shortest_time)); }

double bounded_exp(double log_factor) {
  constexpr double most = 20;
  return std::exp(std::clamp(log_factor, -most, most));
}

// The squared log of the error of a law that kinds have spoilt: a law with a third wrong.
constexpr double large_signal = 0.1;

}  // namespace

weir_estimator::weir_estimator(degree k, weir_parts parts)
    : parts_(parts),
      sums_(k.value == unknown_degree.value ? component_law::max_degree : k.value, power_sums::default_capacity,
            k.value == unknown_degree.value) {
  expected_.law.degree = fit_.law.degree = sums_.degree();
  expected_.law.roots = fit_.law.roots = sums_.roots();
}

// Times below the noise floor say only that they are short, so they are raised to it.
double weir_estimator::log_ratio(double seconds, double expected) const {
  return std::log(std::max(seconds, floor_) / std::max(expected, floor_));
}

// The factor on Tseq at x: smooth along x, and that of an x which comes again.
double weir_estimator::factor_at(const component_law& law, double x) const {
  const double along_x = along_x_.at(x);
  if (!kinds_.is_known()) return along_x;
  return along_x * bounded_exp(kinds_.log_factor(x, 0, log_time(law.sequential(x) * along_x)));
}

// The factor on a mean at x and p that come again together.
double weir_estimator::factor_at(double x, int cores, double mean) const {
  return pairs_.is_known() ? bounded_exp(pairs_.log_factor(x, cores, log_time(mean))) : 1;
}

void weir_estimator::observe(const observation& seen) {
  if (!is_usable(seen)) return;
  if (sums_.count() == 0) {
    add(seen.x, seen.cores, seen.seconds, seen.seconds, 1);
    refit();
    return;
  }
  const double without_x = expected_.law(seen.x, seen.cores) * expected_.along_p.at(seen.cores);
  const double smooth = without_x * along_x_.at(seen.x), at_x = factor_at(expected_.law, seen.x);
  const double without_pair = without_x * at_x;
  const double expected = without_pair * factor_at(seen.x, seen.cores, without_pair);
  const double residual = log_ratio(seen.seconds, expected);
  const double deviation = std::max(scatter_.deviation(), least_deviation);
  const bool learnt = sums_.mass() >= known_well;
  const bool inside = seen.x >= sums_.smallest_x() && seen.x <= sums_.largest_x() &&
                      seen.cores >= sums_.smallest_cores() && seen.cores <= sums_.largest_cores();
  const double before = sums_.mass_at(seen.cores);
  const bool expects = learnt && inside && before >= seen_often;
  const double weight = parts_.huber ? huber_weight(residual / deviation) : 1;
  const double of_kind = smooth > 0 ? without_pair / smooth : 1;  // the law learns times without it
  add(seen.x, seen.cores, seen.seconds / of_kind, expected / of_kind, learnt && inside ? weight : 1);
  // With one x, a time that differs shows a change and no kind.
  const bool x_varies = sums_.smallest_x() < sums_.largest_x();
  if (parts_.repeats && learnt && x_varies && learn_repeats(seen, smooth, without_pair)) return;
  if (parts_.x_correction && sums_.mass() >= known_shape)
    along_x_.add(seen.x, log_ratio(seen.seconds, without_x), weight);
  const drift::remembered memory{seen.x, static_cast<float>(seen.seconds), static_cast<float>(residual), seen.cores};
  const drift::verdict found = drift_.add(memory, deviation, parts_.drift && expects);
  if (found.kind != drift::change::none) {
    change(found);
    return;
  }
  if (parts_.drift && expects)
    if (const double level = moved_level(seen.cores); level != 0) {
      change({drift::change::level, level, seen.averaged == 1 ? drift::memory : 1});
      drift_ = {};
      return;
    }
  scatter_.add(residual);
  if (expects && seen.averaged == 1) ratios_.add(residual);
  if (parts_.noise_floor && learnt) {
    noise_.add(expected, seen.seconds);
    if (const double time = noise_.time(); time > much_higher * floor_) {
      floor_ = time;
      drift_.restart();
      kinds_ = pairs_ = {};
      begin_anew();
      return;
    }
  }
  if (is_refit_due(sums_.mass()) || is_news(before)) refit();
}

// Returns true where the law is learnt anew, since it is found that most of its error was that of kinds.
bool weir_estimator::learn_repeats(const observation& seen, double smooth, double without_pair) {
  const double log_seconds = log_time(seen.seconds), log_smooth = log_time(smooth);
  const double sequential = expected_.law.sequential(seen.x) * along_x_.at(seen.x);
  const double log_share = log_time(smooth / std::max(sequential, shortest_time));
  const bool was_known = kinds_.is_known();
  kinds_.add(seen.x, 0, log_seconds - log_share, log_smooth - log_share);
  pairs_.add(seen.x, seen.cores, log_seconds, without_pair == smooth ? log_smooth : log_time(without_pair));
  if (was_known || !(kinds_.signal() > large_signal)) return false;
  kinds_.weaken();
  begin_anew();
  return true;
}

void weir_estimator::add(double x, int cores, double seconds, double expected, double weight) {
  const double scale = std::clamp(expected, seconds / 2, seconds * 2);
  sums_.add(x, cores, seconds, weight / (floor_ * floor_ + scale * scale));
}

void weir_estimator::change(const drift::verdict& found) {
  if (found.kind == drift::change::level) {
    for (int i = 1; i < found.since; ++i) ratios_.take_out(drift_.last(i).residual);  // the last one was never in
    sums_.scale_times(std::exp(found.level));
    if (sums_.mass() > worth_after_level) sums_.forget(worth_after_level / sums_.mass());
    along_x_ = {};  // these also learnt from the first observations after the change
    kinds_ = pairs_ = {};
    refit();
  } else {
    noise_ = {};
    floor_ = timer_noise;
    kinds_ = pairs_ = {};
    begin_anew();
  }
}

// The level that times at this p have left, as a logarithm; 0: none is proved. A law that misses a p, or a range of x,
// is off there from the first time on.
double weir_estimator::moved_level(int cores) const {
  constexpr double many_there = 2 * drift::memory, least_part = 0.5;
  if (sums_.mass_at(cores) < many_there || sums_.exponent() != expected_.law.exponent) return 0;
  const double bias = drift_.bias();
  if (bias == 0) return 0;
  double smallest = drift_.last(0).x, largest = smallest;
  for (int i = 1; i < drift::memory; ++i) {
    smallest = std::min(smallest, drift_.last(i).x);
    largest = std::max(largest, drift_.last(i).x);
  }
  if (largest - smallest < least_part * (sums_.largest_x() - sums_.smallest_x())) return 0;
  const slot_times all = times_of(sums_.at(sums_.index_of(cores)), expected_.law);
  if (!(all.square > 0 && all.product > 0)) return 0;
  const double of_all = std::log(all.product / (all.square * expected_.along_p.at(cores)));
  return (bias - of_all) * bias >= least_part * bias * bias ? bias : 0;
}

// Corrections are relative to the law, so they remain. The observations that the drift test remembers are of the
// former machine, so they go.
bool weir_estimator::rescale(double factor) {
  if (sums_.count() == 0) return true;
  drift_ = {};
  floor_ = std::max(factor * floor_, timer_noise);
  noise_.scale_times(factor);
  kinds_.scale_times(std::log(factor));
  pairs_.scale_times(std::log(factor));
  sums_.scale_times(factor);
  if (sums_.mass() > worth_after_rescaling) sums_.forget(worth_after_rescaling / sums_.mass());
  fit_.observations = 0;
  expected_.law = fit().law;  // with which refit() leaves the corrections as they are
  refit();
  return true;
}

// Forgets everything except the observations that the drift test remembers, and learns those again.
void weir_estimator::begin_anew() {
  const int count = drift_.remembered_count();
  sums_.clear(count);
  along_x_ = {};
  scatter_ = {};
  ratios_ = {};
  for (int i = count - 1; i >= 0; --i) {
    const drift::remembered& seen = drift_.last(i);
    const double seconds = seen.seconds / factor_at(expected_.law, seen.x);
    add(seen.x, seen.cores, seconds, seconds, 1);
  }
  refit();
}

void weir_estimator::refit() {
  fit_.observations = 0;
  fit_ = fit();
  double inverse_cores = 0;
  for (int i = 0; i < sums_.slots(); ++i) inverse_cores += sums_.at(i).inverse_cores * sums_.at(i).mass / sums_.mass();
  along_x_.rebase(expected_.law, fit_.law, inverse_cores);
  expected_.law = fit_.law;
  expected_.along_p = fit_.along_p;
  along_x_.estimate(std::max(scatter_.deviation(), least_deviation));
}

weir_estimator::fitted weir_estimator::fit() const {
  if (fit_.observations == sums_.count()) return fit_;
  const chosen_law chosen = choose_law(sums_, parts_.families);
  const double robust = std::max(scatter_.deviation(), least_deviation);
  const double most = sums_.mass() < robust_from ? std::numeric_limits<double>::infinity() : robust;
  fitted out{chosen.fit.law, {}, uncertainty_of(sums_, chosen, most), sums_.count(), {}};
  if (parts_.p_correction) out.along_p = p_correction::of(sums_, out.law);
  const bool x_varies = sums_.smallest_x() < sums_.largest_x();
  if (parts_.level && !x_varies) out.of_all = level::of(ratios_, std::min(out.trust.scatter, 1.0));
  return out;
}

// Without the level.
double weir_estimator::mean(const fitted& by, double x, int cores) const {
  x = std::max(0.0, x);
  cores = std::max(cores, 1);
  const double mean = by.law(x, cores) * factor_at(by.law, x) * by.along_p.at(cores);
  return mean * factor_at(x, cores, mean);
}

prediction weir_estimator::predict(const fitted& by, double x, int cores) const {
  x = std::max(0.0, x);
  cores = std::max(cores, 1);
  prediction out;
  out.sequential = by.law.sequential(x) * factor_at(by.law, x) * by.along_p.at(1);
  out.mean = mean(by, x, cores);
  out.alpha = by.law.alpha_at(x);
  by.trust.judge(by.law, x, cores, even_noise(), by.of_all, out);
  for (double* seconds : {&out.sequential, &out.mean, &out.spread, &out.uncertainty}) *seconds *= by.of_all.mean;
  return out;
}

prediction weir_estimator::predict(double x, int cores) const {
  if (sums_.count() == 0) return nothing_known();
  return fit_.observations == sums_.count() ? predict(fit_, x, cores) : predict(fit(), x, cores);
}

double weir_estimator::mean(double x, int cores) const {
  if (sums_.count() == 0) return nothing_known().mean;
  return is_fitted() ? mean(fit_, x, cores) : mean(fit(), x, cores);
}

time_moments weir_estimator::moments(std::span<const typical_input> inputs, int cores) const {
  if (sums_.count() == 0) return estimator::moments(inputs, cores);
  return is_fitted() ? moments(fit_, inputs, cores) : moments(fit(), inputs, cores);
}

time_moments weir_estimator::moments(const fitted& by, std::span<const typical_input> inputs, int cores) const {
  const component_law& law = by.law;
  cores = std::max(cores, 1);
  const double p = cores, share = law.share(1 / p), further = law.fork_join * (p - 1);
  const double along_p = by.along_p.at(cores), along_one = by.along_p.at(1);
  time_moments sum;
  for (; !inputs.empty(); inputs = inputs.subspan(std::min(inputs.size(), uncertainty::together))) {
    const std::size_t n = std::min(inputs.size(), uncertainty::together);
    uncertainty::several all;
    for (std::size_t k = 0; k < n; ++k) {
      const double x = std::max(0.0, inputs[k].x), along_x = factor_at(law, x), work = law.sequential(x);
      all.x[k] = x;
      all.sequential[k] = work * along_x * along_one;
      const double serial = law.serial_curve(x) * (1 - 1 / p);
      all.mean[k] = (work * share + serial + further) * along_x * along_p;
      all.mean[k] *= factor_at(x, cores, all.mean[k]);
    }
    const auto spread = by.trust.spreads(law, cores, even_noise(), all);
    for (std::size_t k = 0; k < n; ++k) {
      const double seconds = std::max(all.mean[k], shortest_time);
      sum.mean += inputs[k].weight * seconds;
      sum.square += inputs[k].weight * (seconds * seconds + (std::isfinite(spread[k]) ? spread[k] * spread[k] : 0));
    }
  }
  return sum;
}

std::optional<input_sums> weir_estimator::sums_over(std::span<const typical_input> inputs) const {
  if (!is_fitted() || pairs_.is_known()) return std::nullopt;
  input_sums sums;
  for (const auto& [x, weight] : inputs) {
    const double there = weight * factor_at(fit_.law, std::max(0.0, x));
    sums.work += there * fit_.law.sequential(x);
    sums.further += there * fit_.law.fork_join;
    sums.serial += there * fit_.law.serial_curve(std::max(0.0, x));
  }
  return sums;
}

double weir_estimator::mean_of(const input_sums& sums, int cores) const {
  cores = std::max(cores, 1);
  const double p = cores;
  const double seconds = sums.work * fit_.law.share(1 / p) + sums.serial * (1 - 1 / p) + sums.further * (p - 1);
  return std::max(seconds * fit_.along_p.at(cores), shortest_time);
}

// One standard deviation of the logarithm of a time about the law.
double weir_estimator::scatter() const {
  const bool fresh = fit_.observations == sums_.count();
  return std::min((fresh ? fit_ : fit()).trust.scatter, 1.0);
}

// Times below the noise floor say only that they are short, so no quantile above the mean is below it.
double weir_estimator::quantile_of(double part, double x, int cores) const {
  if (sums_.count() == 0) return std::numeric_limits<double>::infinity();
  const double log_ratio = ratios_.log_quantile(part, scatter()), seconds = mean(x, cores);
  return std::exp(log_ratio) * (log_ratio > 0 ? std::max(seconds, floor_) : seconds);
}

description weir_estimator::describe() const {
  description out;
  out.estimator = "weir";
  out.alpha = optimistic_alpha;
  out.coefficients.resize(sums_.roots() ? 4 : static_cast<std::size_t>(sums_.degree()) + 1);
  if (sums_.count() > 0) {
    const fitted now = fit();
    write_curves(now.law, out);
    for (std::vector<double>* curve : {&out.coefficients, &out.serial})
      for (double& c : *curve) c *= now.of_all.mean;
    out.alpha = now.law.alpha_at(sums_.largest_x());
    out.alpha_known = now.trust.alpha_known;
    out.contention = now.law.contention;
    out.fork_join = now.law.fork_join * now.of_all.mean;
    out.scatter = std::sqrt(now.trust.scatter * now.trust.scatter + now.of_all.scatter);
    out.p99 = std::exp(ratios_.log_quantile(0.99, std::min(now.trust.scatter, 1.0))) / now.of_all.mean;
    out.observations = sums_.count();
    out.smallest_cores = sums_.smallest_cores();
    out.largest_cores = sums_.largest_cores();
    out.smallest_x = sums_.smallest_x();
    out.largest_x = sums_.largest_x();
  }
  out.words = in_words(out);
  return out;
}

known_cores weir_estimator::cores_known() const {
  if (sums_.count() == 0) return {};
  const bool fresh = fit_.observations == sums_.count();
  return {(fresh ? fit_ : fit()).trust.alpha_known, sums_.largest_cores(), sums_.smallest_cores()};
}

std::unique_ptr<estimator> weir_estimator::clone() const {
  auto copy = std::make_unique<weir_estimator>(*this);
  if (sums_.count() > 0) copy->fit_ = fit();
  return copy;
}

std::vector<double> weir_estimator::state() const {
  const component_law& law = expected_.law;
  std::vector<double> out{format_of(sums_), static_cast<double>(law.exponent),
                          law.alpha,        law.contention,
                          law.fork_join,    scatter_.median,
                          scatter_.seen,    floor_};
  for (const float v : {noise_.middle, noise_.short_time, noise_.short_error, noise_.long_error, noise_.seen})
    out.push_back(v);
  const auto append = [&](const auto& numbers) { out.insert(out.end(), numbers.begin(), numbers.end()); };
  out.push_back(law.step);
  out.push_back(law.two_curves);
  append(law.c);
  append(law.serial);
  append(drift_.numbers());
  append(along_x_.numbers());
  append(kinds_.numbers());
  append(pairs_.numbers());
  append(expected_.along_p.numbers());
  append(ratios_.numbers());
  append(sums_.numbers());
  return out;
}

bool weir_estimator::restore(const std::vector<double>& state) {
  if (!state.empty() && is_former(state[0])) return restore(updated(state));
  state_reader from(state);
  const auto header = from.take<15>();
  const auto c = from.take<component_law::max_degree + 1>();
  const auto serial = from.take<component_law::max_degree + 1>();
  const auto changes = from.take<drift::size>();
  const auto along_x = from.take<x_correction::size>();
  const auto kinds = from.take<repeats::size>();
  const auto pairs = from.take<repeats::size>();
  const auto along_p = from.take<p_correction::size>();
  const auto ratios = from.take<ratio_sketch::size>();
  const bool whole = !from.is_short() && std::ranges::all_of(state, [](double v) { return std::isfinite(v); });
  if (!whole || header[0] != format_of(sums_)) return false;
  weir_estimator next(sums_.roots() ? unknown_degree : degree{sums_.degree()}, parts_);
  component_law& law = next.expected_.law;
  law.exponent = static_cast<int>(std::clamp(header[1], -2000.0, 2000.0));
  law.alpha = header[2];
  law.contention = header[3];
  law.fork_join = header[4];
  law.step = header[13] == 2 ? 2 : 1;
  law.two_curves = header[14] != 0;
  std::ranges::copy(c, law.c.begin());
  std::ranges::copy(serial, law.serial.begin());
  next.scatter_ = {header[5], header[6]};
  next.floor_ = header[7];
  std::array<float, 5> noise{};
  const auto medians = header.subspan<8, 5>();
  if (!std::ranges::all_of(medians, [](double v) { return v >= 0 && v <= 1e12; })) return false;
  std::ranges::transform(medians, noise.begin(), [](double v) { return static_cast<float>(v); });
  next.noise_ = {noise[0], noise[1], noise[2], noise[3], noise[4]};
  constexpr double largest = 1e40;  // seconds; products of these are finite
  const bool fits = law.exponent == header[1] && law.alpha >= 0 && law.alpha <= 1 && law.contention >= 0 &&
                    law.contention <= 1e6 && law.fork_join >= 0 && law.fork_join <= largest &&
                    next.scatter_.median > 0 && next.scatter_.seen >= 0 && next.scatter_.median <= 1e3 &&
                    next.floor_ >= timer_noise && next.floor_ <= largest &&
                    std::ranges::all_of(c, [](double v) { return v >= 0 && v <= largest; }) &&
                    std::all_of(c.begin() + law.degree + 1, c.end(), [](double v) { return v == 0; }) &&
                    std::ranges::equal(serial, c, [](double s, double all) { return s >= 0 && s <= all; }) &&
                    law.step == header[13] && law.step <= (law.roots ? 2 : 1) && (header[14] == 0 || header[14] == 1);
  if (!fits || !next.drift_.assign(changes) || !next.along_x_.assign(along_x) || !next.kinds_.assign(kinds) ||
      !next.pairs_.assign(pairs) || !next.expected_.along_p.assign(along_p) || !next.ratios_.assign(ratios) ||
      !next.sums_.assign(from.rest()))
    return false;
  if (next.sums_.count() > 0) {
    next.fit_ = next.fit();
    const coverage seen{next.sums_.count(), 1, 1, next.sums_.smallest_x(), next.sums_.largest_x()};
    if (!is_sound_everywhere([&](double x, int cores) { return next.predict(x, cores); }, seen)) return false;
  }
  *this = std::move(next);
  return true;
}

}  // namespace weir
