#include "bench/weir/flow/flow_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

constexpr std::size_t draws = 200;  // the ends of an interval then scatter by a tenth of its width

// How well a mapping does: records a second or 1/latency.
double value_of(const network_prediction& p, mapping_goal::kind wanted) {
  if (wanted != mapping_goal::kind::latency) return p.throughput;
  return p.latency > 0 ? 1 / p.latency : 0;
}

interval90 interval_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {sorted_quantile(values, 0.05), sorted_quantile(values, 0.95)};
}

// Costs as they may be. In draw d component i takes its mean times a log-normal factor of mean 1, at the quantile that
// the normal deviate deviations[d][i] has.
class random_costs {
 public:
  random_costs(const flow_file& file, const flow_options& at) : file_(file), at_(at) {
    if (file.bases.empty()) return;
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    deviations_.resize(draws);
    for (std::vector<double>& one : deviations_)
      for (std::size_t i = 0; i < file.bases.size(); ++i) one.push_back(normal(random));
  }

  // The mapping's prediction in each draw. Empty where the file states its costs.
  std::vector<network_prediction> on(const mapping& where, int cores) const {
    std::vector<network_prediction> all;
    for (const std::vector<double>& deviation : deviations_) {
      network_model drawn = file_.network;
      for (std::size_t i = 0; i < drawn.components.size(); ++i) {
        const int lane = where.components[i].invocation_cores();
        constexpr double most = 2;  // more says no more than "unknown"
        const cost_spread cost = file_.bases[i].on(lane);
        const double relative = cost.mean_sd / cost.seconds, sd = relative < most ? relative : most;  // NaN: unknown
        const double variance = std::log1p(sd * sd);
        const double factor = std::exp(std::sqrt(variance) * deviation[i] - variance / 2);
        drawn.components[i].seconds = [factor, seconds = drawn.components[i].seconds](int on) {
          return factor * seconds(on);
        };
      }
      all.push_back(predict_flow(drawn, where, cores, at_));
    }
    return all;
  }

 private:
  const flow_file& file_;
  const flow_options& at_;
  std::vector<std::vector<double>> deviations_;
};

// The row up to which further cores are worth it: the first from which no later row adds `least` for each core. The
// last of these adds the most that a later row adds for each core.
struct last_worth_it {
  std::size_t row = 0;
  double next_adds = 0;
};

last_worth_it last_worth_it_of(const std::vector<int>& cores, const std::vector<double>& values, double least) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    double most = 0;
    for (std::size_t j = i + 1; j < values.size(); ++j)
      most = std::max(most, (values[j] - values[i]) / (cores[j] - cores[i]));
    if (most <= 0 || most < least || i + 1 == values.size()) return {i, most};
  }
  return {};
}

core_limit limit_of(const cores_table& table, const std::vector<std::vector<double>>& drawn,
                    mapping_goal::kind wanted) {
  core_limit limit;
  std::vector<int> cores;
  std::vector<double> values;
  std::vector<std::size_t> row_of;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (const cores_row& row = table.rows[i]; row.placed) {
      row_of.push_back(i);
      cores.push_back(row.cores);
      values.push_back(value_of(row.predicted(), wanted));
    }
  if (cores.size() < 2) {
    limit.why_not = "two numbers of cores with a mapping are needed to tell";
    return limit;
  }
  // The first cores with any value: with an infinite latency they have none.
  const auto last_of = [&](const std::vector<double>& by_row) {
    const auto first = std::find_if(by_row.begin(), by_row.end(), [](double value) { return value > 0; });
    const double each = first == by_row.end() ? 0 : *first / cores[static_cast<std::size_t>(first - by_row.begin())];
    return last_worth_it_of(cores, by_row, table.worth * each);
  };
  const last_worth_it last = last_of(values);
  const cores_row& at = table.rows[row_of[last.row]];
  limit.next_adds = values.front() > 0 ? last.next_adds * cores.front() / values.front() : 0;
  if (!at.assumed.empty()) {
    limit.why_not = fmt::format("the gain of further cores is only assumed for {}: run it on several numbers of cores",
                                listed(at.assumed));
    return limit;
  }
  if (last.row + 1 == cores.size()) {
    limit.is_open = true;
    limit.why_not = fmt::format("further cores are worth it up to {}, the most of the table", cores.back());
    return limit;
  }
  limit.cores = at.cores;
  std::vector<double> lasts;
  for (std::size_t d = 0; d < (drawn.empty() ? 0 : drawn.front().size()); ++d) {
    std::vector<double> of_draw;
    for (const std::vector<double>& row : drawn) of_draw.push_back(row[d]);
    lasts.push_back(cores[last_of(of_draw).row]);
  }
  const auto exactly = static_cast<double>(limit.cores);
  limit.between = lasts.empty() ? interval90{exactly, exactly} : interval_of(std::move(lasts));
  return limit;
}

