#include "runtime/machine/arena.hpp"

// A preview in oneTBB 2022 to 2023.0, which has to be asked for; fully supported from 2023.2 on.
#define TBB_PREVIEW_PARALLEL_PHASE 1
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <new>
#include <utility>

#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/machine/worker_clocks.hpp"

namespace weir::detail {
namespace {

// From oneTBB 2022 on, an arena's owner can say while which work is to be expected. Until then workers stay near, also
// between two invocations; afterwards they leave without waiting, since their cores become another component's. An earlier
// oneTBB decides both by itself.
template <class Arena>
Arena arena_of(int cores) {
  if constexpr (requires { Arena::leave_policy::fast; })
    return Arena(cores, 1, Arena::priority::normal, Arena::leave_policy::fast);
  else
    return Arena(cores, 1);
}

template <class Arena>
class work_expected {
 public:
  explicit work_expected(Arena& a) : arena_(a) {
    if constexpr (requires { a.start_parallel_phase(); }) a.start_parallel_phase();
  }
  ~work_expected() {
    if constexpr (requires { arena_.end_parallel_phase(); }) arena_.end_parallel_phase();
  }
  work_expected(const work_expected&) = delete;
  work_expected& operator=(const work_expected&) = delete;

 private:
  Arena& arena_;
};

class tbb_arena final : public pinned_arena {
 public:
  tbb_arena(const core_lease& s, platform& p, threads::atomic<bool>& refused, const foreign_load& others)
      : arena_(arena_of<tbb::task_arena>(s.cores.size())),
        clocks_(p, s.cores.size() - 1, &others),
        binder_(arena_, s.cores - s.own, p, clocks_, refused) {}

  void run(const std::function<void()>& work) override {
    if (clocks_.count() == 0) return arena_.execute(work);  // no worker ever enters
    const work_expected phase(arena_);
    arena_.execute(work);
  }
  worker_clocks* clocks() override { return clocks_.count() > 0 ? &clocks_ : nullptr; }

 private:
  class binder final : public tbb::task_scheduler_observer {
   public:
    binder(tbb::task_arena& arena, core_set others, platform& p, worker_clocks& clocks, threads::atomic<bool>& refused)
        : task_scheduler_observer(arena), others_(std::move(others)), platform_(p), clocks_(clocks), refused_(refused) {
      if (!others_.empty()) observe(true);  // an arena of one core is never entered by a worker
    }
    ~binder() override { observe(false); }

    void on_scheduler_entry(bool is_worker) override {
      if (!is_worker) return;
      thread_local bool is_named = false;  // before, it may have the name of a component, and be taken for its own
      if (!std::exchange(is_named, true)) name_this_thread("weir oneTBB");
      const int helper = tbb::this_task_arena::current_thread_index() - 1;  // slot 0 is the lane's own thread
      if (helper < 0 || helper >= others_.size() || !platform_.bind(core_set{others_[helper]}))
        refused_.store(true, std::memory_order_relaxed);
      clocks_.enter(helper);
    }
    void on_scheduler_exit(bool is_worker) override {
      if (!is_worker) return;
      clocks_.leave(tbb::this_task_arena::current_thread_index() - 1);
      platform_.unbind();
    }

   private:
    core_set others_;
    platform& platform_;
    worker_clocks& clocks_;
    threads::atomic<bool>& refused_;
  };

  tbb::task_arena arena_;
  worker_clocks clocks_;
  binder binder_;
};

}  // namespace

std::unique_ptr<pinned_arena> arena_cache::borrow(const core_lease& s) {
  if (!platform_.is_local() || s.cores.empty()) return nullptr;
  {
    const lock_guard lock(mutex_);
    auto& idle = idle_[s.cores][s.own[0]];
    if (!idle.empty()) {
      auto arena = std::move(idle.back());
      idle.pop_back();
      return arena;
    }
  }
  return std::make_unique<tbb_arena>(s, platform_, refused_, others_);
}

void arena_cache::give_back(const core_lease& s, std::unique_ptr<pinned_arena> arena) noexcept {
  const lock_guard lock(mutex_);
  try {
    idle_[s.cores][s.own[0]].push_back(std::move(arena));
  } catch (const std::bad_alloc&) {  // then another is made when one is needed
  }
}

struct worker_limit::control {
  explicit control(int workers)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)) {}
  tbb::global_control limit;
};

worker_limit::worker_limit(int workers) : control_(std::make_unique<control>(workers)) {}
worker_limit::~worker_limit() = default;

}  // namespace weir::detail
