#include <weir/scheduler/predict/mapping.hpp>

#include <algorithm>

namespace weir {
namespace {

std::string check(const mapping::entry& e, const network_model::component& c, int cores) {
  const std::string who = '"' + c.name + "\" ";
  if (e.width < 1 || e.width > c.max_width)
    return who + "runs " + std::to_string(e.width) + " at once, expected was 1 to " + std::to_string(c.max_width);
  if (c.device >= 0) return e.cores.empty() ? "" : who + "is on a device and has cores " + to_string(e.cores);
  if (e.cores.empty()) return who + "has no cores";
  if (e.cores[0] < 0 || e.cores[e.cores.size() - 1] >= cores)
    return who + "has cores " + to_string(e.cores) + ", expected were some of 0 to " + std::to_string(cores - 1);
  if (e.width > e.cores.size())
    return who + "runs " + std::to_string(e.width) + " at once on " + std::to_string(e.cores.size()) + " cores";
  if (e.cores_at_once() < c.min_cores || e.cores_at_once() > c.max_cores)
    return who + "uses " + std::to_string(e.cores_at_once()) + " cores, expected was " + std::to_string(c.min_cores) +
           " to " + (c.max_cores == unlimited ? "any number" : std::to_string(c.max_cores));
  return e.roams && c.min_cores > 1 ? who + "asks for two or more cores and takes one at a time" : "";
}

}  // namespace

std::vector<core_set> mapping::entry::lanes() const { return cores.slices(roams ? cores.size() : width); }

core_set mapping::used() const {
  std::vector<int> all;
  for (const entry& e : components) all.insert(all.end(), e.cores.begin(), e.cores.end());
  return core_set(std::move(all));
}

mapping mapping_of(const allotment& given, const network_model& network) {
  mapping result;
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const network_model::component& c = network.components[i];
    const share& s = given.components[i];
    const int size = given.shared.size();
    if (c.device >= 0)
      result.components.push_back({{}, s.outside ? s.width : 1, false});
    else if (!s.cores.empty())
      result.components.push_back({s.cores, s.width, false});
    else
      result.components.push_back({given.shared, std::max(1, std::min({c.max_width, c.max_cores, size})), size > 1});
  }
  return result;
}

std::string check(const mapping& given, const network_model& network, int cores) {
  if (given.components.size() != network.components.size())
    return "there are " + std::to_string(network.components.size()) + " components and places for " +
           std::to_string(given.components.size());
  std::vector<long long> taken(network.devices.size(), 0);
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const network_model::component& c = network.components[i];
    if (std::string wrong = check(given.components[i], c, cores); !wrong.empty()) return wrong;
    if (c.device >= 0) taken[static_cast<std::size_t>(c.device)] += 1LL * c.slots * given.components[i].width;
  }
  for (std::size_t d = 0; d < taken.size(); ++d)
    if (taken[d] > network.devices[d].slots)
      return "device \"" + network.devices[d].name + "\" has " + std::to_string(network.devices[d].slots) +
             " slots and is to hold " + std::to_string(taken[d]);
  return "";
}

std::string to_string(const mapping& given, const network_model& network) {
  std::string text;
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const network_model::component& c = network.components[i];
    const mapping::entry& e = given.components[i];
    text += (i == 0 ? "" : ", ") + c.name;
    const std::string width = std::to_string(e.width);
    if (c.device >= 0)
      text += " on " + network.devices[static_cast<std::size_t>(c.device)].name +
              (e.width > 1 ? ", " + width + " at once" : "");
    else if (e.roams)
      text += " any of {" + to_string(e.cores) + "}" + (e.width < e.cores.size() ? ", " + width + " at once" : "");
    else
      text += " {" + to_string(e.cores) + "}" + (e.width > 1 ? " " + width + " lanes" : "");
  }
  return text;
}

}  // namespace weir
