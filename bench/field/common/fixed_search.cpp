#include "bench/field/common/fixed_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace weir::field_bench {
namespace {

constexpr double least_gain = 1.02;  // less is noise

std::vector<fixed_share> shares_of(const std::vector<std::string>& components, const std::vector<int>& counts) {
  std::vector<fixed_share> shares;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) shares.push_back({components[i], counts[i], counts[i]});
  return shares;
}

// The divisions next to one: a core more for a component, and a core that moves between two.
std::vector<std::vector<int>> neighbours_of(const std::vector<int>& counts, int cores) {
  std::vector<std::vector<int>> all;
  for (std::size_t to = 0; to < counts.size(); ++to) {
    if (std::accumulate(counts.begin(), counts.end(), 0) < cores) {
      all.push_back(counts);
      ++all.back()[to];
    }
    for (std::size_t from = 0; from < counts.size(); ++from)
      if (from != to && counts[from] > 0) {
        all.push_back(counts);
        --all.back()[from];
        ++all.back()[to];
      }
  }
  return all;
}

}  // namespace

found_shares searched_shares(const std::vector<std::string>& components, const std::vector<std::string>& serial,
                             int cores, const std::function<double(const std::vector<fixed_share>&)>& rate_of) {
  const auto is_allowed = [&](const std::vector<int>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 1 && std::find(serial.begin(), serial.end(), components[i]) != serial.end()) return false;
    return true;
  };
  found_shares found;
  std::vector<int> best(components.size(), 0);
  found.rate = rate_of({});
  found.tried = 1;
  const auto climb = [&](const std::vector<std::vector<int>>& candidates) {
    const double before = found.rate;
    for (const std::vector<int>& counts : candidates) {
      if (!is_allowed(counts)) continue;
      ++found.tried;
      const double rate = rate_of(shares_of(components, counts));
      if (rate > std::max(found.rate, before * least_gain)) found.rate = rate, best = counts;
    }
    return found.rate > before;
  };
  std::vector<std::vector<int>> pairs;
  for (std::size_t a = 0; a < components.size() && cores >= 2; ++a)
    for (std::size_t b = a + 1; b < components.size(); ++b) {
      pairs.emplace_back(components.size(), 0);
      pairs.back()[a] = pairs.back()[b] = 1;
    }
  climb(pairs);
  while (climb(neighbours_of(best, cores))) {
  }
  found.best = shares_of(components, best);
  return found;
}

std::string to_string(const std::vector<fixed_share>& shares) {
  std::string text;
  for (const fixed_share& s : shares)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", s.component,
                        s.cores == 1 ? "1" : fmt::format("{}x{}", s.cores, s.lanes));
  return text.empty() ? "all shared" : text;
}

}  // namespace weir::field_bench
