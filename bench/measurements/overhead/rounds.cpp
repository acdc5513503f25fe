#include "bench/measurements/overhead/rounds.hpp"

#include <algorithm>
#include <cmath>

#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"

namespace weir::overhead {
namespace {

// Groups that measure how well the implementations use all cores.
bool is_about_cores(const std::string& group) { return group == "grain" || group == "matmul"; }

// Groups whose rows say how weir's rate relates to the best rival's.
bool has_contest(const std::string& group) {
  return is_about_cores(group) || has_pairs(group) || group == "serial" || group == "two_runs";
}

std::int64_t sized(const row& r, const wish& w) {
  if (r.records > 0) return r.records;
  if (w.records > 0) return std::max(w.records, r.least_records);
  std::int64_t records = 16;
  for (double seconds = r.run(records).seconds;;) {
    const double wanted = static_cast<double>(records) * r.seconds / std::max(seconds, 1e-7);
    if (seconds > 0.25 * r.seconds) return std::max(r.least_records, static_cast<std::int64_t>(std::ceil(wanted)));
    // Short runs say little: the threads of the first records are still waking.
    records = static_cast<std::int64_t>(std::ceil(std::min(wanted, 32.0 * static_cast<double>(records))));
    seconds = r.run(records).seconds;
  }
}

sample run_once(const measured& m) {
  sample s = m.what.run(m.records);
  if (m.what.records > 0 && m.what.is_paced) s.records_per_second = s.steady_records_per_second = unknown;
  return s;
}

// of(a, b) for each round that both have.
template <class Of>
std::vector<double> paired(const measured& a, const measured& b, Of of) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(a.runs.size(), b.runs.size()); ++i)
    if (a.runs[i] && b.runs[i]) values.push_back(of(*a.runs[i], *b.runs[i]));
  return values;
}

double rates(const sample& a, const sample& b) { return a.records_per_second / b.records_per_second; }

measured* find(std::vector<measured>& all, const std::string& impl) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const measured& m) { return m.what.impl == impl; });
  return at == all.end() ? nullptr : &*at;
}

measured* best_rival(std::vector<measured>& all) {
  measured* best = nullptr;
  for (measured& m : all) {
    if (m.what.impl == "weir" || m.what.impl == "loop") continue;
    const auto rate = [](const measured& x) { return x.over(&sample::records_per_second).median; };
    if (!best || rate(m) > rate(*best)) best = &m;
  }
  return best;
}

void compare(std::vector<measured>& all) {
  measured* const flow = find(all, "flow_graph") ? find(all, "flow_graph") : find(all, "flow_graph_sequencer");
  const measured* const loop = find(all, "loop");
  const double cores = program::usable_cores();
  for (measured& m : all) {
    if (flow) m.ratio_to_flow_graph = program::quantile(paired(m, *flow, rates), 0.5);
    if (!loop || !is_about_cores(m.what.group)) continue;
    m.efficiency = program::quantile(paired(m, *loop, rates), 0.5) / cores;
    const auto steady = [](const sample& a, const sample& b) {
      return a.steady_records_per_second / b.records_per_second;
    };
    m.steady_efficiency = program::quantile(paired(m, *loop, steady), 0.5) / cores;
  }
}

// All rows of one configuration.
std::vector<measured> measure_one(const std::vector<row>& rows, const wish& w,
                                  const std::function<void(const std::string& row)>& begin) {
  std::vector<measured> all;
  for (const row& r : rows) {
    begin(r.name());
    measured& m = all.emplace_back();
    m.what = r;
    m.records = sized(r, w);
  }
  const auto run_round = [&](int round, const std::vector<measured*>& who) {
    for (measured& m : all) m.runs.emplace_back();
    for (std::size_t i = 0; i < who.size(); ++i) {
      measured& m = *who[(i + static_cast<std::size_t>(round)) % who.size()];
      if (m.what.rounds > 0 && round >= m.what.rounds) continue;
      begin(m.what.name());
      m.runs.back() = run_once(m);
    }
  };
  std::vector<measured*> everybody;
  for (measured& m : all) everybody.push_back(&m);
  for (int round = 0; round < w.repeats; ++round) run_round(round, everybody);
  measured *const ours = find(all, "weir"), *const rival = best_rival(all);
  if (ours && rival && has_contest(ours->what.group)) {
    for (int round = w.repeats; has_pairs(ours->what.group) && round < w.pairs; ++round)
      run_round(round, {ours, rival});
    const std::vector<double> ratios = paired(*ours, *rival, rates);
    ours->against = contest{rival->what.impl, program::bootstrap_median(ratios), static_cast<int>(ratios.size())};
  }
  compare(all);
  return all;
}

}  // namespace

bool has_pairs(const std::string& group) { return group == "grain" || group == "monitor"; }

program::median_interval measured::over(double sample::*of) const {
  std::vector<double> values;
  for (const auto& run : runs)
    if (run && !std::isnan((*run).*of)) values.push_back((*run).*of);
  return {program::quantile(values, 0.5), program::quantile(values, 0), program::quantile(values, 1)};
}

std::vector<measured> measure(const std::vector<row>& rows, const wish& w,
                              const std::function<void(const std::string& row)>& begin) {
  std::vector<measured> all;
  for (std::size_t from = 0, to = 0; from < rows.size(); from = to) {
    while (to < rows.size() && rows[to].group == rows[from].group && rows[to].config == rows[from].config) ++to;
    for (measured& m :
         measure_one({rows.begin() + static_cast<std::ptrdiff_t>(from), rows.begin() + static_cast<std::ptrdiff_t>(to)},
                     w, begin))
      all.push_back(std::move(m));
  }
  return all;
}

}  // namespace weir::overhead
