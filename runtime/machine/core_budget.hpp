#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <weir/scheduler/machine/core_set.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/machine/arena.hpp"
#include "runtime/machine/neighbour_file.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/watched_quota.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The cores of a machine that this process uses: all that the system permits, less the cores of its neighbours. Its
// neighbours are processes of the same user that share cores by the file of neighbour_file. oneTBB's limit follows.
class core_budget {
 public:
  // A claim is valid for `valid`, eight looks and more. After the last run it stays for a moment, since the next one
  // may come soon. Seconds.
  static constexpr double valid = 2, stays = 0.25;

  explicit core_budget(platform& p, std::filesystem::path folder = neighbour_file::usual_folder());

  // ---- by any thread ----
  core_set permitted() const;                   // by the system alone
  core_set used() const;                        // not empty
  bool is_usable(const core_set& cores) const;  // these are what the system lets a thread use, as last seen
  // How often that has changed. Relaxed: a thread that sees it late is bound where it was for a moment longer.
  int changes() const { return changes_.load(std::memory_order_relaxed); }
  // Whether the system changes the cores of the process's threads now, or did so a moment ago: it sets one thread after
  // another. Throws std::bad_alloc.
  bool changes_now() const;
  std::string quota_note() const;  // a sentence on cores that a CPU quota leaves out; empty: none

  // ---- by the machine, under its lock of runs ----
  // The first run comes, the last one has gone; these cores are in use from now on. Each sets oneTBB's limit.
  void begin();
  void end() noexcept { limit_.reset(); }
  void use(core_set cores);

  // ---- by the machine's controller thread ----
  // The cores that the process should use from now on. `shares`: with neighbours; `gain`: its claim's, asked for now
  // and then while there are neighbours. Throws std::bad_alloc; then the next look finds what this one would have.
  struct finding {
    core_set cores;
    bool is_quota_other = false;  // the system permits others than at the last look
    bool has_file = false;        // so neighbours may come
    std::size_t neighbours = 0;
  };
  finding look(bool shares, const std::function<core_gain()>& gain);
  // Leaves the cores to the neighbours, when nothing runs.
  void rest() noexcept;

 private:
  void set_limit(int cores);
  void sample_quota();
  finding look_at_neighbours(bool shares, const std::function<core_gain()>& gain);
  core_set divided(const neighbour_file::table& all) const;
  int number_of(int core) const;

  platform& platform_;
  std::unique_ptr<worker_limit> limit_;  // while a run is active, on local machines
  watched_quota quota_;
  bool is_quota_new_ = false;    // it has changed, and usable_, permitted_ and the note not yet
  bool is_quota_other_ = false;  // no finding has said so yet
  neighbour_file file_;
  core_gain gain_;
  std::optional<double> asked_at_;  // for the gain
  double next_try_ = 0;             // for the file
  WEIR_LOCK(looking) looking_;      // a controller thread that ends may meet the next one
  mutable WEIR_LOCK(budget) mutex_;
  double looked_at_ WEIR_GUARDED_BY(mutex_) = 0;
  core_set usable_ WEIR_GUARDED_BY(mutex_), permitted_ WEIR_GUARDED_BY(mutex_), used_ WEIR_GUARDED_BY(mutex_);
  core_set of_first_ WEIR_GUARDED_BY(mutex_);  // platform::usable_by_first(), as last seen
  double changed_at_ WEIR_GUARDED_BY(mutex_) = -std::numeric_limits<double>::infinity();
  std::string quota_note_ WEIR_GUARDED_BY(mutex_);
  threads::atomic<int> changes_{0};
};

}  // namespace weir::detail
