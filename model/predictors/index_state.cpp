#include "model/predictors/index_state.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

constexpr std::size_t head = 5, per_number = 5 + joint_index::powers.size() + joint_index::most_numbers, per_level = 3;

bool is_whole(double v, double least, double most) { return v >= least && v <= most && v == std::floor(v); }

}  // namespace

void append_index(const joint_index& index, std::vector<double>& to) {
  to.insert(to.end(), {static_cast<double>(index.form), index.constant, static_cast<double>(index.numbers_used),
                       static_cast<double>(index.levels_used), index.explained});
  for (int j = 0; j < index.numbers_used; ++j) {
    const joint_index::number& n = index.numbers[j];
    to.insert(to.end(), {static_cast<double>(n.predictor), n.least, n.largest, n.slope, n.bend});
    to.insert(to.end(), n.terms.begin(), n.terms.end());
    to.insert(to.end(), index.pairs[j].begin(), index.pairs[j].end());
  }
  for (int i = 0; i < index.levels_used; ++i) {
    const joint_index::level& l = index.levels[i];
    to.insert(to.end(), {static_cast<double>(l.predictor), l.value, l.log_factor});
  }
}

std::optional<joint_index> take_index(std::span<const double>& from, int predictors) {
  if (from.size() < head) return std::nullopt;
  joint_index out;
  if (!is_whole(from[0], 0, 3) || !is_whole(from[2], 0, joint_index::most_numbers) ||
      !is_whole(from[3], 0, joint_index::most_levels) || !(from[4] >= 0 && from[4] <= 1))
    return std::nullopt;
  out.form = static_cast<joint_index::combination>(from[0]);
  out.constant = from[1];
  out.numbers_used = static_cast<int>(from[2]);
  out.levels_used = static_cast<int>(from[3]);
  out.explained = from[4];
  using enum joint_index::combination;
  const bool none_needed = out.form == none, one_needed = out.form == one;
  if ((none_needed && out.numbers_used + out.levels_used > 0) || (one_needed && out.numbers_used != 1) ||
      (out.form == sum && out.constant < 0))
    return std::nullopt;
  from = from.subspan(head);
  const auto numbers = static_cast<std::size_t>(out.numbers_used), levels = static_cast<std::size_t>(out.levels_used);
  if (from.size() < numbers * per_number + levels * per_level) return std::nullopt;
  for (std::size_t j = 0; j < numbers; ++j, from = from.subspan(per_number)) {
    joint_index::number& n = out.numbers[j];
    if (!is_whole(from[0], 0, predictors - 1) || !(from[1] > 0) || !(from[2] >= from[1])) return std::nullopt;
    n.predictor = static_cast<int>(from[0]);
    n.least = from[1], n.largest = from[2], n.slope = from[3], n.bend = from[4];
    std::copy_n(from.begin() + 5, n.terms.size(), n.terms.begin());
    std::copy_n(from.begin() + 5 + n.terms.size(), joint_index::most_numbers, out.pairs[j].begin());
    const auto terms = from.subspan(5, n.terms.size() + joint_index::most_numbers);
    if (std::any_of(terms.begin(), terms.end(), [](double c) { return c < 0; })) return std::nullopt;
  }
  for (std::size_t i = 0; i < levels; ++i, from = from.subspan(per_level)) {
    if (!is_whole(from[0], 0, predictors - 1)) return std::nullopt;
    out.levels[i] = {static_cast<int>(from[0]), static_cast<float>(from[1]), static_cast<float>(from[2])};
    if (out.levels[i].value != from[1] || out.levels[i].log_factor != from[2]) return std::nullopt;
  }
  return out;
}

}  // namespace weir
