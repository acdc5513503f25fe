#include "bench/field/two_stages/ways.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include <weir/weir.hpp>

#include "components/emulated.hpp"

namespace weir::field_bench::two_stages {
namespace {

using clock_type = std::chrono::steady_clock;

// The work of one run, whatever carries it. Safe to call from several threads.
class emulated_work {
 public:
  explicit emulated_work(const setting& what) : what_(what), run_(++runs) {
    ends_.reserve(static_cast<std::size_t>(what.records));
  }

  void first() const { components::emulate({{what_.first}, 0}, 0, 1); }

  void second() const {
    thread_local int started = 0;  // the run for which this thread is ready
    const double start = started == run_ ? 0 : what_.slow_start;
    started = run_;
    components::emulate({{start + what_.second}, 0}, 0, 1);
  }

  void leaves() {
    const double now = std::chrono::duration<double>(clock_type::now() - begin_).count();
    const std::lock_guard lock(mutex_);
    ends_.push_back(now);
  }

  std::vector<double> ends() {
    std::sort(ends_.begin(), ends_.end());
    return std::move(ends_);
  }

 private:
  static inline std::atomic<int> runs{0};
  const setting& what_;
  const int run_;
  const clock_type::time_point begin_ = clock_type::now();
  std::mutex mutex_;
  std::vector<double> ends_;
};

// A value that each thread of the second stage keeps; making it takes a while.
struct started {
  explicit started(double seconds) { components::emulate({{seconds}, 0}, 0, 1); }
};

constexpr tag id{"id"};
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<int> setting::best_division() const {
  std::vector<int> best{1, cores - 1};
  const auto rate = [&](int a) { return std::min(a / first, (cores - a) / second); };
  for (int a = 2; a < cores; ++a)
    if (rate(a) > rate(best[0])) best = {a, cores - a};
  return best;
}

double setting::best_rate() const {
  const std::vector<int> best = best_division();
  return std::min(best[0] / first, best[1] / second);
}

double outcome::per_second() const { return static_cast<double>(ends.size()) / ends.back(); }

double outcome::until_balanced(double rate) const {
  constexpr double window = 2;
  const auto windows = static_cast<std::size_t>(ends.back() / window);
  std::vector<double> counts(windows, 0);
  for (const double end : ends)
    if (const auto at = static_cast<std::size_t>(end / window); at < windows) ++counts[at];
  std::size_t from = windows > 1 ? windows - 1 : 0;  // the last one empties the stages
  while (from > 0 && counts[from - 1] >= 0.95 * rate * window) --from;
  return from + 1 < windows ? static_cast<double>(from) * window : unknown;
}

outcome by_weir(const setting& what, const policy& rule, bool in_lanes) {
  emulated_work work(what);
  const auto stage = [&](const char* name, auto call) {
    return box(name, takes(id), gives(id),
               [call](std::int64_t i) {
                 call();
                 return i;
               })
        .sequential();
  };
  options how;
  how.policy = rule;
  how.machine = machine::synthetic(fmt::format("core:{} pu:1", what.cores));
  how.learn_from = measured_time::wall;  // sleeping takes no CPU time
  const network second = in_lanes ? network(box("second", takes(id), gives(id),
                                                [&](started&, std::int64_t i) {
                                                  components::emulate({{what.second}, 0}, 0, 1);
                                                  return i;
                                                })
                                                .each_lane([&] { return started(what.slow_start); })
                                                .sequential())
                                  : network(stage("second", [&] { work.second(); }));
  execution run = start(stage("first", [&] { work.first(); }) >> second, how);
  const std::jthread sender([&] {  // as a source it would have a share of the cores by `equal`
    for (std::int64_t i = 0; i < what.records; ++i) run.send(id = i);
    run.close();
  });
  for ([[maybe_unused]] const record& r : run) work.leaves();
  const run_report report = run.report();
  outcome seen{work.ends(), {}, static_cast<int>(report.decisions.size()) - 1, unknown, unknown, report.json()};
  for (const component_report& c : report.components)
    if (c.name == "first" || c.name == "second") seen.division.push_back(c.cores);
  for (const stream_report& s : report.streams)
    if (s.from == "first" && s.to == "second")
      seen.waiting_peak = static_cast<double>(s.peak), seen.waiting_mean = s.occupancy;
  return seen;
}

outcome by_pipeline(const setting& what) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(what.cores));
  emulated_work work(what);
  std::int64_t next = 0;
  const auto read =
      tbb::make_filter<void, std::int64_t>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == what.records) control.stop();
        return next++;
      });
  const auto first = tbb::make_filter<std::int64_t, std::int64_t>(tbb::filter_mode::parallel, [&](std::int64_t i) {
    work.first();
    return i;
  });
  const auto second = tbb::make_filter<std::int64_t, void>(tbb::filter_mode::parallel, [&](std::int64_t) {
    work.second();
    work.leaves();
  });
  tbb::task_arena arena(what.cores);
  arena.execute([&] { tbb::parallel_pipeline(static_cast<std::size_t>(2 * what.cores), read & first & second); });
  return {work.ends(), {}, 0, unknown, unknown, ""};
}

outcome by_threads(const setting& what) {
  emulated_work work(what);
  std::atomic<std::int64_t> next{0};
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < what.cores; ++t)
      all.emplace_back([&] {
        while (next++ < what.records) {
          work.first();
          work.second();
          work.leaves();
        }
      });
  }
  return {work.ends(), {}, 0, unknown, unknown, ""};
}

}  // namespace weir::field_bench::two_stages
