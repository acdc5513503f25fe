#include "bench/weir/common/policy_outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <weir/report/report.hpp>
#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

std::string joined(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

// "multiply both cores", "decode 6 and solve 25 of 48 cores", "no component cores of its own".
std::string division(const allotment& a, const std::vector<std::string>& names, int cores) {
  std::vector<std::string> owners;
  int last = 0;
  for (std::size_t i = 0; i < a.components.size(); ++i) {
    if (a.components[i].cores.empty()) continue;
    last = a.components[i].cores.size();
    owners.push_back(fmt::format("{} {}", names[i], last));
  }
  if (owners.empty()) return "no component cores of its own";
  if (owners.size() > 1 || last < cores)
    return fmt::format("{} of {}", joined(owners), counted(static_cast<std::uint64_t>(cores), "core"));
  const std::string all = cores == 1 ? "the core" : cores == 2 ? "both cores" : fmt::format("all {} cores", cores);
  return owners.front().substr(0, owners.front().rfind(' ') + 1) + all;
}

// The division of cores that a run ended with, in words without times, and when it came into force.
struct ending {
  std::string words;
  double since = 0;  // seconds; 0: nothing was moved
};

ending ending_of(const policy_outcome& o, const std::vector<decision>& decisions, const std::vector<std::string>& names,
                 int cores) {
  const auto moves = decisions.size() - 1;
  if (moves == 0) return {fmt::format("{} moved no cores", o.policy)};
  const std::string first = division(decisions.front().to, names, cores),
                    last = division(decisions.back().to, names, cores);
  if (first == last && decisions.front().to == decisions.back().to)
    return {fmt::format("{} moved cores and took that back", o.policy)};
  return {fmt::format("{} gave {}", o.policy, last), decisions.back().time};
}

// The division that a policy ended with: of several runs the most frequent one, with the times of these runs.
std::string moves_text(const policy_outcome& o, const std::vector<std::string>& names, int cores) {
  std::map<std::string, std::vector<double>> endings;
  std::size_t runs = 0;
  for (const std::vector<decision>& of : o.decisions) {
    if (of.empty()) continue;
    const ending e = ending_of(o, of, names, cores);
    endings[e.words].push_back(e.since);
    ++runs;
  }
  if (endings.empty()) return o.policy;
  const auto most = std::max_element(endings.begin(), endings.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  const auto [least, latest] = std::minmax_element(most->second.begin(), most->second.end());
  std::string text = most->first;
  if (*latest > 0) {
    const std::string from = duration(*least), to = duration(*latest);
    text += from == to ? fmt::format(" after {}", to) : fmt::format(" after {} to {}", from, to);
  }
  if (most->second.size() < runs) text += fmt::format(" in {} of {} rounds", most->second.size(), runs);
  return text;
}

// `load`: the largest notable one, or 0.
std::string ratio_text(const policy_outcome& o, const std::string& base, double load) {
  const double least = quantile(o.ratios, 0), most = quantile(o.ratios, 1);
  std::string text = fmt::format("{:.2f} times {}", quantile(o.ratios, 0.5), base);
  text += o.ratios.size() == 1 ? ", one round" : fmt::format(", rounds {:.2f} to {:.2f}", least, most);
  if (load > 0)
    return text +
           fmt::format(", while other processes had up to {:.0f} % of the cores: this shows nothing", 100 * load);
  return o.ratios.size() > 1 && least <= 1 && most >= 1 ? text + ", which shows no difference" : text;
}

// The largest load if it is notable, else 0. NaN is unknown.
double largest_notable(const std::vector<double>& loads) {
  double most = 0;
  for (const double load : loads)
    if (load >= run_report::notable_foreign_load && load > most) most = load;
  return most;
}

}  // namespace

std::string outcome_text(const std::vector<policy_outcome>& all, const std::string& base,
                         const std::vector<std::string>& names, int cores, const std::vector<double>& foreign_loads) {
  const double load = largest_notable(foreign_loads);
  std::string text;
  for (const policy_outcome& o : all) {
    const bool is_compared = !o.ratios.empty();
    if (!o.adapts && !is_compared) continue;
    text += o.adapts ? moves_text(o, names, cores) : o.policy;
    text += is_compared ? fmt::format(": {}.\n", ratio_text(o, base, load)) : ".\n";
  }
  return text;
}

std::string foreign_load_text(const std::vector<double>& of_runs) {
  const double most = largest_notable(of_runs);
  if (most == 0) return "";
  const auto notable = std::count_if(of_runs.begin(), of_runs.end(),
                                     [](double load) { return load >= run_report::notable_foreign_load; });
  if (of_runs.size() == 1) return fmt::format("other processes had {:.0f} % of the cores: times mislead\n", 100 * most);
  return fmt::format("other processes had up to {:.0f} % of the cores in {} of {} runs: ratios mean nothing\n",
                     100 * most, notable, of_runs.size());
}

}  // namespace weir::program
