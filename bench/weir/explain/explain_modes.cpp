#include "bench/weir/explain/explain_modes.hpp"

#include <algorithm>
#include <cmath>

#include "bench/support/quantile.hpp"
#include "model/mixture/mixture_assignment.hpp"

namespace weir::program {
namespace {

constexpr std::size_t most_features = 3;
constexpr std::size_t most_examples = 3;
constexpr double tail = 0.05;            // on either side of the middle nine tenths
constexpr double least_excluded = 0.01;  // share of the others; a feature that excludes less sets nothing apart
constexpr double clearly = 0.02;         // a later feature must be better by this much to be preferred
constexpr double least_outlying = 4;     // in units of the noise: one invocation in 16,000

template <typename Values>
auto at_part(Values& values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// One mode's rows compared with those of the other modes.
class mode_reader {
 public:
  mode_reader(const component_features& features, const std::vector<std::uint8_t>& mode_of, std::size_t mode)
      : features_(features) {
    for (std::size_t r = 0; r < mode_of.size(); ++r) (mode_of[r] == mode ? mine_ : others_).push_back(r);
  }

  const std::vector<std::size_t>& rows() const { return mine_; }

  std::vector<apart> set_apart() const {
    std::vector<apart> chosen;
    std::vector<std::vector<bool>> excluded;  // for each feature, the excluded rows of the others
    std::vector<apart> all;
    for (std::size_t i = 0; i < features_.all.size() && !others_.empty(); ++i) {
      all.push_back({});
      all.back().feature = i;
      excluded.push_back(features_.all[i].is_discrete ? by_levels(all.back()) : by_range(all.back()));
      all.back().alone = share(excluded.back());
    }
    std::vector<bool> by_chosen(others_.size(), false);
    double before = 0;
    while (chosen.size() < most_features && !all.empty()) {
      std::size_t best = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].together = share(excluded[i], by_chosen);
        if (all[i].together > all[best].together + clearly) best = i;
      }
      if (all[best].together < before + least_excluded) break;
      before = all[best].together;
      chosen.push_back(all[best]);
      for (std::size_t r = 0; r < by_chosen.size(); ++r) by_chosen[r] = by_chosen[r] || excluded[best][r];
    }
    return chosen;
  }

 private:
  std::vector<bool> by_range(apart& described) const {
    const feature& f = features_.all[described.feature];
    const std::vector<float>& values = features_.data.continuous[f.column];
    std::vector<float> here;
    here.reserve(mine_.size());
    for (const std::size_t r : mine_) here.push_back(values[r]);
    const float low = at_part(here, tail), high = at_part(here, 1 - tail);
    described.low = f.value(low);
    described.high = f.value(high);
    std::vector<bool> outside(others_.size());
    for (std::size_t i = 0; i < others_.size(); ++i) {
      const float v = values[others_[i]];
      outside[i] = v < low || v > high;
    }
    return outside;
  }

  std::vector<bool> by_levels(apart& described) const {
    const feature& f = features_.all[described.feature];
    const std::vector<std::uint8_t>& level = features_.data.discrete[f.column].level;
    std::vector<std::size_t> counts(f.level_names.size(), 0), order;
    for (const std::size_t r : mine_) ++counts[level[r]];
    for (std::size_t i = 0; i < counts.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    std::vector<bool> usual(counts.size(), false);
    std::size_t covered = 0;
    for (const std::size_t i : order) {
      if (static_cast<double>(covered) >= (1 - 2 * tail) * static_cast<double>(mine_.size())) break;
      covered += counts[i];
      usual[i] = true;
      described.levels.push_back(f.level_names[i]);
    }
    std::vector<bool> outside(others_.size());
    for (std::size_t i = 0; i < others_.size(); ++i) outside[i] = !usual[level[others_[i]]];
    return outside;
  }

  static double share(const std::vector<bool>& excluded) {
    return static_cast<double>(std::count(excluded.begin(), excluded.end(), true)) /
           static_cast<double>(excluded.size());
  }

  static double share(const std::vector<bool>& excluded, const std::vector<bool>& already) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < excluded.size(); ++i) count += excluded[i] || already[i] ? 1 : 0;
    return static_cast<double>(count) / static_cast<double>(excluded.size());
  }

  const component_features& features_;
  std::vector<std::size_t> mine_, others_;
};

// The first few rows when sorted by `before`.
template <typename Before>
std::vector<example> examples(const component_features& features, const mixture_assignment& assigned,
                              std::vector<std::size_t> rows, const Before& before) {
  const std::size_t count = std::min(rows.size(), most_examples);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(), before);
  std::vector<example> found;
  for (std::size_t i = 0; i < count; ++i) {
    const invocation& row = features.rows[rows[i]];
    found.push_back({row.position, row.start, row.seconds, assigned.residual[rows[i]]});
  }
  return found;
}

}  // namespace

std::vector<explained_mode> modes_of(const component_features& features, const mixture_model& model) {
  const mixture_assignment assigned = assign(features.data, model);
  std::vector<explained_mode> modes;
  for (std::size_t k = 0; k < model.modes.size(); ++k) {
    const mode_reader reader(features, assigned.mode, k);
    const std::vector<std::size_t>& rows = reader.rows();
    if (rows.empty()) continue;
    explained_mode mode;
    mode.invocations = rows.size();
    mode.share = static_cast<double>(rows.size()) / static_cast<double>(features.rows.size());
    std::vector<double> seconds;
    seconds.reserve(rows.size());
    for (const std::size_t r : rows) seconds.push_back(features.rows[r].seconds);
    std::sort(seconds.begin(), seconds.end());
    mode.typical_seconds = sorted_quantile(seconds, 0.5);
    mode.low_seconds = sorted_quantile(seconds, tail);
    mode.high_seconds = sorted_quantile(seconds, 1 - tail);
    mode.set_apart = reader.set_apart();
    mode.factors = factors_of(features, model.modes[k], mode.typical_seconds);
    mode.representatives = examples(features, assigned, rows, [&](std::size_t a, std::size_t b) {
      return assigned.density[a] != assigned.density[b] ? assigned.density[a] > assigned.density[b] : a < b;
    });
    std::vector<std::size_t> far;
    for (const std::size_t r : rows)
      if (std::abs(assigned.residual[r]) > least_outlying) far.push_back(r);
    mode.outliers = examples(features, assigned, std::move(far), [&](std::size_t a, std::size_t b) {
      const float left = std::abs(assigned.residual[a]), right = std::abs(assigned.residual[b]);
      return left != right ? left > right : a < b;
    });
    modes.push_back(std::move(mode));
  }
  return modes;
}

}  // namespace weir::program
