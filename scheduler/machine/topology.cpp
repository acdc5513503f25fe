#include <weir/scheduler/machine/topology.hpp>

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "scheduler/machine/core_kinds.hpp"
#include "scheduler/machine/cpu_quota.hpp"
#include "scheduler/machine/openmp_places.hpp"
#include "scheduler/machine/without_plugins.hpp"

namespace weir {
namespace {

struct close_topology {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
struct free_bitmap {
  void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using topology_handle = std::unique_ptr<hwloc_topology, close_topology>;
using bitmap = std::unique_ptr<hwloc_bitmap_s, free_bitmap>;

// hwloc 2.9 does not check whether its allocations succeed. So this throws std::bad_alloc unless more memory is
// available than it needs: some MB for the system's files, and about 1 kB for each object.
void require_memory(double objects) {
  const auto bytes = static_cast<std::size_t>(std::min(16e6 + 1024 * objects, 1e12));
  const std::unique_ptr<char[]> room(new char[bytes]);
  *static_cast<volatile char*>(room.get()) = 0;  // else the compiler would remove the allocation
}

hwloc_bitmap_t required(hwloc_bitmap_t made) { return made ? made : throw std::bad_alloc(); }

topology_handle open_topology(double objects) {
  require_memory(objects);
  const without_plugins meanwhile;
  hwloc_topology_t raw = nullptr;
  return topology_handle(hwloc_topology_init(&raw) == 0 ? raw : nullptr);
}

// Loads this machine, as far as read() looks at it. asks_processors: also by what each processor says of itself. For
// that hwloc moves the thread to each, and a virtual machine is left for each question. Linux tells all of it by files.
topology_handle load_local(bool asks_processors) {
  topology_handle loaded = open_topology(0);
  if (!loaded) return nullptr;
  hwloc_topology_set_all_types_filter(loaded.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t kind : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L3CACHE})
    hwloc_topology_set_type_filter(loaded.get(), kind, HWLOC_TYPE_FILTER_KEEP_ALL);
#if HWLOC_API_VERSION >= 0x00020100
  if (!asks_processors) hwloc_topology_set_components(loaded.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
  // Disallowed units are read too, because the note says which cores are missing.
  if (hwloc_topology_set_flags(loaded.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
      hwloc_topology_load(loaded.get()) != 0)
    return nullptr;
  return loaded;
}

// Numbers things 0, 1, .. in order of first appearance.
class numbering {
 public:
  int operator()(const void* thing) { return numbers_.emplace(thing, static_cast<int>(numbers_.size())).first->second; }

 private:
  std::map<const void*, int> numbers_;
};

// An estimate of hwloc's work to read a synthetic text. hwloc makes every object that it is told, however many. To
// place an object it passes half of the object's siblings, half of its parent's siblings and so on, one after another.
// At each it compares words of 64 processing units. The count of a level stands behind a colon or alone; text in
// brackets describes a level.
struct synthetic_size {
  double objects = 1, comparisons = 0;
};

synthetic_size size_of(const std::string& text) {
  double objects = 1, siblings = 0, passed = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i > 0 ? text[i - 1] : ' ';
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    const bool is_alone = before == ' ' && text[i] >= '0' && text[i] <= '9';
    if (depth != 0 || (before != ':' && !is_alone)) continue;
    const auto count = static_cast<double>(std::max(1ul, std::strtoul(text.c_str() + i, nullptr, 0)));
    objects *= count;
    siblings += count;
    passed += objects * siblings / 2;
  }
  return {objects, passed * std::ceil(objects / 64)};
}

// "core:3072 pu:1" takes 4.5e8, which is a second or two. With levels in between it takes far less.
constexpr double most_comparisons = 5e8;

// A text for hwloc, and how many of its processing units the machine has.
struct synthetic_text {
  std::string text;
  std::optional<unsigned> units;  // none: all
};

// The same machine with a level of groups in between, if the text has only cores that lie side by side, and too many of
// them. The last group may have more cores than the machine.
synthetic_text in_groups(const std::string& text) {
  static const std::regex side_by_side("core:([0-9]{1,5}) pu:([0-9]{1,3})");
  std::smatch said;
  if (size_of(text).comparisons <= most_comparisons || !std::regex_match(text, said, side_by_side))
    return {text, std::nullopt};
  const auto cores = std::stoul(said[1]), each = std::stoul(said[2]);
  const auto side = static_cast<unsigned long>(std::ceil(std::sqrt(static_cast<double>(cores))));
  return {"group:" + std::to_string((cores + side - 1) / side) + " core:" + std::to_string(side) +
              " pu:" + std::to_string(each),
          static_cast<unsigned>(cores * each)};
}

// The processing units that this process may use, as the system tells; empty if it does not tell. It must be asked
// before hwloc. Where the system call is forbidden, hwloc 2.9 retries for ever with ever larger masks, since it takes
// every error for a mask that is too small. This mask holds 65536 units, more than Linux can have.
std::vector<int> told_units() {
  std::array<unsigned long, 65536 / (8 * sizeof(unsigned long))> mask{};
  auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
  std::vector<int> units;
  if (sched_getaffinity(0, sizeof mask, set) != 0) return units;
  for (std::size_t i = 0; i < 8 * sizeof mask; ++i)
    if (CPU_ISSET_S(i, sizeof mask, set)) units.push_back(static_cast<int>(i));
  return units;
}

std::string counted(std::size_t n, const char* noun) { return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s"); }

}  // namespace

class topology_reader {
 public:
  // The cores of a loaded topology with at least one processing unit in `allowed`, and those of `kinds` that they have.
  static void read(topology& result, hwloc_topology_t loaded, hwloc_const_bitmap_t allowed, const core_kinds& kinds) {
    numbering packages, nodes, caches;
    const hwloc_obj_type_t kind = type_of_cores(loaded);
    for (hwloc_obj_t obj = nullptr; (obj = hwloc_get_next_obj_by_type(loaded, kind, obj)) != nullptr;) {
      topology::core core;
      for (int unit = hwloc_bitmap_first(obj->cpuset); unit >= 0; unit = hwloc_bitmap_next(obj->cpuset, unit))
        if (hwloc_bitmap_isset(allowed, static_cast<unsigned>(unit))) core.os_units.push_back(unit);
      if (core.os_units.empty()) continue;
      const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(loaded, HWLOC_OBJ_PACKAGE, obj);
      const hwloc_obj_t l3 = hwloc_get_ancestor_obj_by_type(loaded, HWLOC_OBJ_L3CACHE, obj);
      const int node = hwloc_bitmap_first(obj->nodeset);
      core.package = packages(package);
      core.l3 = caches(l3 ? l3 : package);
      core.kind = kinds.of_core[obj->logical_index];
      core.numa_node =
          nodes(node < 0 ? nullptr : hwloc_get_numanode_obj_by_os_index(loaded, static_cast<unsigned>(node)));
      result.cores_.push_back(std::move(core));
    }
    keep_kinds(result, kinds.kinds);
  }

