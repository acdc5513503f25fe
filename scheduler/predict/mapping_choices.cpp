#include "scheduler/predict/mapping_choices.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

core_set first_of(const core_set& cores, int count) {
  return core_set(std::vector<int>(cores.begin(), cores.begin() + count));
}

void append(std::vector<mapping::entry>& to, std::vector<mapping::entry> more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<mapping::entry> ways_on_device(const network_model::component& c, int slots) {
  std::vector<mapping::entry> ways;
  for (int width = 1; width <= c.max_width && width <= slots / c.slots; ++width) ways.push_back({{}, width, false});
  return ways;
}

}  // namespace

std::vector<lanes_on_core> lanes_by_core(const mapping& given, int cores) {
  std::vector<lanes_on_core> on(static_cast<std::size_t>(cores));
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const mapping::entry& e = given.components[i];
    if (e.cores.empty()) continue;
    const std::vector<core_set> lanes = e.lanes();
    for (std::size_t l = 0; l < lanes.size(); ++l)
      for (int core : lanes[l]) on[static_cast<std::size_t>(core)].emplace_back(i, e.roams ? 0 : l);
  }
  return on;
}

std::vector<core_set> core_classes(const mapping& given, int cores) {
  const std::vector<lanes_on_core> on = lanes_by_core(given, cores);
  std::map<lanes_on_core, std::vector<int>> alike;
  for (int core = 0; core < cores; ++core) alike[on[static_cast<std::size_t>(core)]].push_back(core);
  std::vector<core_set> classes;
  for (auto& [lanes, members] : alike) classes.emplace_back(std::move(members));
  std::sort(classes.begin(), classes.end());
  return classes;
}

std::vector<mapping::entry> ways_on(const core_set& cores, const network_model::component& c, bool all) {
  std::vector<mapping::entry> ways;
  const int size = cores.size();
  if (size >= c.min_cores && size <= c.max_cores)
    for (int width = 1; width <= std::min(size, c.max_width); width = all ? width + 1 : 2 * width)
      if (width == 1 || width < size) ways.push_back({cores, width, false});
  if (c.min_cores == 1 && size > 1) ways.push_back({cores, std::min({size, c.max_width, c.max_cores}), true});
  return ways;
}

std::vector<mapping::entry> all_ways(const std::vector<core_set>& classes, const network_model::component& c,
                                     int slots) {
  if (c.device >= 0) return ways_on_device(c, slots);
  std::vector<mapping::entry> ways;
  std::vector<int> counts(classes.size(), 0);
  for (;;) {  // ends: counts runs through all numbers up to the one where every class is full
    std::size_t k = 0;
    while (k < counts.size() && counts[k] == classes[k].size()) counts[k++] = 0;
    if (k == counts.size()) return ways;
    ++counts[k];
    core_set cores;
    for (std::size_t i = 0; i < counts.size(); ++i) cores = cores | first_of(classes[i], counts[i]);
    append(ways, ways_on(cores, c, true));
  }
}

double count_ways(const std::vector<core_set>& classes, const network_model::component& c, int slots) {
  if (c.device >= 0) return std::max(0, std::min(c.max_width, slots / c.slots));
  std::vector<double> sets{1};  // by number of cores: how many choices have it
  for (const core_set& one : classes) {
    std::vector<double> more(sets.size() + to_index(one.size()), 0);
    double within = 0;  // a sum over the last 1 + one.size() of the sets before
    for (std::size_t size = 0; size < more.size(); ++size) {
      if (size < sets.size()) within += sets[size];
      if (size > to_index(one.size())) within -= sets[size - to_index(one.size()) - 1];
      more[size] = within;
    }
    sets = std::move(more);
  }
  double all = 0;
  for (int size = 1; size < static_cast<int>(sets.size()); ++size) {
    const int widest = std::min(size, c.max_width);
    int ways = c.min_cores == 1 && size > 1 ? 1 : 0;
    if (size >= c.min_cores && size <= c.max_cores) ways += size > 1 && widest == size ? widest - 1 : widest;
    all += sets[to_index(size)] * ways;
  }
  return all;
}

std::vector<mapping::entry> some_ways(const std::vector<core_set>& classes, const network_model::component& c,
                                      int slots, const mapping::entry& now) {
  if (c.device >= 0) return ways_on_device(c, slots);
  std::vector<mapping::entry> ways;
  core_set all;
  for (const core_set& one : classes) {
    all = all | one;
    // Every number up to eight, then steps of two, three and so on.
    for (int count = 1; count <= one.size(); count += 1 + count / 8)
      append(ways, ways_on(first_of(one, count), c, false));
    append(ways, ways_on(one, c, false));
    const core_set core = first_of(one, 1);
    append(ways, ways_on(now.cores | core, c, false));
    if (now.cores.size() > 1 && now.cores.contains(core[0])) append(ways, ways_on(now.cores - core, c, false));
    for (const core_set& other : classes)
      if (other < one) append(ways, ways_on(one | other, c, false));
  }
  append(ways, ways_on(all, c, false));
  return ways;
}

std::string form_of(const mapping& given, int cores) {
  std::vector<std::string> columns;
  for (const lanes_on_core& on : lanes_by_core(given, cores)) {
    std::string column;
    for (const auto& [i, lane] : on) column += std::to_string(i) + ":" + std::to_string(lane) + " ";
    columns.push_back(std::move(column));
  }
  std::sort(columns.begin(), columns.end());
  std::string form;
  for (const mapping::entry& e : given.components) form += std::to_string(e.width) + (e.roams ? "r " : " ");
  for (const std::string& column : columns) form += "|" + column;
  return form;
}

}  // namespace weir
