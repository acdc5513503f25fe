#include "bench/weir/explain/explain_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <weir/scheduler/machine/core_set.hpp>
#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/explain/explain_alike.hpp"
#include "model/mixture/mixture_assignment.hpp"
#include "model/mixture/mixture_em.hpp"

namespace weir::program {
namespace {

constexpr std::size_t most_overlaps = 8;
constexpr double least_correlation = 0.1;  // a hundredth of the variance; less is not an explanation
constexpr double least_overlap_certainty =
    4;                                  // of an overlap, in standard errors of a correlation; there may be dozens
constexpr std::size_t most_levels = 8;  // of core sets and nodes: the most frequent; all others are one level
constexpr std::size_t fewest_rows_of_level = 3;  // with fewer, a level could be an accident

// A feature that may become a column.
struct candidate {
  feature about;
  std::vector<float> values;
  std::vector<std::uint8_t> level;

  column_sample sample() const {
    return about.is_discrete ? column_sample(level, static_cast<int>(about.level_names.size())) : column_sample(values);
  }
};

class candidates {
 public:
  candidates(const std::vector<invocation>& rows, bool log_time) : rows_(rows), log_time_(log_time) {}

  // `log`: use the logarithm, if times use it and all values are positive. Adds nothing if the values do not vary, or
  // vary so widely that their square overflows.
  void add_continuous(feature about, std::vector<double> values, bool log = false) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (!(*least < *most)) return;
    about.is_log = log && log_time_ && *least > 0;
    if (about.is_log)
      for (double& v : values) v = std::log(v);
    std::vector<float> column = standardise(about, values);
    if (about.deviation > 0 && std::isfinite(about.deviation)) all.push_back({std::move(about), std::move(column), {}});
  }

  template <typename Value>
  void add_continuous(feature_kind kind, std::string name, std::string one_more, const Value& value, bool log = false) {
    std::vector<double> values;
    values.reserve(rows_.size());
    for (const invocation& row : rows_) values.push_back(value(row));
    add_continuous({.kind = kind, .name = std::move(name), .one_more = std::move(one_more)}, std::move(values), log);
  }

  // Two levels, in the order of the names.
  template <typename Holds>
  void add_switch(feature_kind kind, std::string name, std::vector<std::string> levels, const Holds& holds) {
    candidate c{{.kind = kind, .name = std::move(name), .is_discrete = true, .level_names = std::move(levels)}, {}, {}};
    for (const invocation& row : rows_) c.level.push_back(holds(row) ? 1 : 0);
    const auto held = static_cast<std::size_t>(std::count(c.level.begin(), c.level.end(), 1));
    if (std::min(held, rows_.size() - held) >= fewest_rows_of_level) all.push_back(std::move(c));
  }

  // Levels by the value of `key`, the most frequent first.
  template <typename Key, typename Name>
  void add_levels(feature_kind kind, std::string name, const Key& key, const Name& name_of) {
    std::map<decltype(key(rows_.front())), std::size_t> counts;
    for (const invocation& row : rows_) ++counts[key(row)];
    using entry = typename decltype(counts)::value_type;
    std::vector<const entry*> sorted;
    for (const entry& e : counts) sorted.push_back(&e);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const entry* a, const entry* b) { return a->second > b->second; });
    candidate c{{.kind = kind, .name = std::move(name), .is_discrete = true}, {}, {}};
    std::map<decltype(key(rows_.front())), std::uint8_t> levels;
    for (const entry* e : sorted)
      if (e->second >= fewest_rows_of_level && c.about.level_names.size() + 1 < most_levels) {
        levels.emplace(e->first, static_cast<std::uint8_t>(c.about.level_names.size()));
        c.about.level_names.push_back(name_of(e->first));
      }
    const auto others = static_cast<std::uint8_t>(levels.size());
    if (levels.size() < sorted.size()) c.about.level_names.push_back("others");
    if (c.about.level_names.size() < 2) return;
    for (const invocation& row : rows_) {
      const auto found = levels.find(key(row));
      c.level.push_back(found == levels.end() ? others : found->second);
    }
    all.push_back(std::move(c));
  }

  std::vector<candidate> all;

 private:
  static std::vector<float> standardise(feature& about, const std::vector<double>& values) {
    const auto rows = static_cast<double>(values.size());
    const double least = *std::min_element(values.begin(), values.end());
    double square = 0;
    std::size_t at_least = 0;
    for (const double v : values) about.mean += v / rows;
    for (const double v : values) square += (v - about.mean) * (v - about.mean) / rows;
    for (const double v : values) at_least += v == least ? 1 : 0;
    about.deviation = std::sqrt(square);
    about.is_switch = 2 * at_least > values.size();
    if (about.is_switch) {  // the mean of all others, computed from the total mean
      const double of_others = rows / (rows - static_cast<double>(at_least));
      about.typical_step = (about.mean - least) * of_others / about.deviation;
    }
    std::vector<float> column;
    column.reserve(values.size());
    for (const double v : values) column.push_back(static_cast<float>((v - about.mean) / about.deviation));
    return column;
  }

  const std::vector<invocation>& rows_;
  const bool log_time_;
};

