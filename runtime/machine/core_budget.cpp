#include "runtime/machine/core_budget.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace weir::detail {

namespace {
constexpr double between_gains = 2;  // seconds: each takes some decisions, and other parts cost a move
constexpr double between_tries = 1;  // seconds, while there is no file
constexpr double noise = 0.1;        // of a throughput
constexpr double change_takes = 1;   // seconds, until the system has set the last thread, and some looks

// Whether a gain says something new: noise is not to move cores to and fro.
bool is_news(const core_gain& now, const core_gain& before) {
  return !std::equal(now.begin(), now.end(), before.begin(), before.end(), [](const auto& a, const auto& b) {
    return a.first == b.first && std::abs(a.second - b.second) <= noise * b.second;
  });
}

// The environment may have hwloc describe another computer.
std::filesystem::path folder_on(const platform& p, std::filesystem::path folder) {
  return p.is_local() && !p.cores()->is_elsewhere() ? folder : std::filesystem::path();
}
}  // namespace

core_budget::core_budget(platform& p, std::filesystem::path folder)
    : platform_(p),
      quota_(p),
      file_(folder_on(p, std::move(folder))),
      usable_(quota_.usable()),
      permitted_(quota_.cores()),
      used_(permitted_),
      of_first_(p.usable_by_first()),
      quota_note_(quota_.note()) {}

core_set core_budget::permitted() const {
  const lock_guard lock(mutex_);
  return permitted_;
}

core_set core_budget::used() const {
  const lock_guard lock(mutex_);
  return used_;
}

bool core_budget::is_usable(const core_set& cores) const {
  const lock_guard lock(mutex_);
  return cores == usable_;
}

bool core_budget::changes_now() const {
  core_set of_first = platform_.usable_by_first();
  const lock_guard lock(mutex_);
  return of_first != of_first_ || platform_.now() < changed_at_ + change_takes;
}

std::string core_budget::quota_note() const {
  const lock_guard lock(mutex_);
  return quota_note_;
}

// Workers for every core, and the caller's own thread.
void core_budget::set_limit(int cores) {
  if (platform_.is_local()) limit_ = std::make_unique<worker_limit>(cores + 1);
}

// A run that follows another one soon has the same cores, which the neighbours have left it so far.
void core_budget::begin() {
  core_set of_first = platform_.usable_by_first();
  {
    const lock_guard lock(mutex_);
    if (platform_.now() > looked_at_ + stays) used_ = permitted_;
    of_first_ = std::move(of_first);
  }
  set_limit(used().size());
}

void core_budget::use(core_set cores) {
  set_limit(cores.size());
  const lock_guard lock(mutex_);
  used_ = std::move(cores);
}

void core_budget::rest() noexcept {
  const lock_guard one_at_a_time(looking_);
  file_.leave(platform_.now() + stays);
  gain_.clear();  // another run may come
  asked_at_.reset();
}

core_budget::finding core_budget::look(bool shares, const std::function<core_gain()>& gain) {
  const lock_guard one_at_a_time(looking_);
  sample_quota();
  finding found = look_at_neighbours(shares, gain);
  found.is_quota_other = std::exchange(is_quota_other_, false);
  return found;
}

// Whatever throws comes before anything is changed.
void core_budget::sample_quota() {
  core_set of_first = platform_.usable_by_first();
  if (quota_.sample()) is_quota_new_ = true;
  std::string note = is_quota_new_ ? quota_.note() : std::string();
  core_set cores = quota_.cores(), usable = quota_.usable();
  const double now = platform_.now();
  bool is_other = false;
  {
    const lock_guard lock(mutex_);
    looked_at_ = now;
    is_other = usable != usable_ || of_first != of_first_;
    of_first_ = std::move(of_first);
    if (is_other) changed_at_ = now;
    if (std::exchange(is_quota_new_, false)) {
      is_quota_other_ = is_quota_other_ || cores != permitted_;
      usable_ = std::move(usable);
      permitted_ = std::move(cores);
      quota_note_ = std::move(note);
    }
  }
  if (is_other) changes_.fetch_add(1, std::memory_order_relaxed);
}

// The finding but for the quota's change.
core_budget::finding core_budget::look_at_neighbours(bool shares, const std::function<core_gain()>& gain) {
  finding found;
  found.cores = quota_.cores();
  const double now = platform_.now();
  if (!shares) file_.leave(now);
  if (!shares || now < next_try_) return found;
  core_claim own{{}, quota_.most(), gain_};
  std::vector<int> numbers;
  for (const int core : quota_.usable()) numbers.push_back(number_of(core));
  own.cores = core_set(std::move(numbers));
  const auto all = file_.exchange(own, now, valid);
  found.has_file = all.has_value();
  if (!all) {
    next_try_ = now + between_tries;
    return found;
  }
  for (std::size_t i = 0; i < all->claims.size(); ++i)
    found.neighbours += i != all->own && all->claims[i].cores.intersects(own.cores);
  if (found.neighbours == 0) return found;
  if (!asked_at_ || now >= *asked_at_ + between_gains) {  // is said at the next look
    if (core_gain said = gain(); is_news(said, gain_)) gain_ = std::move(said);
    asked_at_ = now;
  }
  found.cores = divided(*all);
  return found;
}

// The system's number of the first processing unit of a core: all processes know it by that.
int core_budget::number_of(int core) const {
  const std::vector<int>& units = (*platform_.cores())[core].os_units;
  return units.empty() ? core : units.front();
}

core_set core_budget::divided(const neighbour_file::table& all) const {
  const core_set ours = divide_cores(all.claims)[all.own];
  std::vector<int> cores;
  for (const int core : quota_.usable())
    if (ours.intersects(core_set{number_of(core)})) cores.push_back(core);
  return core_set(std::move(cores));
}

}  // namespace weir::detail
