#include "bench/weir/explain_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "bench/weir/explain_alike.hpp"
#include "bench/weir/readable.hpp"
#include "model/mixture_em.hpp"
#include "scheduler/core_set.hpp"

namespace weir::command {
namespace {

constexpr std::size_t most_overlaps = 8;
constexpr std::size_t most_levels = 8;   // of core sets and nodes: the most frequent; the others are one level
constexpr std::size_t fewest_rows = 3;   // of a level: fewer could be any accident

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

  // `log`: by its logarithm where times are taken so and it is positive throughout. Gives nothing when it does not vary.
  void add_continuous(feature about, std::vector<float> values, bool log = false) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (!(*least < *most)) return;
    about.is_log = log && log_time_ && *least > 0;
    if (about.is_log)
      for (float& v : values) v = std::log(v);
    standardise(about, values);
    all.push_back({std::move(about), std::move(values), {}});
  }

  template <typename Value>
  void add_continuous(feature_kind kind, std::string name, std::string one_more, const Value& value, bool log = false) {
    std::vector<float> values;
    values.reserve(rows_.size());
    for (const invocation& row : rows_) values.push_back(static_cast<float>(value(row)));
    add_continuous({.kind = kind, .name = std::move(name), .one_more = std::move(one_more)}, std::move(values), log);
  }

  // Two levels, in the order of the names.
  template <typename Holds>
  void add_switch(feature_kind kind, std::string name, std::vector<std::string> levels, const Holds& holds) {
    candidate c{{.kind = kind, .name = std::move(name), .is_discrete = true, .level_names = std::move(levels)}, {}, {}};
    for (const invocation& row : rows_) c.level.push_back(holds(row) ? 1 : 0);
    const auto held = static_cast<std::size_t>(std::count(c.level.begin(), c.level.end(), 1));
    if (std::min(held, rows_.size() - held) >= fewest_rows) all.push_back(std::move(c));
  }

  // Levels by what `key` gives, the most frequent first.
  template <typename Key, typename Name>
  void add_levels(feature_kind kind, std::string name, const Key& key, const Name& name_of) {
    std::map<decltype(key(rows_.front())), std::size_t> counts;
    for (const invocation& row : rows_) ++counts[key(row)];
    using entry = typename decltype(counts)::value_type;
    std::vector<const entry*> sorted;
    for (const entry& e : counts) sorted.push_back(&e);
    std::stable_sort(sorted.begin(), sorted.end(), [](const entry* a, const entry* b) { return a->second > b->second; });
    candidate c{{.kind = kind, .name = std::move(name), .is_discrete = true}, {}, {}};
    std::map<decltype(key(rows_.front())), std::uint8_t> levels;
    for (const entry* e : sorted)
      if (e->second >= fewest_rows && c.about.level_names.size() + 1 < most_levels) {
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
  static void standardise(feature& about, std::vector<float>& values) {
    const auto rows = static_cast<double>(values.size());
    const float least = *std::min_element(values.begin(), values.end());
    double square = 0;
    std::size_t at_least = 0;
    for (const float v : values) about.mean += v / rows;
    for (const float v : values) square += (v - about.mean) * (v - about.mean) / rows;
    for (const float v : values) at_least += v == least ? 1 : 0;
    about.deviation = std::sqrt(square);
    about.is_switch = 2 * at_least > values.size();
    if (about.is_switch) {  // all others together make up for the least
      const double of_others = rows / (rows - static_cast<double>(at_least));
      about.typical_step = (about.mean - least) * of_others / about.deviation;
    }
    for (float& v : values) v = static_cast<float>((v - about.mean) / about.deviation);
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
  const bool varies = deviation > 1e-9 * std::abs(mean);  // less is what the sums round
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
      // A core set determines the cores and the node: beside them a law would not know whose the effect is.
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

// Those that correlate most with what a law of the others leaves, in their order.
void keep_strongest(std::vector<candidate>& overlaps, std::vector<candidate> others, const std::vector<float>& time) {
  const mixture_data data = as_mixture(others, time);
  const mixture_model law = mixture_em(data, {}).from_labels(std::vector<std::uint8_t>(data.rows(), 0), 1);
  const std::vector<float> left = assign(data, law).residual;
  std::vector<double> strength;
  for (const candidate& c : overlaps) strength.push_back(std::abs(correlation(c.values, left)));
  std::vector<std::size_t> order(overlaps.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strength[a] > strength[b]; });
  order.resize(most_overlaps);
  std::sort(order.begin(), order.end());
  std::vector<candidate> kept;
  for (const std::size_t i : order) kept.push_back(std::move(overlaps[i]));
  overlaps = std::move(kept);
}

std::vector<candidate> overlaps_of(const observed_run& run, std::uint32_t component, const overlap_sweep& sweep,
                                   const std::vector<invocation>& rows, bool log_time) {
  static constexpr std::array places{" on the same core", " on the same L3", " on the same NUMA node"};
  static constexpr std::array kinds{feature_kind::overlap_on_core, feature_kind::overlap_on_cache,
                                    feature_kind::overlap_on_node};
  candidates found(rows, log_time);
  if (!run.has_start) return {};
  std::vector<overlap_with> measured = sweep.of(component);
  for (std::size_t n = 0; n < places.size(); ++n)
    for (overlap_with& o : measured) {
      const std::string where =
          fmt::format("`{}`{}", printable(run.components[o.other]), run.has_core_set ? places[n] : "");
      found.add_continuous(
          {.kind = kinds[n], .name = "overlap with " + where, .one_more = "each overlapping " + where},
          std::move(o.average[n]));
    }
  return std::move(found.all);
}

// Each with the first of those before it that it goes along with, by name only.
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
  const double v = mean + deviation * standardised;
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

  std::vector<candidate> overlaps = overlaps_of(run, component, sweep, rows, log_time);
  if (overlaps.size() > most_overlaps) {
    result.overlaps_left_out = overlaps.size() - most_overlaps;
    keep_strongest(overlaps, plain.all, time);
  }
  std::move(overlaps.begin(), overlaps.end(), std::back_inserter(plain.all));
  std::vector<candidate> chosen = joined(std::move(plain.all));
  result.data = as_mixture(chosen, std::move(time));
  for (candidate& c : chosen) result.all.push_back(std::move(c.about));
  return result;
}

}  // namespace weir::command
