#include "bench/corpus/way_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <weir/scheduler/policies/fixed_shares.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

namespace weir::corpus {
namespace {

constexpr const char* without_weir[] = {"sequential", "pipeline", "flow-graph", "xargs"};
constexpr const char* limited_mark = " limited";

}  // namespace

named_way parse_way(const std::string& name) {
  if (name.starts_with("weir ")) return {name, "weir", name.substr(5)};
  const bool limited = name.ends_with(limited_mark);
  const std::string way = limited ? name.substr(0, name.size() - std::string(limited_mark).size()) : name;
  if (std::find(std::begin(without_weir), std::end(without_weir), way) != std::end(without_weir))
    return {name, way, "", limited};
  throw program::bad_input(fmt::format(
      "--way: {} is none; there are {}, each also with \" limited\" behind it, and \"weir POLICY\", as in \"weir "
      "adaptive\"",
      program::excerpt(name), fmt::join(without_weir, ", ")));
}

std::vector<named_way> all_ways(int cores) {
  std::vector<named_way> all;
  for (const char* way : without_weir)
    for (const char* mark : {"", limited_mark}) all.push_back(parse_way(std::string(way) + mark));
  std::vector<std::string> policies{"adaptive", "equal", "shared", fmt::format("fixed:read={0}x{0}", cores)};
  if (cores > 1) policies.push_back(fmt::format("fixed:read={0}x{0}", cores - 1));
  if (cores > 3) policies.push_back(fmt::format("fixed:read={0}x{0},clean=1", cores - 2));
  for (const std::string& policy : policies) all.push_back(parse_way("weir " + policy));
  return all;
}

program::named_policy parse_way_policy(const std::string& text, const objective& goal) {
  if (text == "shared") return {text, fixed_shares({}), "--way " + text};
  return program::parse_policy(text, goal);
}

}  // namespace weir::corpus
