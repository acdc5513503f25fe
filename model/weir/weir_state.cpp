#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "model/weir/weir_estimator.hpp"

namespace weir {
namespace {

// The first number of a state; it tells formats and estimators apart. The former format has one curve and no step.
constexpr double former_format = 6, format_with_degree = 7, format_of_any_shape = 8;

double format_of(const power_sums& sums) { return sums.roots() ? format_of_any_shape : format_with_degree; }

// A state of the former format as one of the present format.
std::vector<double> updated(std::vector<double> state) {
  constexpr std::ptrdiff_t header = 13, curve = component_law::max_degree + 1;
  state[0] = format_with_degree;
  constexpr std::ptrdiff_t tables = header + curve + drift::size + x_correction::size;
  if (static_cast<std::ptrdiff_t>(state.size()) < tables) return state;
  for (int table = 0; table < 2; ++table) {
    const auto empty = repeats().numbers();
    state.insert(state.begin() + tables, empty.begin(), empty.end());
  }
  state.insert(state.begin() + header + curve, curve, 0.0);
  state.insert(state.begin() + header, {1.0, 0.0});
  return state;
}

// Splits the numbers of a state into parts.
class reader {
 public:
  explicit reader(std::span<const double> numbers) : rest_(numbers) {}

  // Returns zeros when fewer than Count numbers are left.
  template <std::size_t Count>
  std::span<const double, Count> take() {
    static constexpr std::array<double, Count> none{};
    if (rest_.size() < Count) {
      rest_ = {};
      short_ = true;
      return none;
    }
    const auto out = rest_.first<Count>();
    rest_ = rest_.subspan(Count);
    return out;
  }
  std::span<const double> rest() const { return rest_; }
  bool is_short() const { return short_; }

 private:
  std::span<const double> rest_;
  bool short_ = false;
};

}  // namespace

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
  append(sums_.numbers());
  return out;
}

bool weir_estimator::restore(const std::vector<double>& state) {
  if (!state.empty() && state[0] == former_format && !sums_.roots()) return restore(updated(state));
  reader from(state);
  const auto header = from.take<15>();
  const auto c = from.take<component_law::max_degree + 1>();
  const auto serial = from.take<component_law::max_degree + 1>();
  const auto changes = from.take<drift::size>();
  const auto along_x = from.take<x_correction::size>();
  const auto kinds = from.take<repeats::size>();
  const auto pairs = from.take<repeats::size>();
  const auto along_p = from.take<p_correction::size>();
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
  const bool fits = law.exponent == header[1] && law.alpha >= 0 && law.alpha <= 1 && law.contention >= 0 &&
                    law.fork_join >= 0 && next.scatter_.median > 0 && next.scatter_.seen >= 0 &&
                    next.floor_ >= timer_noise && std::ranges::all_of(c, [](double v) { return v >= 0; }) &&
                    std::all_of(c.begin() + law.degree + 1, c.end(), [](double v) { return v == 0; }) &&
                    std::ranges::equal(serial, c, [](double s, double all) { return s >= 0 && s <= all; }) &&
                    law.step == header[13] && law.step <= (law.roots ? 2 : 1) && (header[14] == 0 || header[14] == 1);
  if (!fits || !next.drift_.assign(changes) || !next.along_x_.assign(along_x) || !next.kinds_.assign(kinds) ||
      !next.pairs_.assign(pairs) || !next.expected_.along_p.assign(along_p) || !next.sums_.assign(from.rest()))
    return false;
  if (next.sums_.count() > 0) next.fit_ = next.fit();
  *this = std::move(next);
  return true;
}

}  // namespace weir
