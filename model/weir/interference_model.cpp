#include "model/weir/interference_model.hpp"

#include <algorithm>
#include <cmath>

#include "model/least_squares/non_negative.hpp"

namespace weir {
namespace {

constexpr int most_fit_rounds = 40;
// A round that lowers the squares by less than this share is the last.
constexpr double least_improvement = 1e-5;
// Fewer observations of a component tell no curve from its level.
constexpr int fewest_of_each = 8;
// A curve or pressure has to lower the squares by this many variances. Without it, one in five components that do not
// interfere appears slowed down by more than 1 %; with it, 1 of 227 did.
constexpr double least_gain = 14;
// The least variance of a relative time: no clock repeats better.
constexpr double least_relative_variance = 1e-8;

std::array<double, 3> curve_columns(double pressure) {
  return {pressure, pressure * pressure, pressure / (1 + pressure)};
}

}  // namespace

interference_model::interference_model(int components) : all_(static_cast<std::size_t>(components)) {}

void interference_model::observe(int component, double ratio, std::span<const double> running) {
  const auto is_usable = [](double cores) { return std::isfinite(cores) && cores >= 0; };
  if (!std::isfinite(ratio) || ratio <= 0 || !std::ranges::all_of(running, is_usable)) return;
  entry& of = all_[static_cast<std::size_t>(component)];
  if (of.count() < remembered) of.rows.emplace_back(), of.next = of.rows.size() - 1;
  row& to = of.rows[of.next];
  to.ratio = static_cast<float>(ratio);
  for (std::size_t j = 0; j < all_.size(); ++j) to.running[j] = static_cast<float>(running[j]);
  of.next = (of.next + 1) % remembered;
}

double interference_model::slowdown(int component, std::span<const double> running) const {
  double pressure = 0;
  for (std::size_t j = 0; j < all_.size(); ++j) pressure += all_[j].pressure * running[j];
  return 1 + sensitivity(all_[static_cast<std::size_t>(component)], pressure);
}

void interference_model::forget() {
  for (entry& of : all_) of.rows = {}, of.next = 0;
}

bool interference_model::explains() const {
  const auto presses = [](const entry& of) { return of.pressure > 0; };
  const auto is_slowed = [](const entry& of) { return of.curve != std::array<double, shapes>{}; };
  return std::ranges::any_of(all_, presses) && std::ranges::any_of(all_, is_slowed);
}

// The level of least squares, for rows under a given curve.
double interference_model::level_of(const entry& shape, const entry& rows) const {
  double once = 0, twice = 0;
  for (const row& seen : rows.rows) {
    const double expected = (1 + sensitivity(shape, pressure_on(seen.running))) / static_cast<double>(seen.ratio);
    once += expected, twice += expected * expected;
  }
  return twice > 0 ? once / twice : 1;
}

double interference_model::gain_on(const interference_model& other) const {
  double gain = 0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (other.all_[i].count() < fewest_of_each || all_[i].curve == std::array<double, shapes>{}) continue;
    entry level = other.all_[i], curved = level;
    level.curve = {};
    level.level = level_of(level, level);
    curved.curve = all_[i].curve;
    curved.level = level_of(curved, curved);
    const double without = squares(level), with = squares(curved);
    gain += (without - with) / std::max(least_relative_variance, std::min(with, without) / (curved.count() - 1));
  }
  return gain;
}

double interference_model::pressure_on(std::span<const float> running) const {
  double sum = 0;
  for (std::size_t j = 0; j < all_.size(); ++j) sum += all_[j].pressure * static_cast<double>(running[j]);
  return sum;
}

double interference_model::sensitivity(const entry& of, double pressure) {
  const auto column = curve_columns(pressure);
  double sum = 0;
  for (std::size_t k = 0; k < shapes; ++k) sum += of.curve[k] * column[k];
  return sum;
}

double interference_model::slope(const entry& of, double pressure) {
  return of.curve[0] + 2 * of.curve[1] * pressure + of.curve[2] / ((1 + pressure) * (1 + pressure));
}

// The sum of squared relative errors.
double interference_model::squares(const entry& of) const {
  double sum = 0;
  for (const row& seen : of.rows) {
    const double off =
        of.level * (1 + sensitivity(of, pressure_on(seen.running))) / static_cast<double>(seen.ratio) - 1;
    sum += off * off;
  }
  return sum;
}

double interference_model::all_squares() const {
  double sum = 0;
  for (const entry& of : all_) sum += of.count() < fewest_of_each ? 0 : squares(of);
  return sum;
}