std::vector<float> times_of(const std::vector<invocation>& rows, bool log_time, double& deviation) {
  std::vector<double> exact;
  for (const invocation& row : rows) exact.push_back(log_time ? std::log(row.seconds) : row.seconds);
  const auto count = static_cast<double>(rows.size());
  double mean = 0, square = 0;
  for (const double t : exact) mean += t / count;
  for (const double t : exact) square += (t - mean) * (t - mean) / count;
  deviation = std::sqrt(square);
  const bool varies = deviation > 1e-9 * std::abs(mean);  // less is rounding of the sums
  if (!varies) deviation = 0;
  std::vector<float> times;
  for (const double t : exact) times.push_back(varies ? static_cast<float>((t - mean) / deviation) : 0.0f);
  return times;
}

mixture_data as_mixture(std::vector<candidate>& chosen, std::vector<float> time) {
  mixture_data data;
  data.time = std::move(time);
  for (candidate& c : chosen) {
    if (c.about.is_discrete) {
      c.about.column = data.discrete.size();
      // A core set determines the cores and the node, so with it a law could not attribute their effects.
      data.discrete.push_back(
          {std::move(c.level), static_cast<int>(c.about.level_names.size()), c.about.kind != feature_kind::core_set});
    } else {
      c.about.column = data.continuous.size();
      data.continuous.push_back(std::move(c.values));
    }
  }
  int indicator = 1 + static_cast<int>(data.continuous.size());
  for (candidate& c : chosen) {
    if (!c.about.is_discrete) {
      c.about.law_column = 1 + static_cast<int>(c.about.column);
    } else if (data.discrete[c.about.column].in_law) {
      c.about.law_column = indicator;
      indicator += data.discrete[c.about.column].levels - 1;
    }
  }
  return data;
}

// The residual of the times after one law of these features.
std::vector<float> left_by(std::vector<candidate> features, const std::vector<float>& time) {
  const mixture_data data = as_mixture(features, time);
  const mixture_em em(data, {});
  return assign(data, em.improved(em.from_labels(std::vector<std::uint8_t>(data.rows(), 0), 1))).residual;
}

// Overlaps with all other components; keeps an overlap if it explains the time.
class overlap_choice {
 public:
  overlap_choice(const observed_run& run, std::uint32_t component, const std::vector<invocation>& rows, bool log_time)
      : run_(run), component_(component), rows_(rows), log_time_(log_time) {}

  std::vector<candidate> chosen(const overlap_sweep& sweep, const std::vector<float>& left) {
    std::vector<double> seconds;
    for (const invocation& row : rows_) seconds.push_back(row.seconds);
    const std::vector<overlap_with> all = sweep.of(component_, quantile(std::move(seconds), 0.5));
    for (std::size_t n = 0; n < places.size(); ++n)
      for (const overlap_with& with : all) consider(n, with, left);
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    found_.resize(std::min(found_.size(), most_overlaps));
    std::vector<candidate> kept;
    for (auto& [strength, c] : found_) kept.push_back(std::move(c));
    return kept;
  }

  std::size_t seen() const { return seen_; }

 private:
  static constexpr std::array places{" on the same core", " on the same L3", " on the same NUMA node"};
  static constexpr std::array kinds{feature_kind::overlap_on_core, feature_kind::overlap_on_cache,
                                    feature_kind::overlap_on_node};

