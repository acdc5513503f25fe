#include "model/predictors/joint_estimator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <utility>

#include "model/predictors/index_state.hpp"

namespace weir {
namespace {

// From half a window on the fits change little. Beyond a window only another cost changes the index, and a fit costs as
// much as a thousand observations: so the checks become rare.
bool is_due(std::uint64_t seen) {
  constexpr std::array<std::uint64_t, 13> first{8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256};
  const std::uint64_t later = std::clamp<std::uint64_t>(std::bit_floor(seen) / 4, first.back(), 4096);
  return seen > first.back() ? seen % later == 0 : std::find(first.begin(), first.end(), seen) != first.end();
}

// An index of as many observations replaces the present one from here on. The present one predicted most of them; the
// new one is fitted to them, which explains 5 % by chance.
constexpr double clearly_better = 0.75;

// Before the first fit all numbers count alike.
joint_index first_index(const std::vector<predictor_form>& forms) {
  joint_index out;
  for (std::size_t j = 0; j < forms.size(); ++j)
    if (forms[j] == predictor_form::number && out.numbers_used < joint_index::most_numbers)
      out.numbers[out.numbers_used++] = {.predictor = static_cast<int>(j), .least = 1e-300};
  using enum joint_index::combination;
  out.form = out.numbers_used == 0 ? none : out.numbers_used == 1 ? one : product;
  for (int i = 0; i < out.numbers_used; ++i) out.numbers[i].slope = 1.0 / out.numbers_used;
  return out;
}

bool is_same(const joint_index& a, const joint_index& b) {
  using enum joint_index::combination;
  return a.form == b.form && (a.form == none || (a.form == one && a.numbers[0].predictor == b.numbers[0].predictor));
}

}  // namespace

joint_estimator::joint_estimator(std::string name, std::vector<predictor_form> forms, maker make)
    : name_(std::move(name)),
      forms_(std::move(forms)),
      make_(std::move(make)),
      index_(first_index(forms_)),
      by_x_(fresh(index_)) {}

joint_estimator::joint_estimator(const joint_estimator& other)
    : estimator(other),
      name_(other.name_),
      forms_(other.forms_),
      make_(other.make_),
      index_(other.index_),
      by_x_(other.by_x_->clone()),
      window_(other.window_),
      seen_(other.seen_),
      changes_(other.changes_) {}

std::unique_ptr<estimator> joint_estimator::fresh(const joint_index& index) const {
  return make_(index.form == joint_index::combination::none ? degree{0} : unknown_degree);
}

predictor_values joint_estimator::values_of(const observation& seen) const {
  predictor_values out{};
  out[0] = static_cast<float>(seen.x);
  for (std::size_t j = 1; j < forms_.size(); ++j) out[j] = static_cast<float>(seen.further[j - 1]);
  return out;
}

void joint_estimator::observe(const observation& seen) {
  const predictor_values values = values_of(seen);
  observation one = seen;
  one.x = index_.at(values);
  bool usable = std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
  for (std::size_t j = 0; j < forms_.size(); ++j)  // a mean of different kinds is none
    usable = usable && (forms_[j] != predictor_form::kind || values[j] == std::floor(values[j]));
  if (!usable || !is_usable(one)) return;
  window_[seen_ % most_index_samples] = {values, seen.cores, std::log(seen.seconds)};
  ++seen_;
  by_x_->observe(one);
  if (!is_due(seen_)) return;
  try {
    refit();
  } catch (const std::bad_alloc&) {  // the present index stays
  }
}

std::array<index_sample, most_index_samples> joint_estimator::in_order() const {
  std::array<index_sample, most_index_samples> out;
  const std::size_t n = kept();
  for (std::size_t i = 0; i < n; ++i) out[i] = window_[(seen_ - n + i) % most_index_samples];
  return out;
}

void joint_estimator::refit() {
  const auto all = in_order();
  const std::span<const index_sample> samples(all.data(), kept());
  const joint_index next = fit_index(samples, forms_);
  if (is_same(next, index_)) {
    index_.explained = next.explained;
    return;
  }
  if (seen_ > most_index_samples && left_by(next, samples) > clearly_better * left_by(index_, samples)) return;
  std::unique_ptr<estimator> learnt = fresh(next);
  for (const index_sample& s : samples) {
    observation one;
    one.x = next.at(s.of);
    one.cores = s.cores;
    one.seconds = std::exp(s.log_seconds);
    learnt->observe(one);
  }
  by_x_ = std::move(learnt);
  index_ = next;
  ++changes_;
}

description joint_estimator::describe() const {
  description out = by_x_->describe();
  out.estimator = name_;
  out.explained = index_.form == joint_index::combination::none ? 0 : index_.explained;
  for (int j = 0; j < predictors(); ++j)
    if (index_.uses(j)) {
      out.uses.push_back(j);
      out.use_names.push_back(std::to_string(j + 1) + (index_.uses_levels(j) ? " (kind)" : ""));
    }
  out.words = in_words(out);
  return out;
}

std::unique_ptr<estimator> joint_estimator::clone() const { return std::make_unique<joint_estimator>(*this); }

std::vector<double> joint_estimator::state() const {
  std::vector<double> out{static_cast<double>(forms_.size()), static_cast<double>(seen_)};
  append_index(index_, out);
  const auto all = in_order();
  for (std::size_t i = 0; i < kept(); ++i) {
    out.insert(out.end(), all[i].of.begin(), all[i].of.end());
    out.push_back(all[i].cores);
    out.push_back(all[i].log_seconds);
  }
  const std::vector<double> inner = by_x_->state();
  out.insert(out.end(), inner.begin(), inner.end());
  return out;
}

bool joint_estimator::restore(const std::vector<double>& state) {
  if (!std::all_of(state.begin(), state.end(), [](double v) { return std::isfinite(v); })) return false;
  constexpr double most_seen = 1e15;
  if (state.size() < 2 || state[0] != static_cast<double>(forms_.size()) || state[1] < 0 || state[1] > most_seen ||
      state[1] != std::floor(state[1]))
    return false;
  std::span<const double> rest(state.begin() + 2, state.end());
  const auto index = take_index(rest, predictors());
  if (!index) return false;
  joint_estimator next(name_, forms_, make_);
  next.index_ = *index;
  next.seen_ = static_cast<std::uint64_t>(state[1]);
  constexpr std::size_t per_sample = most_predictors + 2;
  if (rest.size() < next.kept() * per_sample) return false;
  for (std::size_t i = 0; i < next.kept(); ++i, rest = rest.subspan(per_sample)) {
    index_sample& s = next.window_[(next.seen_ - next.kept() + i) % most_index_samples];
    const double cores = rest[most_predictors];
    if (!(cores >= 1 && cores <= 0x7fffffff) || cores != std::floor(cores)) return false;
    if (std::abs(rest[most_predictors + 1]) > 30) return false;  // 1e-12 to 1e12 seconds
    for (int j = 0; j < most_predictors; ++j) {
      s.of[j] = static_cast<float>(rest[j]);
      if (s.of[j] != rest[j]) return false;
    }
    s.cores = static_cast<int>(cores);
    s.log_seconds = rest[most_predictors + 1];
  }
  next.by_x_ = next.fresh(next.index_);
  if (!next.by_x_->restore({rest.begin(), rest.end()})) return false;
  index_ = next.index_;
  by_x_ = std::move(next.by_x_);
  window_ = next.window_;
  seen_ = next.seen_;
  ++changes_;
  return true;
}

bool joint_estimator::rescale(double factor) {
  if (!by_x_->rescale(factor)) return false;
  constexpr double most = 30;  // 1e-12 to 1e12 seconds, as restore() takes them
  for (index_sample& s : window_) s.log_seconds = std::clamp(s.log_seconds + std::log(factor), -most, most);
  return true;
}

}  // namespace weir
