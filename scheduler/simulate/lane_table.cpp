#include "scheduler/simulate/lane_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace weir::simulation {
namespace {

std::vector<core_set> lanes_of(const share& s) {
  if (s.outside) return std::vector<core_set>(static_cast<std::size_t>(s.width));
  return s.cores.empty() ? std::vector<core_set>{} : s.cores.slices(s.width);
}

}  // namespace

lane_table::lane_table(std::vector<int> widths, const core_set& cores)
    : cores_(cores),
      widths_(std::move(widths)),
      free_(widths_.size() + 1),
      running_(widths_.size(), 0),
      first_(widths_.size(), false),
      held_(static_cast<std::size_t>(cores[cores.size() - 1]) + 1, 0) {}

std::vector<int> lane_table::move_to(const allotment& to) {
  if (const std::string wrong = check(to, cores_); !wrong.empty())
    throw std::logic_error("simulation: an invariant does not hold: check(allotment) finds nothing: " + wrong);
  const bool is_initial = current_.components.empty();
  members_.clear();
  for (std::size_t i = 0; i < to.components.size(); ++i) {
    const share& s = to.components[i];
    if (s.is_member()) members_.push_back(i);
    if (!is_initial && (s != current_.components[i] || (s.is_member() && to.shared != current_.shared)))
      first_[i] = true;
    set_lanes(static_cast<int>(i), lanes_of(s));
  }
  const int host = to.shared_host();
  set_lanes(group(), host < 0 && !to.shared.empty() ? to.shared.slices(to.shared.size()) : std::vector<core_set>{});
  for (lane& l : lanes_) l.hosts = host >= 0 && !l.retired && l.unit == host && l.cores.contains(to.shared[0]);
  current_ = to;
  return due();
}

void lane_table::set_lanes(int unit, const std::vector<core_set>& cores) {
  std::vector<bool> stays(cores.size(), false);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].unit != unit || lanes_[i].retired) continue;
    std::size_t same = 0;  // outside the cores all lanes are equal: each old lane matches one new one
    while (same < cores.size() && (stays[same] || cores[same] != lanes_[i].cores)) ++same;
    if (same == cores.size())
      retire(static_cast<int>(i));
    else
      stays[same] = true;
  }
  for (std::size_t k = 0; k < cores.size(); ++k) {
    if (stays[k]) continue;
    lane made;
    made.unit = unit;
    made.cores = cores[k];
    ++closed_;
    if (unused_.empty()) {
      lanes_.push_back(std::move(made));
      continue;
    }
    (*this)[unused_.back()] = std::move(made);
    unused_.pop_back();
  }
}

void lane_table::retire(int i) {
  lane& l = (*this)[i];
  l.retired = true;
  std::erase(free_[static_cast<std::size_t>(l.unit)], i);
  if (l.component < 0) return unused_.push_back(i);
  for (int core : l.cores) ++held_[static_cast<std::size_t>(core)];
}

// New lanes whose cores have become free.
std::vector<int> lane_table::due() {
  std::vector<int> result;
  for (std::size_t i = 0; closed_ > 0 && i < lanes_.size(); ++i) {
    lane& l = lanes_[i];
    if (l.retired || l.is_open || l.is_due) continue;
    l.is_due = std::none_of(l.cores.begin(), l.cores.end(),
                            [&](int core) { return held_[static_cast<std::size_t>(core)] > 0; });
    if (l.is_due) result.push_back(static_cast<int>(i));
  }
  return result;
}

void lane_table::open(int i) {
  lane& l = (*this)[i];
  l.is_open = true;
  free_[static_cast<std::size_t>(l.unit)].push_back(i);
  --closed_;
}

int lane_table::free_lane(int unit) const {
  for (int i : free_[static_cast<std::size_t>(unit)])
    if (!(*this)[i].hosts) return i;
  return -1;
}

int lane_table::host_lane() const {
  if (const int host = current_.shared_host(); host >= 0)
    for (int i : free_[static_cast<std::size_t>(host)])
      if ((*this)[i].hosts) return i;
  return -1;
}

core_set lane_table::cores_of(int i) const {
  core_set all = (*this)[i].cores;
  for (const int other : (*this)[i].joined) all = all | (*this)[other].cores;
  return all;
}

void lane_table::begin(int i, std::size_t component) {
  lane& l = (*this)[i];
  if (l.component >= 0 || l.retired || !l.is_open)
    throw std::logic_error("simulation: an invariant does not hold: a lane runs one invocation");
  l.component = static_cast<int>(component);
  ++running_[component];
  std::erase(free_[static_cast<std::size_t>(l.unit)], i);
}

void lane_table::join(int i, int further) {
  lane& l = (*this)[i];
  for (std::vector<int>& free = free_.back(); further > 0; --further) {
    (*this)[free.back()].component = l.component;
    l.joined.push_back(free.back());
    free.pop_back();
  }
}

std::vector<int> lane_table::end(int i) {
  --running_[static_cast<std::size_t>((*this)[i].component)];
  std::vector<int> all = std::exchange((*this)[i].joined, {});
  all.push_back(i);
  bool frees_cores = false;
  for (const int ended : all) {
    lane& l = (*this)[ended];
    l.component = -1;
    if (l.retired)
      for (int core : l.cores) --held_[static_cast<std::size_t>(core)];
    (l.retired ? unused_ : free_[static_cast<std::size_t>(l.unit)]).push_back(ended);
    frees_cores = frees_cores || l.retired;
  }
  return frees_cores ? due() : std::vector<int>{};
}

bool lane_table::take_first(std::size_t component) {
  const bool is_first = first_[component];
  first_[component] = false;
  return is_first;
}

}  // namespace weir::simulation
