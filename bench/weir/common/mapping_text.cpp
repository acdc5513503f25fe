#include "bench/weir/common/mapping_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

constexpr std::int64_t most_cores = 65536;

int whole(const std::string& place, const std::string& text, std::int64_t least) {
  return static_cast<int>(parse_number(place, text, least, most_cores));
}

core_set cores_from(const std::string& place, const std::string& text) {
  std::vector<int> cores;
  for (const std::string& part : split_text(text, ',')) {
    const std::vector<std::string> ends = split_text(part, '-');
    if (ends.size() > 2) throw bad_input(fmt::format("{}: {} is no range of cores such as 0-3", place, excerpt(part)));
    const int first = whole(place, ends.front(), 0), last = whole(place, ends.back(), 0);
    if (last < first) throw bad_input(fmt::format("{}: {} ends before it begins", place, excerpt(part)));
    for (int core = first; core <= last; ++core) cores.push_back(core);
  }
  return core_set(std::move(cores));
}

}  // namespace

mapping::entry entry_of(const std::string& place, const std::string& text, const network_model::component& c) {
  const std::vector<std::string> parts = split_text(text, ':');
  mapping::entry e;
  if (!parts[0].empty()) e.cores = cores_from(place, parts[0]);
  std::size_t next = 1;
  if (next < parts.size() && parts[next] == "any") {
    e.roams = e.cores.size() > 1;
    e.width = std::max(1, std::min({e.cores.size(), c.max_width, c.max_cores}));
    ++next;
  }
  if (next < parts.size()) e.width = whole(place, parts[next++], 1);
  if (next < parts.size())
    throw bad_input(fmt::format("{}: {} was found, expected was CORES, CORES:LANES, CORES:any or :COUNT on a device",
                                place, excerpt(text)));
  return e;
}

mapping mapping_from(const std::string& option, const std::string& text, const network_model& network) {
  std::vector<std::optional<mapping::entry>> found(network.components.size());
  std::vector<std::string> names;
  for (const network_model::component& c : network.components) names.push_back(c.name);
  for (const std::string& word : split_text(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos)
      throw bad_input(fmt::format("{}: {} was found, expected was NAME=CORES", option, excerpt(word)));
    const std::string name = word.substr(0, equals);
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end())
      throw bad_input(fmt::format("{}: there is no component {}; there are {}", option, excerpt(name), listed(names)));
    auto& entry = found[static_cast<std::size_t>(known - names.begin())];
    if (entry) throw bad_input(fmt::format("{}: {} is placed twice", option, excerpt(name)));
    entry =
        entry_of(option, word.substr(equals + 1), network.components[static_cast<std::size_t>(known - names.begin())]);
  }
  mapping result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] && network.components[i].device < 0)
      throw bad_input(fmt::format("{}: {} has no place", option, excerpt(names[i])));
    result.components.push_back(found[i].value_or(mapping::entry{}));
  }
  return result;
}

}  // namespace weir::program
