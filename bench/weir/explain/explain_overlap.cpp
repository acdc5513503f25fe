#include "bench/weir/explain/explain_overlap.hpp"

#include <algorithm>
#include <cmath>

namespace weir::program {
namespace {

constexpr double least_overlap = 1e-4;
constexpr double just_begun = 0.05;  // of a typical time

// For some invocations at a time t: their total run time so far, and the remaining run time of the running ones.
struct busy_time {
  double running = 0;  // the number still running
  double past = 0;     // sum of the ends of finished ones, minus the sum of all beginnings
  double future = 0;   // sum of the ends of the running ones

  double until(double t) const { return running * t + past; }
  double left(double t) const { return future - running * t; }
  busy_time& operator+=(const busy_time& more) {
    running += more.running;
    past += more.past;
    future += more.future;
    return *this;
  }
  busy_time operator-(const busy_time& less) const {
    return {running - less.running, past - less.past, future - less.future};
  }
};

// Prefix sums over the cores up to a given one (P. Fenwick, Software: Practice and Experience 24, 1994).
class sums_by_core {
 public:
  explicit sums_by_core(int cores) : tree_(static_cast<std::size_t>(cores) + 1) {}

  void add(int core, const busy_time& more) {
    for (auto i = static_cast<std::size_t>(core) + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += more;
  }

  busy_time up_to(int core) const {  // including `core`; -1: none
    busy_time sum;
    for (auto i = static_cast<std::size_t>(core + 1); i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }

 private:
  std::vector<busy_time> tree_;
};

// A component's invocations, by their lanes.
class busy_lanes {
 public:
  explicit busy_lanes(int cores) : by_first_(cores), by_last_(cores) {}

  void add(int first, int last, const busy_time& more) {
    has_run_ = true;
    by_first_.add(first, more);
    by_last_.add(last, more);
  }

  bool has_run() const { return has_run_; }

  // The invocations that share a core with first..last: all that begin no later than `last`, minus all that end
  // before `first`.
  busy_time on(int first, int last) const { return by_first_.up_to(last) - by_last_.up_to(first - 1); }

 private:
  sums_by_core by_first_, by_last_;
  bool has_run_ = false;
};

float overlap(double average) {
  return average >= least_overlap && std::isfinite(average) ? static_cast<float>(average) : 0.0f;
}

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
  for (std::uint32_t i = 0; i < run.rows.size(); ++i) {
    if (!is_placed(run.rows[i])) continue;
    const double start = run.rows[i].start - began_;
    events_.push_back({start, i, begins});
    events_.push_back({start + run.rows[i].seconds, i, ends});
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

std::vector<overlap_sweep::event> overlap_sweep::events_of(std::uint32_t component, double typical) const {
  std::vector<event> own;
  for (std::uint32_t i = 0; i < run_.rows.size() && run_.has_start; ++i) {
    const invocation& row = run_.rows[i];
    if (row.component != component || !is_placed(row)) continue;
    const double start = row.start - began_;
    own.push_back({start, i, begins});
    own.push_back({start + just_begun * typical, i, has_begun});
    own.push_back({start + row.seconds, i, ends});
  }
  std::sort(own.begin(), own.end());
  return own;
}

std::vector<overlap_with> overlap_sweep::of(std::uint32_t component, double typical) const {
  std::vector<std::size_t> position(run_.rows.size(), 0);  // index among the rows of the component
  std::size_t rows = 0;
  for (std::size_t i = 0; i < run_.rows.size(); ++i)
    if (run_.rows[i].component == component) position[i] = rows++;

  const std::size_t others = run_.components.size();
  std::vector<overlap_with> overlaps(others);
  std::vector<busy_lanes> lanes(others, busy_lanes(cores_));
  for (std::size_t other = 0; other < others; ++other) {
    overlaps[other].other = static_cast<std::uint32_t>(other);
    for (std::size_t n = 0; n < 3 && other != component; ++n) {
      overlaps[other].average[n].assign(rows, 0);
      overlaps[other].begun[n].assign(rows, 0);
    }
  }

  // The busy time during an invocation is the busy time until its end minus that until its start. Running invocations
  // keep the latter in a slot.
  std::vector<std::array<double, 3>> at_start;
  std::vector<std::size_t> slot(rows), free;
  std::size_t passed = 0;  // the number of events up to the component's own one
  for (const event& own : events_of(component, typical)) {
    for (; passed < events_.size() && events_[passed].time <= own.time; ++passed) {
      const auto& [t, index, what] = events_[passed];
      const invocation& row = run_.rows[index];
      if (row.component == component) continue;
      const span lane = reach_of(row).of[0];
      const double end = row.start - began_ + row.seconds;
      lanes[row.component].add(lane.first, lane.last, what == begins ? busy_time{1, -t, end} : busy_time{-1, t, -end});
    }
    const invocation& row = run_.rows[own.row];
    const reach near = reach_of(row);
    const std::size_t mine = position[own.row];
    if (own.what == begins && free.empty()) {
      free.push_back(at_start.size() / others);
      at_start.resize(at_start.size() + others);
    }
    if (own.what == begins) {
      slot[mine] = free.back();
      free.pop_back();
    }
    const double lasted = own.time - (row.start - began_);  // rounded in the same way as the sums
    for (std::size_t other = 0; other < others; ++other) {
      double nearer = 0;
      for (std::size_t n = 0; n < 3; ++n) {
        double& before = at_start[slot[mine] * others + other][n];
        if (own.what == begins) before = 0;
        if (!lanes[other].has_run()) continue;
        const busy_time busy = lanes[other].on(near.of[n].first, near.of[n].last);
        if (own.what == begins) {
          before = busy.until(own.time);
          continue;
        }
        const double so_near = own.what == ends ? (busy.until(own.time) - before) / lasted
                                                : std::min(busy.left(own.time) / typical, busy.running);
        (own.what == ends ? overlaps[other].average : overlaps[other].begun)[n][mine] = overlap(so_near - nearer);
        nearer = so_near;
      }
    }
    if (own.what == ends) free.push_back(slot[mine]);
  }
  overlaps.erase(overlaps.begin() + component);
  return overlaps;
}

}  // namespace weir::program
