#include "bench/corpus/way_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <weir/scheduler/policies/fixed_shares.hpp>
#include "bench/corpus/common/jxl_picture.hpp"
#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

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

program::named_policy parse_way_policy(const std::string& text, const objective& goal) {
  if (text == "shared") return {text, fixed_shares({}), "--way " + text};
  return program::parse_policy(text, goal);
}

}  // namespace weir::corpus