// The level and the curve together are one non-negative problem, under the pressures of now.
void interference_model::fit_curve(entry& of) const {
  of.curve = {};
  of.level = 1;
  if (of.count() < fewest_of_each) return;
  normal_equations problem(1 + shapes);
  for (const row& seen : of.rows) {
    const auto column = curve_columns(pressure_on(seen.running));
    const double weight = 1 / static_cast<double>(seen.ratio);
    const std::array all{weight, weight * column[0], weight * column[1], weight * column[2]};
    for (std::size_t i = 0; i < all.size(); ++i) {
      problem.right[i] += all[i];
      for (std::size_t j = 0; j < all.size(); ++j) problem.gram[i][j] += all[i] * all[j];
    }
  }
  const auto found = solve_non_negative(problem, 1);
  if (!(found[0] > 0)) return;
  of.level = found[0];
  for (std::size_t k = 0; k < shapes; ++k) of.curve[k] = found[k + 1] / found[0];
}

void interference_model::fit_curves() {
  for (entry& of : all_) fit_curve(of);
}

// A Gauss-Newton step of all pressures under the curves of now, halved until it lowers the squares.
bool interference_model::improve_pressures() {
  const std::size_t n = all_.size();
  normal_equations problem(static_cast<int>(n));
  for (const entry& of : all_) {
    for (int at = 0; at < (of.count() < fewest_of_each ? 0 : of.count()); ++at) {
      const row& seen = of.rows[static_cast<std::size_t>(at)];
      const double pressure = pressure_on(seen.running), steep = of.level * slope(of, pressure);
      const double ratio = static_cast<double>(seen.ratio), expected = of.level * (1 + sensitivity(of, pressure));
      const double target = (ratio - expected + steep * pressure) / ratio;
      for (std::size_t i = 0; i < n; ++i) {
        const double left = steep * static_cast<double>(seen.running[i]) / ratio;
        problem.right[i] += left * target;
        for (std::size_t j = 0; j < n; ++j)
          problem.gram[i][j] += left * steep * static_cast<double>(seen.running[j]) / ratio;
      }
    }
  }
  const auto target = solve_non_negative(problem);
  const double before = all_squares();
  std::array<double, max_components> from{};
  for (std::size_t j = 0; j < n; ++j) from[j] = all_[j].pressure;
  for (double step = 1; step > 0.01; step /= 2) {
    for (std::size_t j = 0; j < n; ++j) all_[j].pressure = from[j] + step * (target[j] - from[j]);
    if (all_squares() < before) return true;
  }
  for (std::size_t j = 0; j < n; ++j) all_[j].pressure = from[j];
  return false;
}

void interference_model::scale_pressures() {
  const double largest = std::ranges::max_element(all_, {}, &entry::pressure)->pressure;
  for (entry& of : all_) of.pressure = largest > 0 ? of.pressure / largest : 0;
}

// How much is gained is counted in each component's own variance: a component that scatters more shows less.
void interference_model::drop_what_chance_explains() {
  std::array<double, max_components> variance{}, with{};
  for (std::size_t i = 0; i < all_.size(); ++i) {
    with[i] = squares(all_[i]);
    variance[i] = std::max(least_relative_variance, with[i] / std::max(1, all_[i].count() - 1 - shapes));
  }
  for (std::size_t i = 0; i < all_.size(); ++i) {
    entry& of = all_[i];
    const entry curved = of;
    of.curve = {};
    of.level = level_of(of, of);
    if (of.count() >= fewest_of_each && squares(of) - with[i] > least_gain * variance[i]) of = curved;
    with[i] = squares(of);
  }
  for (entry& of : all_) {
    const double pressure = of.pressure;
    of.pressure = 0;
    double gained = 0;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].count() >= fewest_of_each) gained += (squares(all_[i]) - with[i]) / variance[i];
    if (gained > least_gain) {
      of.pressure = pressure;
    } else {
      for (std::size_t i = 0; i < all_.size(); ++i) with[i] = squares(all_[i]);
    }
  }
}

void interference_model::fit() {
  for (entry& of : all_) of.pressure = 1;
  fit_curves();
  for (int round = 0; round < most_fit_rounds; ++round) {
    const double before = all_squares();
    if (!improve_pressures()) break;
    scale_pressures();
    fit_curves();
    if (all_squares() > before * (1 - least_improvement)) break;
  }
  drop_what_chance_explains();
  scale_pressures();
  std::array<bool, max_components> is_slowed{};
  for (std::size_t i = 0; i < all_.size(); ++i) is_slowed[i] = all_[i].curve != std::array<double, shapes>{};
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (is_slowed[i]) fit_curve(all_[i]);
}

}  // namespace weir
