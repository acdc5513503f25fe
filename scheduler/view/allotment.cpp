#include <weir/scheduler/view/allotment.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace weir {
namespace {

std::string counted(int n, const char* noun) { return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s"); }

bool has_members(const allotment& given) {
  return std::any_of(given.components.begin(), given.components.end(), [](const share& s) { return s.is_member(); });
}

}  // namespace

int allotment::cores_used() const {
  int sum = shared_host() < 0 ? shared.size() : 0;
  for (const share& s : components) sum += s.cores.size();
  return sum;
}

int allotment::shared_host() const {
  if (shared.empty()) return -1;
  for (std::size_t i = 0; i < components.size(); ++i)
    if (components[i].cores.contains(shared[0])) return static_cast<int>(i);
  return -1;
}

std::string check(const allotment& given, const core_set& cores) {
  std::map<int, std::size_t> owners;
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const share& s = given.components[i];
    const std::string who = "component " + std::to_string(i);
    if (!s.is_member() && s.width < 1) return who + " has " + counted(s.width, "lane");
    if (s.outside && !s.cores.empty()) return who + " runs outside the cores and has cores " + to_string(s.cores);
    if (!s.cores.empty() && s.width > s.cores.size())
      return who + " has " + counted(s.width, "lane") + " on " + counted(s.cores.size(), "core");
    for (int core : s.cores) {
      if (!cores.contains(core))
        return who + " has core " + std::to_string(core) + ", which is not among " + to_string(cores);
      if (auto [owner, is_new] = owners.emplace(core, i); !is_new)
        return "core " + std::to_string(core) + " belongs to components " + std::to_string(owner->second) + " and " +
               std::to_string(i);
    }
  }
  if (given.shared.empty()) return has_members(given) ? "the shared group has members and no core" : "";
  for (int core : given.shared) {
    if (!cores.contains(core))
      return "the shared group has core " + std::to_string(core) + ", which is not among " + to_string(cores);
    if (owners.contains(core) && given.shared.size() > 1)
      return "the shared group has " + counted(given.shared.size(), "core") + " and core " + std::to_string(core) +
             " of them belongs to component " + std::to_string(owners[core]);
  }
  return "";
}

std::string to_string(const allotment& given, const std::vector<std::string>& names) {
  if (names.size() < given.components.size())
    throw std::invalid_argument("an allotment of " + counted(static_cast<int>(given.components.size()), "component") +
                                " has " + counted(static_cast<int>(names.size()), "name"));
  std::string text, members;
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const share& s = given.components[i];
    if (s.is_member()) {
      members += (members.empty() ? "" : ", ") + names[i];
      continue;
    }
    text += (text.empty() ? "" : ", ") + names[i] + ' ';
    if (s.outside)
      text += std::to_string(s.width) + " at once outside the cores";
    else
      text += counted(s.cores.size(), "core") + " x " + counted(s.width, "lane") + " {" + to_string(s.cores) + '}';
  }
  if (!given.shared.empty())
    text += (text.empty() ? "shared {" : ", shared {") + to_string(given.shared) + '}' +
            (members.empty() ? "" : " (" + members + ')');
  return text.empty() ? "nothing" : text;
}

}  // namespace weir
