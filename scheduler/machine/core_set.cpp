#include <weir/scheduler/machine/core_set.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace weir {

core_set::core_set(std::initializer_list<int> cores) : core_set(std::vector<int>(cores)) {}

core_set::core_set(std::vector<int> cores) : cores_(std::move(cores)) {
  std::sort(cores_.begin(), cores_.end());
  cores_.erase(std::unique(cores_.begin(), cores_.end()), cores_.end());
}

core_set core_set::range(int first, int count) {
  core_set result;
  result.cores_.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::iota(result.cores_.begin(), result.cores_.end(), first);
  return result;
}

bool core_set::contains(int core) const { return std::binary_search(cores_.begin(), cores_.end(), core); }

bool core_set::intersects(const core_set& other) const { return !(*this & other).empty(); }

bool core_set::operator<(const core_set& other) const { return cores_ < other.cores_; }

core_set core_set::operator|(const core_set& other) const {
  core_set result;
  std::set_union(begin(), end(), other.begin(), other.end(), std::back_inserter(result.cores_));
  return result;
}

core_set core_set::operator&(const core_set& other) const {
  core_set result;
  std::set_intersection(begin(), end(), other.begin(), other.end(), std::back_inserter(result.cores_));
  return result;
}

core_set core_set::operator-(const core_set& other) const {
  core_set result;
  std::set_difference(begin(), end(), other.begin(), other.end(), std::back_inserter(result.cores_));
  return result;
}

core_set core_set::part(int first, int count) const {
  core_set result;
  result.cores_.assign(cores_.begin() + first, cores_.begin() + first + count);
  return result;
}

std::vector<core_set> core_set::slices(int parts) const {
  if (parts < 1 || parts > size())
    throw std::invalid_argument(std::to_string(size()) + " cores cannot be cut into " + std::to_string(parts) +
                                " parts");
  std::vector<core_set> result(static_cast<std::size_t>(parts));
  auto from = cores_.begin();
  for (int i = 0; i < parts; ++i) {
    auto to = from + size() / parts + (i < size() % parts ? 1 : 0);
    result[static_cast<std::size_t>(i)].cores_.assign(from, to);
    from = to;
  }
  return result;
}

std::string to_string(const core_set& cores) {
  if (cores.empty()) return "none";
  std::string text;
  for (int i = 0; i < cores.size();) {
    int last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[i]);
    if (last > i) text += '-' + std::to_string(cores[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace weir
