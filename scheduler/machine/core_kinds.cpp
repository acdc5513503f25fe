#include "scheduler/machine/core_kinds.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace weir {
namespace {

constexpr const char* before_kinds = " kinds:";

// "P" and "E" for two, as processors' makers call them; "K1", "K2", .. for more.
void name_kinds(std::vector<core_kind>& kinds) {
  for (std::size_t k = 0; k < kinds.size(); ++k)
    kinds[k].name = kinds.size() == 2 ? (k == 0 ? "P" : "E") : std::string("K").append(std::to_string(k + 1));
}

#if HWLOC_API_VERSION >= 0x00020400
double number_of(const hwloc_info_s* infos, unsigned count, const char* name) {
  for (unsigned i = 0; i < count; ++i)
    if (std::string(infos[i].name) == name) return std::strtod(infos[i].value, nullptr);
  return 0;
}

// The measure that all kinds have, by kind in hwloc's order; ones if there is none.
std::vector<double> measured_speeds(hwloc_topology_t loaded, unsigned kinds) {
  for (const char* const measure : {"LinuxCapacity", "FrequencyBaseMHz", "FrequencyMaxMHz"}) {
    std::vector<double> speeds;
    for (unsigned k = 0; k < kinds; ++k) {
      unsigned count = 0;
      hwloc_info_s* infos = nullptr;
      if (hwloc_cpukinds_get_info(loaded, k, nullptr, nullptr, &count, &infos, 0) != 0) break;
      if (const double speed = number_of(infos, count, measure); speed > 0) speeds.push_back(speed);
    }
    if (speeds.size() == kinds) return speeds;
  }
  return std::vector<double>(kinds, 1);
}
#endif

// "6xP" or "8xE@0.6".
struct said_kind {
  int cores = 0;
  core_kind kind;
};

bool read_kind(const std::string& text, said_kind& to) {
  const char* const end = text.data() + text.size();
  auto [behind, error] = std::from_chars(text.data(), end, to.cores);
  if (error != std::errc() || to.cores < 1 || behind == end || *behind != 'x') return false;
  const std::size_t from = static_cast<std::size_t>(behind - text.data()) + 1, at = text.find('@', from);
  to.kind.name = text.substr(from, at == std::string::npos ? at : at - from);
  if (to.kind.name.empty() || to.kind.name.find(' ') != std::string::npos) return false;
  if (at == std::string::npos) return true;
  auto [last, wrong] = std::from_chars(text.data() + at + 1, end, to.kind.speed);
  return wrong == std::errc() && last == end && to.kind.speed > 0 && to.kind.speed <= 1;
}

}  // namespace

hwloc_obj_type_t type_of_cores(hwloc_topology_t loaded) {
  return hwloc_get_nbobjs_by_type(loaded, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

core_kinds kinds_of_machine(hwloc_topology_t loaded) {
  const hwloc_obj_type_t core = type_of_cores(loaded);
  const int cores = hwloc_get_nbobjs_by_type(loaded, core);
  core_kinds result{{core_kind{}}, std::vector<int>(static_cast<std::size_t>(cores), 0)};
#if HWLOC_API_VERSION >= 0x00020400
  const int kinds = hwloc_cpukinds_get_nr(loaded, 0);
  int efficiency = -1;
  if (kinds < 2 || hwloc_cpukinds_get_info(loaded, 0, nullptr, &efficiency, nullptr, nullptr, 0) != 0 || efficiency < 0)
    return result;
  for (int c = 0; c < cores; ++c) {
    const hwloc_obj_t obj = hwloc_get_obj_by_type(loaded, core, static_cast<unsigned>(c));
    const int kind = hwloc_cpukinds_get_by_cpuset(loaded, obj->cpuset, 0);
    if (kind < 0) return {{core_kind{}}, std::vector<int>(static_cast<std::size_t>(cores), 0)};
    result.of_core[static_cast<std::size_t>(c)] = kinds - 1 - kind;  // hwloc has the slowest first
  }
  const std::vector<double> speeds = measured_speeds(loaded, static_cast<unsigned>(kinds));
  result.kinds.assign(static_cast<std::size_t>(kinds), {});
  for (std::size_t k = 0; k < speeds.size(); ++k)
    result.kinds[k].speed = std::min(1.0, speeds[speeds.size() - 1 - k] / speeds.back());
  name_kinds(result.kinds);
#endif
  return result;
}

std::pair<std::string, std::optional<std::string>> without_kinds(const std::string& text) {
  const std::size_t at = text.find(before_kinds);
  if (at == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + std::string(before_kinds).size())};
}

core_kinds synthetic_kinds(const std::optional<std::string>& said, const std::string& text, int cores) {
  if (!said) return {{core_kind{}}, std::vector<int>(static_cast<std::size_t>(cores), 0)};
  core_kinds result{{}, {}};
  std::istringstream list(*said);
  for (std::string one; std::getline(list, one, ',');) {
    said_kind read;
    if (!read_kind(one, read))
      throw std::invalid_argument("\"" + text + "\": \"" + one +
                                  "\" is no kind of cores such as 6xP or 8xE@0.6, with a speed above 0 and up to 1");
    if (!result.kinds.empty() && read.kind.speed > result.kinds.back().speed)
      throw std::invalid_argument("\"" + text + "\": kind " + read.kind.name + " is faster than the kind before it");
    for (int c = 0; c < read.cores && std::ssize(result.of_core) <= cores; ++c)
      result.of_core.push_back(static_cast<int>(result.kinds.size()));
    result.kinds.push_back(read.kind);
  }
  if (std::ssize(result.of_core) != cores)
    throw std::invalid_argument("\"" + text + "\": its kinds are not those of its " + std::to_string(cores) +
                                (cores == 1 ? " core" : " cores"));
  return result;
}

}  // namespace weir
