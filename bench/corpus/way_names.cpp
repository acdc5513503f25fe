#include "bench/corpus/way_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bench/corpus/common/jxl_picture.hpp"
#include "bench/corpus/ways/documents_to_text.hpp"
#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/named_policy.hpp"

namespace weir::corpus {
namespace {

constexpr const char* without_weir[] = {"sequential", "pipeline", "flow-graph", "xargs"};
constexpr const char* limited_mark = " limited";
constexpr const char* onetbb_mark = " limited onetbb";

bool keeps_images(const named_way& way) { return way.way != "xargs"; }  // its processes hand over text alone

}  // namespace

named_way parse_way(const std::string& name) {
  if (name.starts_with("weir ")) return {name, "weir", name.substr(5)};
  const bool onetbb = name.ends_with(onetbb_mark), limited = onetbb || name.ends_with(limited_mark);
  const std::string mark = onetbb ? onetbb_mark : limited ? limited_mark : "";
  const std::string way = name.substr(0, name.size() - mark.size());
  if (std::find(std::begin(without_weir), std::end(without_weir), way) != std::end(without_weir))
    return {name, way, "", limited, onetbb};
  throw program::bad_input(fmt::format(
      "--way: {} is none; there are {}, each also with \" limited\" behind it, and \"weir POLICY\", as in \"weir "
      "adaptive\"; with --images also with \" limited onetbb\"",
      program::excerpt(name), fmt::join(without_weir, ", ")));
}

void require_use_of(const named_way& way, bool has_images) {
  if (has_images && !has_jxl())
    throw program::bad_input("--images: this program was built without libjxl (package libjxl-dev)");
  if (has_images && !keeps_images(way))
    throw program::bad_input(fmt::format("--images: way {} keeps no pictures", way.name));
  if (!has_images && way.onetbb)
    throw program::bad_input(fmt::format("--way: {} encodes pictures, which --images asks for", way.name));
}

std::vector<named_way> all_ways(int cores, bool has_images) {
  std::vector<named_way> all;
  for (const char* way : without_weir)
    for (const char* mark : {"", limited_mark, onetbb_mark}) all.push_back(parse_way(std::string(way) + mark));
  std::erase_if(all, [&](const named_way& w) { return has_images ? !keeps_images(w) : w.onetbb; });
  std::vector<std::string> policies{"adaptive", "equal", "shared", fmt::format("fixed:read={0}x{0}", cores)};
  if (cores > 1) policies.push_back(fmt::format("fixed:read={0}x{0}", cores - 1));
  if (cores > 3) policies.push_back(fmt::format("fixed:read={0}x{0},clean=1", cores - 2));
  for (const std::string& policy : policies) all.push_back(parse_way("weir " + policy));
  return all;
}

options options_of(const named_way& way, const weir_settings& typed, bool has_images) {
  const std::pair<const char*, bool> of_weir[] = {
      {"--policy", typed.policy && (way.way != "weir" || !way.policy.empty())},
      {"--objective", way.way != "weir" && typed.objective},
      {"--capacity", way.way != "weir" && typed.capacity},
      {"--report", way.way != "weir" && typed.report},
      {"--trace", way.way != "weir" && typed.trace}};
  for (const auto& [option, is_given] : of_weir)
    if (is_given)
      throw program::bad_input(
          fmt::format("{}: way {} {}", option, way.name,
                      way.way == "weir" ? "names its policy" : "runs without weir, which the option is of"));
  options how;
  if (way.way != "weir") return how;
  const std::string goal = typed.objective.value_or("throughput"),
                    policy = way.policy.empty() ? typed.policy.value_or("adaptive") : way.policy;
  const program::named_policy chosen = program::parse_policy(
      policy, program::parse_objective(goal), way.policy.empty() ? "" : fmt::format("--way \"{}\"", way.name));
  program::require_objective_used(goal, {policy});
  how.policy = chosen.rule;
  how.capacity = typed.capacity.value_or(0);  // automatic: by the seconds that records take
  try {
    require_accepted(how, has_images);
  } catch (const std::invalid_argument& e) {
    program::refuse(chosen, e);
  }
  return how;
}

}  // namespace weir::corpus
