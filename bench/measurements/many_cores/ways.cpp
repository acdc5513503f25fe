#include "bench/measurements/many_cores/ways.hpp"

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include <weir/weir.hpp>

#include <weir/scheduler/policies/fixed_shares.hpp>

namespace weir::many_cores {
namespace {

using clock_type = std::chrono::steady_clock;
using held = std::shared_ptr<item>;

constexpr field<held> work{"work"};

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

held made(const program& what, std::int64_t i, std::int64_t records) {
  const auto made = std::make_shared<item>();
  made->index = i;
  made->size = what.sizes(i, records);
  return made;
}

network box_of(const stage& s, std::size_t at) {
  const auto made = box(s.name, takes(work), gives(work), [change = s.change](const held& i) {
                      change(*i);
                      return i;
                    }).predicted_by([at](const held& i) { return static_cast<double>(i->size[at]); }, degree{s.degree});
  return s.has_loop ? network(made) : network(made.sequential());
}

network network_of(const program& what) {
  network all = box_of(what.stages[0], 0);
  for (std::size_t s = 1; s < what.stages.size(); ++s) all = all >> box_of(what.stages[s], s);
  return all;
}

}  // namespace

outcome run_by_weir(const program& what, std::int64_t records, const policy& rule, const machine& on) {
  options how;
  how.policy = rule;
  how.machine = on;
  outcome seen;
  const auto begin = clock_type::now();
  execution run = start(network_of(what), how);
  const std::jthread sender([&] {  // in the network it would have a share of the cores by `equal`
    for (std::int64_t i = 0; i < records; ++i) run.send(work = made(what, i, records));
    run.close();
  });
  for (record& r : run) seen.sum += r[work]->sum;
  seen.records_per_second = static_cast<double>(records) / seconds_since(begin);
  seen.moves = static_cast<int>(run.report().decisions.size()) - 1;
  return seen;
}

outcome run_by_stealing(const program& what, std::int64_t records, int cores) {
  outcome seen;
  std::int64_t next = 0;
  tbb::filter<void, held> all =
      tbb::make_filter<void, held>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) -> held {
        if (next == records) {
          control.stop();
          return nullptr;
        }
        return made(what, next++, records);
      });
  for (const stage& s : what.stages)
    all = all & tbb::make_filter<held, held>(tbb::filter_mode::parallel, [&s](const held& i) {
            s.change(*i);
            return i;
          });
  const auto take =
      tbb::make_filter<held, void>(tbb::filter_mode::serial_in_order, [&seen](const held& i) { seen.sum += i->sum; });
  tbb::task_arena arena(cores);
  const auto begin = clock_type::now();
  arena.execute([&] { tbb::parallel_pipeline(static_cast<std::size_t>(4 * cores), all & take); });
  seen.records_per_second = static_cast<double>(records) / seconds_since(begin);
  return seen;
}

std::vector<double> stage_seconds(const program& what, std::int64_t records, int cores) {
  std::vector<double> seconds(what.stages.size());
  tbb::task_arena arena(cores);
  for (std::int64_t i = 0; i < records; ++i) {
    const held one = made(what, i, records);
    for (std::size_t s = 0; s < what.stages.size(); ++s) {
      const auto begin = clock_type::now();
      arena.execute([&] { what.stages[s].change(*one); });
      seconds[s] += seconds_since(begin) / static_cast<double>(records);
    }
  }
  return seconds;
}

policy policy_of(const program& what, const division& d) {
  std::vector<fixed_share> shares;
  for (std::size_t s = 0; s < d.cores.size(); ++s)
    if (d.cores[s] > 0)
      shares.push_back({what.stages[s].name, d.cores[s], d.in_lanes || !what.stages[s].has_loop ? d.cores[s] : 1});
  return fixed_shares(std::move(shares));
}

std::string to_string(const division& d) {
  if (std::all_of(d.cores.begin(), d.cores.end(), [](int c) { return c == 0; })) return "all shared";
  return fmt::format("{}{}", fmt::join(d.cores, "+"), d.in_lanes ? "" : " in one lane each");
}

found_division searched_division(const program& what, std::int64_t records, const machine& on,
                                 const std::vector<double>& seconds, double seconds_allowed) {
  const int cores = on.size();
  const auto begin = clock_type::now();
  found_division found;
  double most = 0;
  const auto try_it = [&](const division& d) {
    ++found.tried;
    const double rate = run_by_weir(what, records, policy_of(what, d), on).records_per_second;
    if (rate <= most) return false;
    most = rate;
    found.best = d;
    return true;
  };
  const division all_shared{std::vector<int>(seconds.size(), 0), true};
  try_it(all_shared);
  const double by_sharing = most;
  const auto stages = static_cast<int>(seconds.size());
  if (cores <= stages) return found;
  division given{std::vector<int>(seconds.size(), 1), true};  // in proportion to their seconds: by greatest lack
  for (int left = cores - stages; left > 0; --left) {
    std::size_t slowest = 0;
    for (std::size_t s = 1; s < seconds.size(); ++s)
      if (seconds[s] / given.cores[s] > seconds[slowest] / given.cores[slowest]) slowest = s;
    ++given.cores[slowest];
  }
  most = 0;  // the climb begins at a division; sharing is compared in the end
  try_it(given);
  try_it({given.cores, false});
  const auto is_over = [&] { return seconds_since(begin) > seconds_allowed; };
  for (bool better = true; better && !is_over();) {
    better = false;
    const division from = found.best;
    for (std::size_t give = 0; give < seconds.size() && !better; ++give)
      for (std::size_t get = 0; get < seconds.size() && !better; ++get) {
        if (give == get || from.cores[give] < 2 || is_over()) continue;
        division next = from;
        --next.cores[give];
        ++next.cores[get];
        better = try_it(next);
      }
  }
  if (by_sharing > most) found.best = all_shared;
  return found;
}

}  // namespace weir::many_cores