  // Keeps the kinds that some core has.
  static void keep_kinds(topology& result, const std::vector<core_kind>& all) {
    std::vector<int> kept(all.size(), -1);
    for (const topology::core& c : result.cores_) kept[static_cast<std::size_t>(c.kind)] = 0;
    result.kinds_.clear();
    for (std::size_t k = 0; k < all.size(); ++k)
      if (kept[k] == 0) kept[k] = static_cast<int>(result.kinds_.size()), result.kinds_.push_back(all[k]);
    for (topology::core& c : result.cores_) c.kind = kept[static_cast<std::size_t>(c.kind)];
    if (result.kinds_.size() <= 1) result.kinds_ = {core_kind{}};
    const double fastest = result.kinds_.front().speed;
    for (core_kind& k : result.kinds_) k.speed /= fastest;
  }

  static void note_missing(topology& result, hwloc_topology_t loaded) {
    const auto present = static_cast<std::size_t>(std::max(hwloc_get_nbobjs_by_type(loaded, HWLOC_OBJ_CORE), 0));
    if (result.cores_.size() < present)
      result.notes_.push_back("This process may use " + std::to_string(result.cores_.size()) + " of the machine's " +
                              counted(present, "core") + ".");
  }

  // Adds what OpenMP's library has taken from the main thread.
  static void add_places(topology& result, hwloc_bitmap_t bound) {
    const openmp_places places = openmp_places_of_process();
    const int before = hwloc_bitmap_weight(bound);
    for (const int unit : places.units) hwloc_bitmap_set(bound, static_cast<unsigned>(unit));
    const int after = hwloc_bitmap_weight(bound);
    if (after > before)
      result.notes_.push_back(places.variable + " in the environment binds the calling thread to " +
                              counted(static_cast<std::size_t>(before), "processing unit") + "; the " +
                              std::to_string(after) + " of OpenMP's places are used.");
  }

