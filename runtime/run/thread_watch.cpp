#include "runtime/run/thread_watch.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

namespace weir::detail {
namespace {

constexpr double shortest_look = 0.1;  // seconds between two looks, for a rate that means something
constexpr double computing = 0.01;     // of one core: a thread that uses less waits
constexpr double tolerated = 0.25;     // cores beyond the grant

}  // namespace

void thread_watch::look(const process_threads& all) {
  const double passed = all.passed();
  if (passed < shortest_look) return;
  std::vector<int> threads(net_.components.size(), 0), fresh = threads;
  std::vector<double> used(net_.components.size(), 0);  // cores
  for (const auto& [number, t] : all.all()) {
    if (t.is_own) continue;
    const auto of = std::find_if(net_.components.begin(), net_.components.end(),
                                 [&t = t](const auto& c) { return c->thread_name == t.name; });
    if (of == net_.components.end()) continue;
    const std::size_t at = (*of)->index;
    used[at] += t.computed / passed;
    threads[at] += t.computed > computing * passed;
    fresh[at] += t.is_new;
  }
  // Threads that come and go: what the ended ones used is that of the components that have new ones now.
  const int all_fresh = std::accumulate(fresh.begin(), fresh.end(), 0);
  for (std::size_t i = 0; i < fresh.size() && all.by_ended() > 0; ++i)
    if (fresh[i] > 0) used[i] += all.by_ended() / passed * fresh[i] / all_fresh;
  for (const auto& c : net_.components) {
    if (used[c->index] < tolerated) continue;
    const double beyond = used[c->index] - places_.cores_beside_lanes(*c);
    if (beyond < tolerated) continue;
    bool is_first = false;
    {
      const lock_guard lock(mutex_);
      use& u = seen_[c->index];
      is_first = u.threads == 0;
      u.threads = std::max({u.threads, threads[c->index], 1});
      u.cores = std::max(u.cores, beyond);
    }
    if (is_first)
      messages_.put(
          fmt::format("{} computes on threads of its own, {:.1f} cores beyond its grant: limit them by the "
                      "grant's size(), as grant::openmp() does",
                      c->spec->name, beyond));
  }
}

}  // namespace weir::detail
