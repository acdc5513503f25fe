#include "scheduler/lane_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weir::simulation {

lane_table::lane_table(std::size_t components, const core_set& cores)
    : cores_(cores), units_(components + 1), running_(components, 0), first_(components, false) {
  int most = 0;
  for (int core : cores) most = std::max(most, core);
  held_.assign(static_cast<std::size_t>(most) + 1, 0);
}

int lane_table::make_lane(int unit, core_set cores) {
  lane made;
  made.unit = unit;
  made.cores = std::move(cores);
  if (unused_.empty()) {
    lanes_.push_back(std::move(made));
    return static_cast<int>(lanes_.size()) - 1;
  }
  const int i = unused_.back();
  unused_.pop_back();
  (*this)[i] = std::move(made);
  return i;
}

void lane_table::retire(int unit) {
  auto& u = units_[static_cast<std::size_t>(unit)];
  u.is_open = false;
  u.is_closing = true;
  ++closed_;
  u.free.clear();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lane& l = lanes_[i];
    if (l.unit != unit || l.retired) continue;
    l.retired = true;
    if (l.component < 0) {
      unused_.push_back(static_cast<int>(i));
      continue;
    }
    ++u.draining;
    for (int core : l.cores) ++held_[static_cast<std::size_t>(core)];
  }
}

std::vector<int> lane_table::move_to(const allotment& to) {
  if (const std::string wrong = check(to, cores_); !wrong.empty())
    throw std::logic_error("simulation: an invariant does not hold: check(allotment) finds nothing: " + wrong);
  const bool is_initial = current_.components.empty();
  const int host_before = current_.shared_host(), host = to.shared_host();
  const std::size_t n = to.components.size();
  members_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const share& s = to.components[i];
    if (s.cores.empty()) members_.push_back(i);
    auto& u = units_[i];
    const bool changes = is_initial || u.cores != s.cores || (!s.cores.empty() && u.width != s.width);
    u.cores = s.cores;
    u.width = s.width;
    if (changes) retire(static_cast<int>(i));
    if (changes && !is_initial) first_[i] = true;
  }
  if (is_initial || current_.shared != to.shared || host_before != host) {
    retire(group());
    units_.back().cores = to.shared;
    if (!is_initial)
      for (std::size_t i : members_) first_[i] = true;
  }
  current_ = to;
  seat_group();
  return ready();
}

std::vector<int> lane_table::ready() {
  std::vector<int> result;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    unit_state& u = units_[i];
    const bool lies_on_owner = static_cast<int>(i) == group() && current_.shared_host() >= 0;
    if (!u.is_closing || u.draining > 0) continue;
    if (!lies_on_owner && std::any_of(u.cores.begin(), u.cores.end(),
                                      [&](int core) { return held_[static_cast<std::size_t>(core)] > 0; }))
      continue;
    u.is_closing = false;
    result.push_back(static_cast<int>(i));
  }
  return result;
}

void lane_table::open(int i) {
  unit_state& u = units_[static_cast<std::size_t>(i)];
  u.is_open = true;
  --closed_;
  const bool is_hosted_group = i == group() && current_.shared_host() >= 0;
  if (!u.cores.empty() && !is_hosted_group)
    for (core_set& cores : u.cores.slices(i == group() ? u.cores.size() : u.width))
      u.free.push_back(make_lane(i, std::move(cores)));
  seat_group();
}

// Says which lane is the group's host.
void lane_table::seat_group() {
  const int host = units_.back().is_open ? current_.shared_host() : -1;
  for (lane& l : lanes_) l.hosts = !l.retired && l.unit == host && l.cores.contains(current_.shared[0]);
}

bool lane_table::may_run(std::size_t component) const {
  const unit_state& u = units_[component];
  if (!u.is_open || (is_member(component) && !units_.back().is_open)) return false;
  return running_[component] < (is_member(component) ? 1 : u.width);
}

int lane_table::free_lane(int unit) const {
  for (int i : units_[static_cast<std::size_t>(unit)].free)
    if (!(*this)[i].hosts) return i;
  return -1;
}

int lane_table::host_lane() const {
  if (const int host = current_.shared_host(); host >= 0)
    for (int i : units_[static_cast<std::size_t>(host)].free)
      if ((*this)[i].hosts) return i;
  return -1;
}

void lane_table::begin(int i, std::size_t component) {
  lane& l = (*this)[i];
  if (l.component >= 0) throw std::logic_error("simulation: an invariant does not hold: a lane runs one invocation");
  l.component = static_cast<int>(component);
  ++running_[component];
  std::erase(units_[static_cast<std::size_t>(l.unit)].free, i);
}

std::vector<int> lane_table::end(int i) {
  lane& l = (*this)[i];
  unit_state& u = units_[static_cast<std::size_t>(l.unit)];
  --running_[static_cast<std::size_t>(std::exchange(l.component, -1))];
  if (!l.retired) {
    u.free.push_back(i);
    return {};
  }
  --u.draining;
  for (int core : l.cores) --held_[static_cast<std::size_t>(core)];
  unused_.push_back(i);
  return ready();
}

bool lane_table::take_first(std::size_t component) {
  const bool is_first = first_[component];
  first_[component] = false;
  return is_first;
}

}  // namespace weir::simulation