  // The name of the first processor; that of the machine where it tells no packages.
  static std::string processor_of(hwloc_topology_t loaded) {
    const hwloc_obj_t package = hwloc_get_obj_by_type(loaded, HWLOC_OBJ_PACKAGE, 0);
    for (const hwloc_obj_t of : {package, hwloc_get_root_obj(loaded)})
      if (const char* const name = of ? hwloc_obj_get_info_by_name(of, "CPUModel") : nullptr) return name;
    return "";
  }

  static bool read_local(topology& result) {
    if (told_units().empty()) return false;
    // With this variable, hwloc reads what the processors of another machine said.
    topology_handle loaded = load_local(std::getenv("HWLOC_CPUID_PATH") != nullptr);
    if (loaded && hwloc_get_nbobjs_by_type(loaded.get(), HWLOC_OBJ_CORE) <= 0) loaded = load_local(true);
    if (!loaded) return false;
    const bitmap allowed(required(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(loaded.get()))));
    const bitmap bound(required(hwloc_bitmap_alloc()));
    // The process's threads are listed in /proc; if that fails, the calling thread stands for all.
    if (hwloc_get_cpubind(loaded.get(), bound.get(), HWLOC_CPUBIND_PROCESS) == 0 ||
        hwloc_get_cpubind(loaded.get(), bound.get(), HWLOC_CPUBIND_THREAD) == 0) {
      add_places(result, bound.get());
      hwloc_bitmap_and(allowed.get(), allowed.get(), bound.get());
    } else
      result.notes_.push_back("The processing units that this process may use could not be read; all are assumed.");
    read(result, loaded.get(), allowed.get(), kinds_of_machine(loaded.get()));
    if (result.cores_.empty()) return false;
    if (hwloc_get_nbobjs_by_type(loaded.get(), HWLOC_OBJ_CORE) <= 0)
      result.notes_.push_back("The machine does not tell its cores; every processing unit counts as one.");
    note_missing(result, loaded.get());
    result.processor_ = processor_of(loaded.get());
    result.elsewhere_ = !hwloc_topology_is_thissystem(loaded.get());
    if (result.elsewhere_)
      result.notes_.push_back("The environment has hwloc describe another machine than this; no thread is bound.");
    return true;
  }

  static void assume(topology& result) {
    result.assumed_ = true;
    const std::vector<int> told = told_units();
    const auto count = told.empty() ? std::max(1u, std::thread::hardware_concurrency()) : told.size();
    result.cores_.resize(count);
    for (std::size_t i = 0; i < count; ++i) result.cores_[i].os_units = {told.empty() ? static_cast<int>(i) : told[i]};
    result.notes_.push_back((told.empty() ? "The system does not say where this process may run; "
                                          : "hwloc could not read this machine; ") +
                            counted(count, "core") + " side by side are assumed.");
  }

  static void limit(topology& result, double quota) {
    result.cpu_quota_ = quota;
    const std::size_t all = result.cores_.size();
    if (quota < static_cast<double>(all))
      result.cores_.resize(static_cast<std::size_t>(std::max(1.0, std::floor(quota))));
    keep_kinds(result, std::vector<core_kind>(result.kinds_));
    if (result.cores_.size() == all && quota >= 1) return;
    std::ostringstream note;
    note.imbue(std::locale::classic());
    note.exceptions(std::ios_base::badbit);  // without memory it would end where that ended
    note << "A CPU quota of " << quota << (quota == 1 ? " core" : " cores")
         << " limits this process: " << result.cores_.size() << " of " << counted(all, "core")
         << (result.cores_.size() == 1 ? " is" : " are") << " used"
         << (quota < 1 ? ", and stopped for part of the time." : ".");
    result.notes_.push_back(note.str());
  }

