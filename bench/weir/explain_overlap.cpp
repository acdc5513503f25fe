#include "bench/weir/explain_overlap.hpp"

#include <algorithm>
#include <cmath>

namespace weir::command {
namespace {

constexpr double least_overlap = 1e-4;

// How long invocations have run in all, up to a time t: `running` t + `constant`.
struct busy_time {
  double running = 0, constant = 0;

  double at(double t) const { return running * t + constant; }
  busy_time& operator+=(const busy_time& more) {
    running += more.running;
    constant += more.constant;
    return *this;
  }
};

// Sums over the cores up to one (P. Fenwick, Software: Practice and Experience 24, 1994).
class sums_by_core {
 public:
  explicit sums_by_core(int cores) : tree_(static_cast<std::size_t>(cores) + 1) {}

  void add(int core, const busy_time& more) {
    for (auto i = static_cast<std::size_t>(core) + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += more;
  }

  double up_to(int core, double t) const {  // core included; none: -1
    busy_time sum;
    for (auto i = static_cast<std::size_t>(core + 1); i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum.at(t);
  }

 private:
  std::vector<busy_time> tree_;
};

// How long a component's invocations have run on some of a run of cores: those that begin no later than it ends, less
// those that end before it begins.
struct component_time {
  sums_by_core by_first, by_last;
  bool has_run = false;

  explicit component_time(int cores) : by_first(cores), by_last(cores) {}

  void add(int first, int last, const busy_time& more) {
    has_run = true;
    by_first.add(first, more);
    by_last.add(last, more);
  }

  double on(int first, int last, double t) const { return by_first.up_to(last, t) - by_last.up_to(first - 1, t); }
};

}  // namespace

overlap_sweep::overlap_sweep(const observed_run& run, const topology& cores) : run_(run), cores_(cores.size()) {
  const auto runs_of = [&](auto index_of) {
    std::vector<span> spans;
    for (int i = 0; i < cores_; ++i) {
      span s{i, i};
      while (s.first > 0 && index_of(cores[s.first - 1]) == index_of(cores[i])) --s.first;
      while (s.last + 1 < cores_ && index_of(cores[s.last + 1]) == index_of(cores[i])) ++s.last;
      spans.push_back(s);
    }
    return spans;
  };
  cache_ = runs_of([](const topology::core& c) { return c.l3; });
  node_ = runs_of([](const topology::core& c) { return c.numa_node; });
  if (!run.has_start) return;
  began_ = run.rows.front().start;
  for (const invocation& row : run.rows) began_ = std::min(began_, row.start);
  events_.reserve(2 * run.rows.size());
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (!is_placed(run.rows[i])) continue;
    const double start = run.rows[i].start - began_;
    events_.emplace_back(start, 2 * i);
    events_.emplace_back(start + run.rows[i].seconds, 2 * i + 1);
  }
  std::sort(events_.begin(), events_.end());
}

overlap_sweep::reach overlap_sweep::reach_of(const invocation& row) const {
  if (!run_.has_core_set) return {{span{0, 0}, span{0, 0}, span{0, 0}}};
  const auto first = static_cast<std::size_t>(row.first_core), last = static_cast<std::size_t>(row.last_core());
  const span cache{cache_[first].first, cache_[last].last};
  return {{span{row.first_core, row.last_core()}, cache,
           span{std::min(cache.first, node_[first].first), std::max(cache.last, node_[last].last)}}};
}

std::vector<overlap_sweep::event> overlap_sweep::events_of(std::uint32_t component, double lasting) const {
  std::vector<event> own;
  for (std::size_t i = 0; i < run_.rows.size() && run_.has_start; ++i) {
    const invocation& row = run_.rows[i];
    if (row.component != component || !is_placed(row)) continue;
    const double start = row.start - began_;
    own.emplace_back(start, 2 * i);
    own.emplace_back(start + (lasting > 0 ? lasting : row.seconds), 2 * i + 1);
  }
  std::sort(own.begin(), own.end());
  return own;
}

std::vector<overlap_with> overlap_sweep::of(std::uint32_t component, double lasting) const {
  std::vector<std::size_t> position(run_.rows.size(), 0);  // among the rows of the component
  std::size_t rows = 0;
  for (std::size_t i = 0; i < run_.rows.size(); ++i)
    if (run_.rows[i].component == component) position[i] = rows++;

  std::vector<overlap_with> overlaps(run_.components.size());
  std::vector<component_time> times(run_.components.size(), component_time(cores_));
  for (std::size_t other = 0; other < overlaps.size(); ++other) {
    overlaps[other].other = static_cast<std::uint32_t>(other);
    if (other != component)
      for (auto& column : overlaps[other].average) column.assign(rows, 0);
  }

  // Busy time during an invocation is that up to its end less that up to its start, which those that run keep in a
  // slot.
  const std::size_t others = overlaps.size();
  std::vector<std::array<double, 3>> at_start;
  std::vector<std::size_t> slot(rows), free;
  std::size_t passed = 0;  // of all events: those before the component's own
  for (const auto& [t, own] : events_of(component, lasting)) {
    for (; passed < events_.size() && events_[passed].first <= t; ++passed) {
      const auto& [at, code] = events_[passed];
      const invocation& row = run_.rows[code / 2];
      if (row.component == component) continue;
      const span lane = reach_of(row).of[0];
      times[row.component].add(lane.first, lane.last, code % 2 == 1 ? busy_time{-1, at} : busy_time{1, -at});
    }
    const invocation& row = run_.rows[own / 2];
    const bool is_end = own % 2 == 1;
    const reach near = reach_of(row);
    const std::size_t mine = position[own / 2];
    if (!is_end) {
      if (free.empty()) {
        free.push_back(at_start.size() / others);
        at_start.resize(at_start.size() + others);
      }
      slot[mine] = free.back();
      free.pop_back();
    }
    const double start = row.start - began_, lasted = t - start;  // as rounded as the sums are
    for (std::size_t other = 0; other < others; ++other) {
      std::array<double, 3> busy{};
      for (std::size_t n = 0; times[other].has_run && n < 3; ++n)
        busy[n] = times[other].on(near.of[n].first, near.of[n].last, t);
      std::array<double, 3>& before = at_start[slot[mine] * others + other];
      if (!is_end) {
        before = busy;
        continue;
      }
      double nearer = 0;
      for (std::size_t n = 0; n < 3 && times[other].has_run && lasted > 0; ++n) {
        const double so_near = (busy[n] - before[n]) / lasted, average = so_near - nearer;
        nearer = so_near;
        overlaps[other].average[n][mine] =
            average >= least_overlap && std::isfinite(average) ? static_cast<float>(average) : 0.0f;
      }
    }
    if (is_end) free.push_back(slot[mine]);
  }
  overlaps.erase(overlaps.begin() + component);
  return overlaps;
}

}  // namespace weir::command
