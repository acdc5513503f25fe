#include "runtime/run/thread_watch.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace weir::detail {
namespace {

constexpr double shortest_look = 0.1;  // seconds between two looks, for a rate that means something
constexpr double computing = 0.01;     // of one core: a thread that uses less waits
constexpr double tolerated = 0.25;     // cores beyond the grant

}  // namespace

int thread_watch::component_of(thread_number who) const {
  const std::string name = name_of(who);
  for (const auto& c : net_.components)
    if (c->thread_name == name) return static_cast<int>(c->index);
  return -1;
}

void thread_watch::look() {
  const double now = run_.life.since_start(), passed = now - looked_at_;
  if (passed < shortest_look) return;
  looked_at_ = now;
  std::vector<int> threads(net_.components.size(), 0), fresh = threads;
  std::vector<double> used(net_.components.size(), 0);  // cores
  double by_ended = std::exchange(of_process_, run_.outside.cpu_seconds(cpu_clock_of_process()));
  by_ended = of_process_ - by_ended;  // seconds of all threads; less those of the living, as follows
  std::map<thread_number, thread> known;
  for (const auto& [number, is_own] : all_threads()) {
    const auto before = known_.find(number);
    const bool is_new = before == known_.end();
    thread t = is_new ? thread{is_own ? -1 : component_of(number)} : before->second;
    const double cpu = run_.outside.cpu_seconds(cpu_clock_of(number));
    if (std::isnan(cpu)) continue;  // it has just ended
    const double seconds = cpu - t.cpu_seconds;
    by_ended -= seconds;
    t.cpu_seconds = cpu;
    if (t.component >= 0) {
      const auto at = static_cast<std::size_t>(t.component);
      used[at] += seconds / passed;
      threads[at] += seconds > computing * passed;
      fresh[at] += is_new;
    }
    known.emplace(number, t);
  }
  known_.swap(known);
  // Threads that come and go: what the ended ones used is that of the components that have new ones now.
  const int all_fresh = std::accumulate(fresh.begin(), fresh.end(), 0);
  for (std::size_t i = 0; i < fresh.size() && by_ended > 0; ++i)
    if (fresh[i] > 0) used[i] += by_ended / passed * fresh[i] / all_fresh;
  for (const auto& c : net_.components) {
    const double beyond = used[c->index] - places_.cores_beside_lanes(*c);
    if (beyond < tolerated) continue;
    bool is_first = false;
    {
      const lock_guard lock(mutex_);
      use& u = seen_[c->index];
      is_first = u.threads == 0;
      u.threads = std::max(u.threads, threads[c->index]);
      u.cores = std::max(u.cores, beyond);
    }
    if (is_first)
      messages_.put(
          fmt::format("{} computes on {} thread{} of its own, {:.1f} cores beyond its grant: limit them by the "
                      "grant's size(), as grant::openmp() does",
                      c->spec->name, threads[c->index], threads[c->index] == 1 ? "" : "s", beyond));
  }
}

}  // namespace weir::detail