// Adds intervals and marks to a row with a mapping, and the notes of its prediction to the table. Returns the values of
// all draws.
std::vector<double> fill_in(cores_row& row, cores_table& table, const flow_file& file, const random_costs& costs,
                            mapping_goal::kind wanted) {
  const network_prediction& p = row.predicted();
  const mapping& where = row.placed->found.where;
  row.throughput = {p.throughput, p.throughput};
  row.latency = {p.latency, p.latency};
  for (std::size_t i = 0; i < file.bases.size(); ++i) {
    if (!file.bases[i].on(where.components[i].invocation_cores()).extrapolates) continue;
    row.extrapolated.push_back(file.network.components[i].name);
    if (!file.bases[i].alpha_known) row.assumed.push_back(file.network.components[i].name);
  }
  std::vector<double> throughputs, latencies, values;
  for (const network_prediction& one : costs.on(where, row.cores)) {
    throughputs.push_back(one.throughput);
    latencies.push_back(one.latency);
    values.push_back(value_of(one, wanted));
  }
  if (!values.empty()) {
    row.throughput = interval_of(std::move(throughputs));
    row.latency = interval_of(std::move(latencies));
  }
  for (const std::string& note : p.notes)
    if (std::find(table.notes.begin(), table.notes.end(), note) == table.notes.end()) table.notes.push_back(note);
  return values;
}

}  // namespace

cores_table flow_over_cores(const std::string& path, const flow_file& file, const std::vector<int>& cores,
                            const mapping_goal& goal, const std::string& objective, double worth,
                            const std::function<void()>& progress) {
  cores_table table{path, file.kind, file.learnt_on, objective, "", goal.at, worth, !file.bases.empty(), {}, {}, {}};
  mapping_goal each = goal;
  each.top = 1;
  each.most_steps = std::max<std::uint64_t>(1000, goal.most_steps / cores.size());
  const random_costs costs(file, goal.at);
  std::vector<std::vector<double>> drawn;  // by row with a mapping, then by draw
  const cores_row* before = nullptr;
  table.rows.reserve(cores.size());
  for (const int n : cores) {
    cores_row row;
    row.cores = n;
    if (placement_search_result searched = best_placements(file.network, file.alternatives, n, each);
        !searched.best.empty())
      row.placed = std::move(searched.best.front());
    if (before) {
      placed_mapping same = *before->placed;
      same.found.predicted =
          predict_flow(placed_on(file.network, file.alternatives, same.on_device), same.found.where, n, goal.at);
      if (!row.placed ||
          value_of(same.found.predicted, goal.wanted) >= value_of(row.predicted(), goal.wanted) * (1 - 1e-9))
        row.placed = std::move(same);
    }
    if (row.placed) drawn.push_back(fill_in(row, table, file, costs, goal.wanted));
    table.rows.push_back(std::move(row));
    if (table.rows.back().placed) before = &table.rows.back();
    if (progress) progress();
  }
  if (file.bases.empty()) drawn.clear();
  table.limit = limit_of(table, drawn, goal.wanted);
  return table;
}

cores_table flow_of_run(const std::string& path, const flow_file& file, const std::vector<int>& cores,
                        const flow_options& at, const std::optional<mapping>& where) {
  const std::string words = where ? to_string(*where, file.network) : "all components on any of the cores";
  cores_table table{path, file.kind, file.learnt_on, "", words, at, 0, true, {}, {}, {}};
  const random_costs costs(file, at);
  for (const int n : cores) {
    cores_row row;
    row.cores = n;
    mapping here;
    if (where)
      here = *where;
    else
      here.components.assign(file.network.components.size(), {core_set::range(0, n), n, n > 1});
    if (const std::string wrong = check(here, file.network, n); !wrong.empty()) throw std::invalid_argument(wrong);
    row.placed = placed_mapping{{here, predict_flow(file.network, here, n, at)}, {}};
    fill_in(row, table, file, costs, mapping_goal::kind::throughput);
    table.rows.push_back(std::move(row));
  }
  table.limit.why_not = "nothing tells yet which run of the folder fits";
  return table;
}

}  // namespace weir::program