  // Without `units` the whole machine.
  static void read_synthetic(topology& result, const std::string& whole, const std::vector<int>* units) {
    const auto [text, said] = without_kinds(whole);
    if (text.find(":-") != text.npos)
      throw std::invalid_argument("the synthetic topology \"" + text +
                                  "\" has a negative number of objects; expected was 1 or more");
    const synthetic_text read_as = in_groups(text);
    const synthetic_size size = size_of(read_as.text);
    if (size.comparisons > most_comparisons)
      throw std::invalid_argument("the synthetic topology \"" + text +
                                  "\" has too many objects under one parent: hwloc would read it for long; levels in "
                                  "between, as in \"package:64 core:64 pu:2\", would help unless it is far too large");
    const topology_handle loaded = open_topology(size.objects);
    if (!loaded || hwloc_topology_set_synthetic(loaded.get(), read_as.text.c_str()) != 0 ||
        hwloc_topology_load(loaded.get()) != 0)
      throw std::invalid_argument("\"" + text + "\" is not a synthetic topology such as \"package:4 core:12 pu:1\"");
    if (read_as.units) {
      const bitmap kept(required(hwloc_bitmap_alloc()));
      hwloc_bitmap_set_range(kept.get(), 0, static_cast<int>(*read_as.units) - 1);
      if (hwloc_topology_restrict(loaded.get(), kept.get(), 0) != 0) throw std::bad_alloc();
    }
    const bitmap allowed(required(hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(loaded.get()))));
    if (units) {
      if (units->empty()) throw std::invalid_argument("no processing unit of \"" + text + "\" is allowed");
      const bitmap some(required(hwloc_bitmap_alloc()));
      for (const int unit : *units) {
        if (unit < 0 || !hwloc_bitmap_isset(allowed.get(), static_cast<unsigned>(unit)))
          throw std::invalid_argument("\"" + text + "\" has no processing unit " + std::to_string(unit) + "; it has " +
                                      std::to_string(hwloc_bitmap_weight(allowed.get())) + ", from 0");
        hwloc_bitmap_set(some.get(), static_cast<unsigned>(unit));
      }
      hwloc_bitmap_copy(allowed.get(), some.get());
    }
    read(result, loaded.get(), allowed.get(),
         synthetic_kinds(said, whole, hwloc_get_nbobjs_by_type(loaded.get(), type_of_cores(loaded.get()))));
    if (result.cores_.empty()) throw std::invalid_argument("the synthetic topology \"" + text + "\" has no core");
    note_missing(result, loaded.get());
    result.synthetic_ = true;
  }
};

topology topology::local_without_quota() {
  topology result;
  if (!topology_reader::read_local(result)) {
    result = topology();
    topology_reader::assume(result);
  }
  return result;
}

topology topology::local() {
  topology result = local_without_quota();
  const std::optional<double> quota = weir::cpu_quota();
  return quota ? result.within_quota(*quota) : result;
}

topology topology::within_quota(double cores) const {
  topology result = *this;
  topology_reader::limit(result, cores);
  return result;
}

topology topology::synthetic(const std::string& text) {
  topology result;
  topology_reader::read_synthetic(result, text, nullptr);
  return result;
}

topology topology::synthetic(const std::string& text, const std::vector<int>& units) {
  topology result;
  topology_reader::read_synthetic(result, text, &units);
  return result;
}

std::string topology::kinds_of(const core_set& of) const {
  std::string text;
  for (std::size_t k = 0; kinds_.size() > 1 && k < kinds_.size(); ++k) {
    const auto is_of_it = [&](int number) { return (*this)[number].kind == static_cast<int>(k); };
    if (const auto count = std::count_if(of.begin(), of.end(), is_of_it); count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + kinds_[k].name;
  }
  return text;
}

std::string topology::summary(const core_set& of) const {
  std::set<int> packages, nodes, caches;
  for (const int number : of) {
    const core& c = (*this)[number];
    packages.insert(c.package);
    nodes.insert(c.numa_node);
    caches.insert(c.l3);
  }
  const std::string kinds = kinds_of(of);
  return counted(static_cast<std::size_t>(of.size()), "core") + (kinds.empty() ? "" : " (" + kinds + ')') + ", " +
         counted(packages.size(), "package") + ", " + counted(nodes.size(), "NUMA node") + ", " +
         counted(caches.size(), "L3");
}

std::string topology::description() const {
  const std::string name = is_synthetic() ? "synthetic" : processor_;
  return name.empty() ? summary() : name + ", " + summary();
}

}  // namespace weir
