#include "bench/weir/flow/flow_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "bench/weir/flow/flow_component.hpp"
#include "scheduler/view/outer_end.hpp"

namespace weir::program {
std::optional<ranks_of_run> read_ranks(json_object& in, const std::vector<std::string>& names) {
  std::vector<json_object> ranks = in.objects("ranks");
  if (ranks.size() < 2) return std::nullopt;
  ranks_of_run result;
  cluster& machines = result.machines;
  std::map<std::string, std::vector<int>> ran_at;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    json_object& one = ranks[r];
    machines.cores.push_back(static_cast<int>(std::max<std::int64_t>(1, one.whole("cores", 1, 0, most_cores_of_flow))));
    const auto known = [&](const char* key, double otherwise, const accepted_numbers& accepted) {
      return one.has(key) && one.at(key).is_number() ? one.number(key, otherwise, accepted) : otherwise;
    };
    if (r > 0)
      machines.pairs.push_back({0,
                                static_cast<int>(r),
                                {known("latency", 0, up_to_1e12), known("record_seconds", 0, up_to_1e12),
                                 known("bytes_per_second", std::numeric_limits<double>::infinity(), bandwidths)}});
    for (json_object& part : one.objects("components")) {
      if (part.whole("invocations", 0, 0, std::numeric_limits<std::int64_t>::max()) > 0)
        ran_at[part.text("name")].push_back(static_cast<int>(r));
    }
  }
  std::map<std::string, std::pair<double, double>> sent;  // by where they come from: records, bytes
  std::vector<json_object> streams;
  if (in.has("streams")) streams = in.objects("streams");
  for (json_object& one : streams) {
    if (!one.has("bytes") || !one.at("bytes").is_number()) continue;
    std::string from = one.text("from");
    if (from.starts_with("rank ")) from.erase(0, std::min(from.size(), from.find(": ") + 2));
    sent[from].first += one.number("records", 0, size_or_zero);
    sent[from].second += one.number("bytes", 0, size_or_zero);
  }
  const auto bytes_from = [&](const std::string& name) {
    const auto found = sent.find(name);
    return found != sent.end() && found->second.first > 0 ? found->second.second / found->second.first : 0.0;
  };
  for (const std::string& name : names) {
    const std::vector<int>& at = ran_at[name];
    result.places.push_back({at.empty() ? 0 : at.size() > 1 ? everywhere : at.front(), bytes_from(name)});
  }
  result.bytes = bytes_from(outer_end("input", names));
  if (sent.empty()) result.assumed.emplace_back("records have no bytes: the run had no option record_bytes");
  result.assumed.emplace_back("what ran on several ranks is on all of them, with equal parts of the keys");
  return result;
}

}  // namespace weir::program