  void consider(std::size_t place, const overlap_with& with, const std::vector<float>& left) {
    const std::string where =
        fmt::format("`{}`{}", printable(run_.components[with.other]), run_.has_core_set ? places[place] : "");
    candidates one(rows_, log_time_);
    one.add_continuous({.kind = kinds[place], .name = "overlap with " + where, .one_more = "each overlapping " + where},
                       std::vector<double>(with.average[place].begin(), with.average[place].end()));
    if (one.all.empty()) return;
    ++seen_;
    const double foreseen = correlation(with.begun[place], left), strength = std::abs(foreseen);
    const bool same_way = foreseen * correlation(one.all[0].values, left) > 0;
    const double by_chance = least_overlap_certainty / std::sqrt(static_cast<double>(rows_.size()));
    if (same_way && strength >= std::max(by_chance, least_correlation))
      found_.emplace_back(strength, std::move(one.all[0]));
  }

  const observed_run& run_;
  const std::uint32_t component_;
  const std::vector<invocation>& rows_;
  const bool log_time_;
  std::size_t seen_ = 0;
  std::vector<std::pair<double, candidate>> found_;
};

// Merges features that say the same: each joins the first earlier one that it is like, and only its name is kept.
std::vector<candidate> joined(std::vector<candidate> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const candidate& a, const candidate& b) { return a.about.kind < b.about.kind; });
  std::vector<candidate> kept;
  std::vector<column_sample> samples;
  for (candidate& c : all) {
    const column_sample sample = c.sample();
    const auto like =
        std::find_if(samples.begin(), samples.end(), [&](const column_sample& s) { return s.is_like(sample); });
    if (like != samples.end()) {
      kept[static_cast<std::size_t>(like - samples.begin())].about.together_with.push_back(c.about.name);
      continue;
    }
    kept.push_back(std::move(c));
    samples.push_back(sample);
  }
  return kept;
}

}  // namespace

double feature::value(double standardised) const {
  double v = mean + deviation * standardised;
  if (std::abs(v) < 1e-5 * deviation) v = 0;  // rounding of the standardisation
  return is_log ? std::exp(v) : v;
}

component_features features_of(const observed_run& run, std::uint32_t component, const topology& cores,
                               const overlap_sweep& sweep, bool log_time) {
  component_features result;
  result.log_time = log_time;
  for (const invocation& row : run.rows)
    if (row.component == component) result.rows.push_back(row);
  const std::vector<invocation>& rows = result.rows;
  std::vector<float> time = times_of(rows, log_time, result.time_deviation);

  candidates plain(rows, log_time);
  plain.add_continuous(
      feature_kind::x, "x", "x", [](const invocation& r) { return r.x; }, true);
  plain.add_continuous(
      feature_kind::cores, "cores", "each further core", [](const invocation& r) { return r.cores; }, true);
  plain.add_switch(feature_kind::after_move, "first after a move", {"no", "yes"},
                   [](const invocation& r) { return r.after_move; });
  if (std::all_of(rows.begin(), rows.end(), [](const invocation& r) { return r.x == std::floor(r.x); }))
    plain.add_switch(feature_kind::odd_x, "odd x", {"even", "odd"},
                     [](const invocation& r) { return std::fmod(r.x, 2) == 1; });
  plain.add_continuous(feature_kind::width, "width", "each further lane", [](const invocation& r) { return r.width; });
  plain.add_continuous(feature_kind::queue, "queue", "each further record in the queue",
                       [](const invocation& r) { return r.queue; });
  if (run.has_core_set) {
    plain.add_levels(
        feature_kind::core_set, "core set", [](const invocation& r) { return std::pair(r.first_core, r.cores); },
        [](const std::pair<int, int>& set) {
          return set.first < 0 ? "a caller's" : to_string(core_set::range(set.first, set.second));
        });
    plain.add_levels(
        feature_kind::node, "NUMA node",
        [&](const invocation& r) { return r.first_core < 0 ? -1 : cores[r.first_core].numa_node; },
        [](int node) { return node < 0 ? "a caller's" : std::to_string(node); });
  }

  if (run.has_start && run.components.size() > 1 && result.time_deviation > 0) {
    overlap_choice choice(run, component, rows, log_time);
    std::vector<candidate> overlaps = choice.chosen(sweep, left_by(plain.all, time));
    result.overlaps_left_out = choice.seen() - overlaps.size();
    std::move(overlaps.begin(), overlaps.end(), std::back_inserter(plain.all));
  }
  std::vector<candidate> chosen = joined(std::move(plain.all));
  result.data = as_mixture(chosen, std::move(time));
  for (candidate& c : chosen) result.all.push_back(std::move(c.about));
  return result;
}

}  // namespace weir::program
