#include "bench/weir/common/fit_data.hpp"

#include <fmt/format.h>

#include <set>

#include "bench/support/bad_input.hpp"
#include "bench/weir/common/observations_reader.hpp"

namespace weir::program {
namespace {

constexpr double least_cpu_time = 1e-12;  // 0 means not read; models take no shorter time

}  // namespace

std::vector<component_rows> read_rows(const std::string& path, bool cpu_time, bool progress) {
  observations_reader reader(path, progress);
  if (cpu_time && !reader.has("cpu_seconds")) reader.refuse("column cpu_seconds is missing, which --time cpu fits");
  bool any_time = false;

  std::vector<component_rows> components;
  while (reader.next()) {
    const observation& seen = reader.seen();
    if (seen.component == components.size()) components.push_back({reader.names().back(), {}, 0, 0});
    component_rows& component = components[seen.component];
    const bool has_time = !cpu_time || seen.cpu_seconds >= least_cpu_time;
    any_time = any_time || has_time;
    if (seen.after_move) {
      ++component.after_move;
    } else if (!has_time) {
      ++component.without_cpu_time;
    } else {
      component.rows.push_back({seen.x, cpu_time ? seen.cpu_seconds : seen.seconds, seen.cores});
    }
  }
  if (components.empty()) throw bad_input(fmt::format("{} has no rows after the line that names the columns", path));
  if (!any_time)
    throw bad_input(fmt::format("{}: column cpu_seconds is 0 in every row, so --time cpu has nothing to fit", path));
  return components;
}

int different_x(const std::vector<timed_row>& rows, int most) {
  std::set<double> met;
  for (const timed_row& row : rows) {
    met.insert(row.x);
    if (static_cast<int>(met.size()) == most) break;
  }
  return static_cast<int>(met.size());
}

}  // namespace weir::program
