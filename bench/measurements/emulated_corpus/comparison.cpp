#include "bench/measurements/emulated_corpus/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/table.hpp"
#include "bench/weir/common/learnt_json.hpp"

namespace weir::emulated_corpus {
namespace {

using program::duration;
using json = nlohmann::ordered_json;

bool is_fixed(const std::string& policy) { return policy.starts_with("fixed:"); }

// More is better.
double merit(const comparison& all, const outcome& o) { return all.rate > 0 ? 1 / o.mean : o.pages_per_second(); }

template <class Value>
std::vector<double> values_of(const comparison& all, const std::string& policy, Value value) {
  std::vector<double> values;
  for (const outcome& o : all.runs)
    if (o.policy == policy) values.push_back(value(o));
  return values;
}

template <class Value>
double median(const comparison& all, const std::string& policy, Value value) {
  return program::quantile(values_of(all, policy, value), 0.5);
}

std::string best_fixed_of(const comparison& all) {
  std::string best;
  double most = -1;
  for (const outcome& o : all.runs) {
    if (!is_fixed(o.policy)) continue;
    const double m = median(all, o.policy, [&](const outcome& one) { return merit(all, one); });
    if (m > most) most = m, best = o.policy;
  }
  return best;
}

std::string shown(const row& r) { return r.is_best_fixed ? "best fixed: " + r.policy.substr(6) : r.policy; }

std::string seconds_text(const row& r) {
  return fmt::format("{}{:.2f} ({:.2f} .. {:.2f})", r.stopped ? "stopped " : "", r.seconds, r.least, r.most);
}

const std::vector<std::string>& columns() {
  static const std::vector<std::string> all{
      "policy", "seconds (min .. max)", "pages/s", "x best fixed", "latency mean", "p50", "p99", "moves"};
  return all;
}

std::vector<std::string> cells(const row& r) {
  return {shown(r),
          seconds_text(r),
          fmt::format("{:.4g}", r.pages_per_second),
          program::ratio_text(r.to_best_fixed),
          duration(r.latency_mean),
          duration(r.latency_p50),
          duration(r.latency_p99),
          fmt::format("{:.2g}", r.moves)};
}

}  // namespace

std::string comparison::title() const {
  return rate > 0 ? fmt::format("{:g} documents arrive a second", rate) : "all documents are there";
}

std::vector<row> rows_of(const comparison& all) {
  const std::string best = best_fixed_of(all);
  const std::vector<double> bests = values_of(all, best, [&](const outcome& o) { return merit(all, o); });
  std::vector<row> rows;
  for (const outcome& first : all.runs) {
    if (first.round != 1) continue;
    const std::string& p = first.policy;
    const auto seconds = values_of(all, p, [](const outcome& o) { return o.seconds; });
    row r;
    r.policy = p;
    r.seconds = program::quantile(seconds, 0.5);
    r.least = *std::min_element(seconds.begin(), seconds.end());
    r.most = *std::max_element(seconds.begin(), seconds.end());
    r.pages_per_second = median(all, p, [](const outcome& o) { return o.pages_per_second(); });
    std::vector<double> ratios = values_of(all, p, [&](const outcome& o) { return merit(all, o); });
    for (std::size_t i = 0; i < std::min(ratios.size(), bests.size()); ++i) ratios[i] /= bests[i];
    if (bests.empty()) ratios.clear();
    r.to_best_fixed = program::bootstrap_median(ratios);
    r.latency_mean = median(all, p, [](const outcome& o) { return o.mean; });
    r.latency_p50 = median(all, p, [](const outcome& o) { return o.p50; });
    r.latency_p99 = median(all, p, [](const outcome& o) { return o.p99; });
    for (const double moves : values_of(all, p, [](const outcome& o) { return double(o.moves()); }))
      r.moves += moves / static_cast<double>(seconds.size());
    r.stopped =
        std::any_of(all.runs.begin(), all.runs.end(), [&](const outcome& o) { return o.policy == p && o.stopped; });
    r.is_best_fixed = p == best;
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string to_text(const comparison& all) {
  const std::vector<row> rows = rows_of(all);
  std::vector<std::vector<std::string>> lines{columns()};
  for (const row& r : rows) lines.push_back(cells(r));
  return all.title() + "\n" + program::table_text(lines, "  ");
}

json to_json(const comparison& all) {
  json policies = json::array(), runs = json::array();
  for (const row& r : rows_of(all))
    policies.push_back({{"policy", r.policy},
                        {"best_fixed", r.is_best_fixed},
                        {"stopped", r.stopped},
                        {"seconds", {{"median", r.seconds}, {"min", r.least}, {"max", r.most}}},
                        {"pages_per_second", r.pages_per_second},
                        {"over_best_fixed",
                         {{"median", program::number(r.to_best_fixed.median)},
                          {"low", program::number(r.to_best_fixed.low)},
                          {"high", program::number(r.to_best_fixed.high)}}},
                        {"latency_seconds",
                         {{"mean", program::number(r.latency_mean)},
                          {"p50", program::number(r.latency_p50)},
                          {"p99", program::number(r.latency_p99)}}},
                        {"moves", r.moves}});
  for (const outcome& o : all.runs)
    runs.push_back(
        {{"policy", o.policy},
         {"round", o.round},
         {"seconds", o.seconds},
         {"pages", o.pages},
         {"stopped", o.stopped},
         {"right", o.right},
         {"latency_seconds",
          {{"mean", program::number(o.mean)}, {"p50", program::number(o.p50)}, {"p99", program::number(o.p99)}}},
         {"moves", o.moves()}});
  return {{"rate", all.rate}, {"pages", all.pages}, {"policies", std::move(policies)}, {"runs", std::move(runs)}};
}

page_table table_of(const comparison& all) {
  page_table table{all.title(), columns(), {}};
  for (const row& r : rows_of(all)) table.rows.push_back(cells(r));
  return table;
}

std::string decisions_text(const comparison& all) {
  std::string text;
  for (const outcome& o : all.runs) {
    if (o.moves() == 0) continue;
    text += fmt::format("{}, {}, round {}\n", all.title(), o.policy, o.round);
    for (const decision& d : o.report.decisions) {
      const std::string promised = predicted_words(d), realised = realised_words(d);
      text += fmt::format("  {:>9}  {}\n             {}\n             promised {}; realised {}{}\n", duration(d.time),
                          to_string(d.to, o.report.names), d.why, promised.empty() ? "no gain" : promised,
                          realised.empty() ? "not measured" : realised, d.reverted ? "; taken back" : "");
    }
  }
  return text;
}

}  // namespace weir::emulated_corpus
