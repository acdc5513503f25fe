#include "scheduler/divide/cores_by_kind.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/expect/kind_times.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// A component with cores, or the shared group, and which kinds its lanes are on.
struct owner {
  int component = -1;      // -1: the shared group
  std::vector<int> lanes;  // cores of each
  std::vector<int> cores;  // by kind
  std::size_t moved = 0;   // lanes from the front that are no longer on the slowest kind
  // Seconds for a record on as many cores of each kind.
  std::function<double(const std::vector<int>& cores, const std::vector<int>& lanes)> seconds;
  std::vector<int> lanes_on;  // by kind
  bool helped = true;         // a core of the kind that is given away now may help

  int next() const { return moved < lanes.size() ? lanes[moved] : 0; }
  double now() const { return seconds(cores, lanes_on); }
  double with(std::size_t kind) const {
    owner moved_on = *this;
    moved_on.move(kind);
    return moved_on.now();
  }
  void move(std::size_t kind) {
    cores[kind] += next();
    cores.back() -= next();
    ++lanes_on[kind];
    --lanes_on.back();
    ++moved;
  }
};

std::vector<int> lanes_of(int cores, int width) {
  std::vector<int> lanes;
  for (int l = 0; l < width; ++l) lanes.push_back(cores / width + (l < cores % width ? 1 : 0));
  return lanes;
}

owner made(int component, int cores, int width, std::size_t kinds) {
  owner o;
  o.component = component;
  o.lanes = lanes_of(cores, width);
  o.cores.assign(kinds, 0);
  o.lanes_on.assign(kinds, 0);
  o.cores.back() = cores;
  o.lanes_on.back() = width;
  return o;
}

std::vector<owner> owners_of(const core_counts& counts, const system_view& view) {
  const std::size_t kinds = view.machine->kinds().size();
  std::vector<owner> all;
  std::vector<double> members, limits;
  std::vector<std::vector<double>> factors_of_members;
  for (std::size_t i = 0; i < counts.components.size(); ++i) {
    const component_view& c = view.components[i];
    if (is_outside(c)) continue;
    component_times times(c);
    const auto [cores, width] = counts.components[i];
    const bool is_known = times.observed();
    const std::vector<double> factors = factors_by_kind(c, *view.machine);
    if (cores == 0) {
      members.push_back(is_known ? times.seconds(1, 1) : 0);
      limits.push_back(is_known ? times.at_most_lanes() : 0);
      factors_of_members.push_back(factors);
      continue;
    }
    const double alike = is_known ? times.seconds(cores, width) * width : 0;
    all.push_back(made(static_cast<int>(i), cores, width, kinds));
    all.back().seconds = [alike, factors](const std::vector<int>&, const std::vector<int>& lanes) {
      double rates = 0;
      for (std::size_t k = 0; k < lanes.size(); ++k) rates += lanes[k] / factors[k];
      return alike / rates;
    };
  }
  if (counts.shared == 0) return all;
  all.push_back(made(-1, counts.shared, counts.shared, kinds));
  all.back().seconds = [members, limits, factors_of_members](const std::vector<int>& cores, const std::vector<int>&) {
    const group_times group = times_in_group(members, factors_of_members, cores);
    double seconds = group.seconds;
    for (std::size_t m = 0; m < limits.size(); ++m) seconds = std::max(seconds, limits[m] * group.factors[m]);
    return seconds;
  };
  return all;
}

// The owner that the next faster core goes to; its lane there has `left` cores at most.
owner* most_in_need(std::vector<owner>& all, int left, std::size_t kind, bool for_latency) {
  owner* best = nullptr;
  double most = 0;
  for (owner& o : all) {
    if (!o.helped || o.next() == 0 || o.next() > left) continue;
    const double now = o.now(), gain = now - o.with(kind), need = for_latency ? gain : now;
    if (!(gain > 1e-12 * now)) {
      o.helped = false;
    } else if (!best || need > most) {
      best = &o;
      most = need;
    }
  }
  return best;
}

// Takes `excess` cores of the slowest kind away, for as many others that are left: whole lanes, then a part of one.
void relieve(std::vector<owner>& all, std::vector<int>& left, int excess) {
  for (std::size_t kind = 0; kind + 1 < left.size(); ++kind)
    for (owner& o : all)
      while (excess > 0 && o.next() > 0 && o.next() <= left[kind]) {
        excess -= o.next();
        left[kind] -= o.next();
        o.move(kind);
      }
  const auto largest = std::ranges::max_element(all, {}, &owner::next);
  for (std::size_t kind = 0; kind + 1 < left.size() && excess > 0; ++kind) {
    const int part = std::min(excess, left[kind]);
    largest->cores[kind] += part;
    largest->cores.back() -= part;
    left[kind] -= part;
    excess -= part;
  }
}

}  // namespace

std::vector<core_counts> by_kind(const core_counts& counts, const system_view& view, bool for_latency) {
  const std::size_t kinds = view.machine->kinds().size();
  std::vector<int> left(kinds, 0);
  for (const int core : view.cores) ++left[to_index((*view.machine)[core].kind)];
  std::vector<owner> all = owners_of(counts, view);
  for (std::size_t kind = 0; kind + 1 < kinds; ++kind) {
    for (owner& o : all) o.helped = true;
    while (owner* const to = most_in_need(all, left[kind], kind, for_latency)) {
      left[kind] -= to->next();
      to->move(kind);
    }
  }
  int slowest = 0;
  for (const owner& o : all) slowest += o.cores.back();
  if (slowest > left.back()) relieve(all, left, slowest - left.back());

  std::vector<core_counts> result(kinds, {std::vector<core_counts::entry>(counts.components.size()), 0, -1});
  for (const owner& o : all)
    for (std::size_t k = 0; k < kinds; ++k)
      if (o.component < 0)
        result[k].shared = o.cores[k];
      else
        result[k].components[to_index(o.component)] = {o.cores[k],
                                                       std::clamp(o.lanes_on[k], 1, std::max(1, o.cores[k]))};
  return result;
}

}  // namespace weir
