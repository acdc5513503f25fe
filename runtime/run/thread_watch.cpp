#include "runtime/run/thread_watch.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/machine/proc_task.hpp"
#include "runtime/record/cut_text.hpp"

namespace weir::detail {
namespace {

constexpr double shortest_interval = 0.1;  // seconds between two checks, for a rate that means something
constexpr double computing = 0.01;         // of one core: a thread that uses less waits
constexpr double tolerated = 0.25;         // cores beyond the grant

// A box waits if it computes for less than this part of its time. Outside the core budget it then takes less than a
// tenth of a core a lane from others.
constexpr double awake = 0.1;
// Before a box is said to wait: enough that neither a cold start nor a stop of the process (SIGSTOP) decides.
constexpr std::uint64_t enough_waits = 16;
constexpr double long_waits = 2;  // seconds

}  // namespace

// The cores that a thread wanted between two checks, 0 to 1; NaN at the first.
double thread_watch::wanted(int number, double passed) {
  const scheduled_seconds so_far = seconds_scheduled(number);
  const double now = so_far.on_core + so_far.waited;
  const auto [at, is_new] = wanted_.try_emplace(number, now);
  const double before = std::exchange(at->second, now);
  return is_new ? std::numeric_limits<double>::quiet_NaN() : std::min(1.0, (now - before) / passed);
}

// The component that a thread of this name works for; null: none of this run.
const component_state* thread_watch::named(std::string_view name) const {
  const std::size_t dot = std::min(name.find('.'), name.size());
  std::size_t index = 0;
  const auto read = std::from_chars(name.data() + std::min(dot + 1, name.size()), name.data() + name.size(), index);
  if (read.ec != std::errc() || index >= net_.components.size()) return nullptr;
  const component_state& c = *net_.components[index];
  return c.thread_name().data() == name ? &c : nullptr;
}

void thread_watch::check(const process_threads& all) {
  const double passed = all.passed();
  if (passed < shortest_interval) return;
  std::erase_if(wanted_, [&](const auto& one) { return !all.all().count(one.first); });
  std::vector<int> threads(net_.components.size(), 0), fresh = threads;
  std::vector<double> cores(net_.components.size(), 0);
  for (const auto& [number, t] : all.all()) {
    if (t.is_own) continue;
    const component_state* const of = named(t.name);
    if (!of) continue;
    const std::size_t at = of->index;
    const double share = wanted(number, passed);
    cores[at] += std::isnan(share) ? t.computed / passed : share;
    threads[at] += t.computed > computing * passed;
    fresh[at] += t.is_new;
  }
  // The time of ended threads is charged to the components that started new ones, in proportion to their number.
  const int all_fresh = std::accumulate(fresh.begin(), fresh.end(), 0);
  for (std::size_t i = 0; i < fresh.size() && all.by_ended() > 0; ++i)
    if (fresh[i] > 0) cores[i] += all.by_ended() / passed * fresh[i] / all_fresh;
  for (const auto& c : net_.components) {
    if (cores[c->index] >= tolerated) judge(*c, all, cores[c->index], threads[c->index]);
    if (cores[c->index] >= computing) computes_elsewhere_[c->index] = true;
  }
  of_children_.begin();
  for (const auto& c : net_.components)
    if (c->processes) judge_processes(*c);
  of_children_.end();
  judge_waiting(all);
}

// Says of boxes that they wait.
void thread_watch::judge_waiting(const process_threads& all) {
  if (!run_.platform.is_local()) return;  // elsewhere boxes may sleep in place of computing
  if (!elsewhere_before_) elsewhere_before_ = all.elsewhere();
  const double elsewhere = all.elsewhere() - *elsewhere_before_;
  std::vector<std::pair<const component_state*, double>> suspects;  // and the part of its time that it waits
  {
    const lock_guard lock(learning_.lock());
    for (const auto& c : net_.components) {
      const learning::undisturbed& u = learning_.undisturbed_of(*c);
      if (u.invocations < enough_waits || u.seconds < long_waits || u.cpu_seconds > awake * u.seconds) continue;
      // The box waits for a computation outside its thread: another run, its own threads, child processes.
      if (c->releases_cores.load(std::memory_order_relaxed) || computes_elsewhere_[c->index] ||
          elsewhere > awake * u.seconds)
        continue;
      if (!c->is_blocking() && !c->spec->initialiser && !waits_[c->index])
        suspects.emplace_back(c.get(), 1 - u.cpu_seconds / u.seconds);
    }
  }
  for (const auto& [c, waits] : suspects) {
    if (!(delay_of_workers(*c, all) < awake)) continue;  // NaN: the next check knows
    waits_[c->index] = true;
    run_.run.note(
        fmt::format("box {} waits {:.0f} % of its time and holds its core meanwhile: if it waits for I/O, a "
                    "device or a server, .blocking(n) runs it outside the core budget",
                    visible_text(c->spec->name, false), std::floor(100 * waits)));
  }
}

// Cores that its workers waited for between the last two looks and did not get; NaN: not known yet.
double thread_watch::delay_of_workers(const component_state& c, const process_threads& all) {
  double sum = 0;
  for (const auto& [number, t] : all.all())
    if (t.is_own && thread_name(number) == c.thread_name().data())
      sum += wanted(number, all.passed()) - t.computed / all.passed();
  return sum;
}

void thread_watch::judge(const component_state& c, const process_threads& all, double by_its_own, int threads) {
  double by_workers = 0;
  int workers = 0;
  for (const auto& [number, t] : all.all()) {
    if (!t.is_own || thread_name(number) != c.thread_name().data()) continue;
    by_workers += wanted(number, all.passed());  // NaN at its first check: then the next one judges
    ++workers;
  }
  const int own_cores = places_.own_cores(c);
  const double beyond = by_its_own + by_workers - (own_cores > 0 ? own_cores : workers);
  if (beyond >= tolerated) note_use(c, threads, beyond, "the grant's size(), as grant::openmp() does");
}

// A process may leave cores of its grant to no other, so there is no balance between them. Processes that a short
// script starts run next to it for a moment, in many lanes at a time: each process is judged by itself.
void thread_watch::judge_processes(const component_state& c) {
  double beyond = 0;
  int threads = 0;
  for (const box_process& p : c.processes->sample()) {
    const child_threads::demand d = of_children_.of(p.pid, p.began);
    if (d.threads > 0) computes_elsewhere_[c.index] = true;
    if (const double of_one = d.beyond(p.cores); of_one >= tolerated) beyond += of_one, threads += d.threads;
  }
  if (beyond > 0) note_use(c, threads, beyond, "cores_granted, or the variable WEIR_CORES");
}

void thread_watch::note_use(const component_state& c, int threads, double beyond, const char* remedy) {
  bool is_first = false;
  {
    const lock_guard lock(mutex_);
    use& u = seen_[c.index];
    is_first = u.threads == 0;
    u.threads = std::max({u.threads, threads, 1});
    u.cores = std::max(u.cores, beyond);
  }
  if (is_first)
    messages_.put(
        fmt::format("{} computes on threads of its own, which want {:.1f} cores beyond its grant: limit them by {}",
                    c.spec->name, beyond, remedy));
}

}  // namespace weir::detail
