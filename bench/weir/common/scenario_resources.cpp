#include "bench/weir/common/scenario_resources.hpp"

namespace weir::program {
namespace {

using namespace simulation;
using nlohmann::json;

simulated_component::need need_of(json_object& all, const std::string& name,
                                  const std::vector<std::string>& resources) {
  simulated_component::need need;
  need.of = index_of(all, name, name, resources, "resources");
  if (!all.at(name).is_object()) {
    need.fixed = all.number(name, 0, size_or_zero);
    return need;
  }
  json_object in(all.at(name), all.place(name));
  need.fixed = in.number("plus", 0, size_or_zero);
  need.per_x = in.number("per_x", 0, size_or_zero);
  in.require_no_more();
  return need;
}

}  // namespace

std::vector<simulated_resource> resources_of(const json& value, const std::string& place) {
  json_object in(value, place);
  std::vector<simulated_resource> all;
  for (const auto& [name, total] : value.items()) all.push_back({name, in.number(name, 1, above_zero)});
  return all;
}

std::vector<simulated_component::need> needs_in(json_object& component, const std::vector<std::string>& resources) {
  std::vector<simulated_component::need> all;
  if (!component.has("needs")) return all;
  json_object in(component.at("needs"), component.place("needs"));
  for (const auto& [name, amount] : component.at("needs").items()) all.push_back(need_of(in, name, resources));
  return all;
}

}  // namespace weir::program
