#include "runtime/machine/arena.hpp"

// A preview in oneTBB 2022 to 2023.0, which has to be asked for; fully supported from 2023.2 on.
#define TBB_PREVIEW_PARALLEL_PHASE 1
#include <tbb/global_control.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/float_state.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/machine/worker_clocks.hpp"

namespace weir::detail {
namespace {

// From oneTBB 2022 on, an arena's owner can say while which work is to be expected. Until then workers stay near, also
// between two invocations; afterwards they leave without waiting, since their cores become another component's. An
// earlier oneTBB decides both by itself.
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

// Whether the calling thread, of slot 0, is in an arena. It may have entered another one from there. oneTBB tells a new
// observer of an arena only of a thread that is in it.
class presence final : public tbb::task_scheduler_observer {
 public:
  explicit presence(tbb::task_arena& in) : task_scheduler_observer(in) { observe(true); }
  ~presence() override { observe(false); }
  bool is_given() const { return is_given_; }

  void on_scheduler_entry(bool is_worker) override {
    if (!is_worker && tbb::this_task_arena::current_thread_index() == 0) is_given_ = true;
  }

 private:
  bool is_given_ = false;
};

// Runs the tasks that are left over in an arena, by the one thread that is in its reserved slot. A thread that waits in
// an arena takes the youngest of its own tasks first, so it runs all that lie above a mark before the mark itself. That
// costs no system call and wakes no worker.
class leftover_tasks {
 public:
  // All calls are made by the thread of slot 0, and throw std::bad_alloc. All but can_be_run() are made inside the
  // arena, and outside of isolation.
  void begin() {
    outermost_ = tbb::task::current_context();
    is_marked_.store(true, std::memory_order_relaxed);
    try {
      add(group_, [this](auto& to) { to.run([this] { is_marked_.store(false, std::memory_order_relaxed); }); });
    } catch (const std::bad_alloc&) {
      is_marked_.store(false, std::memory_order_relaxed);
      throw;
    }
  }
  void end() {
    if (is_marked_.load(std::memory_order_relaxed)) {
      group_->wait();
    } else {  // a box that waited for other tasks has run the mark, and more tasks may have come since
      was_marked_throughout_ = false;
      run_all();
    }
  }
  bool is_in_task() const { return tbb::task::current_context() != outermost_; }

  // False where a wait for the mark would not end: the user's code that called has entered another arena, or isolates
  // its tasks from others. It takes 1.1 us.
  bool can_be_run(tbb::task_arena& in) { return presence(in).is_given() && !is_isolated(in); }

  // Finds the tasks of all threads of the arena. A thread takes enqueued tasks after its own; and a worker comes for
  // it, so end() does otherwise.
  void run_all() {
    add(group_, [](auto& to) { tbb::this_task_arena::enqueue(to.defer([] {})); });
    group_->wait();
  }
  // False: a task may lie below the present mark, since an earlier one was not run by end().
  bool was_marked_throughout() const { return was_marked_throughout_; }

 private:
  using group = std::unique_ptr<tbb::task_group>;

  template <class Add>
  static void add(group& to, const Add& adds) {
    if (!to) to = std::make_unique<tbb::task_group>();
    try {
      adds(*to);
    } catch (...) {
      (void)to.release();  // it counts a task that it has not got, and would wait for it
      throw;
    }
  }

  // oneTBB has no call that tells it. The younger of two tasks is made outside of isolation, by execute(). A wait for
  // the older one runs the younger first, or passes over it in isolation.
  bool is_isolated(tbb::task_arena& in) {
    bool passed_over = true;
    add(older_, [](auto& to) { to.run([] {}); });
    try {
      in.execute([&] {
        add(younger_, [&](auto& to) {
          to.run([&] {  // a worker that came for an enqueued task may take it
            if (tbb::this_task_arena::current_thread_index() == 0) passed_over = false;
          });
        });
      });
    } catch (...) {
      older_->wait();
      throw;
    }
    older_->wait();
    const bool isolated = passed_over;
    in.execute([this] { younger_->wait(); });
    return isolated;
  }

  group group_, older_, younger_;
  tbb::task_group_context* outermost_ = nullptr;
  threads::atomic<bool> is_marked_{false};  // relaxed: the group's wait orders what a worker did
  bool was_marked_throughout_ = true;
};

class tbb_arena final : public pinned_arena {
 public:
  tbb_arena(const core_lease& s, platform& p, threads::atomic<bool>& refused, const foreign_load& others)
      : arena_(arena_of<tbb::task_arena>(s.cores.size())),
        clocks_(p, s.cores.size() - 1, &others),
        binder_(arena_, s.cores.size() > 1 ? s.cores - s.own : s.own, p, clocks_, refused) {}

  ~tbb_arena() override {
    if (!has_workers() && left_.was_marked_throughout()) return;
    try {
      arena_.execute([this] { left_.run_all(); });
    } catch (const std::exception&) {  // then workers run them. oneTBB throws std::runtime_error without a thread
    }
  }

  void run(const std::function<void()>& work) override {
    if (has_workers()) {
      const work_expected phase(arena_);
      return arena_.execute(work);
    }
    arena_.execute([&] {
      left_.begin();
      try {
        work();
      } catch (const std::bad_alloc&) {
        left_.end();
        throw;
      }
      left_.end();
    });
  }
  void run_leftovers(bool inside_call) noexcept override {
    if (has_workers() || left_.is_in_task()) return;
    try {
      if (inside_call && !left_.can_be_run(arena_)) return;
      left_.end();
      left_.begin();
    } catch (const std::exception&) {  // they run later
    }
  }
  void move_to(int core) override { binder_.move_to(core); }
  worker_clocks* clocks() override { return has_workers() ? &clocks_ : nullptr; }
  const float_state& floats() const override { return floats_; }

 private:
  bool has_workers() const { return clocks_.count() > 0; }

  class binder final : public tbb::task_scheduler_observer {
   public:
    binder(tbb::task_arena& arena, core_set others, platform& p, worker_clocks& clocks, threads::atomic<bool>& refused)
        : task_scheduler_observer(arena),
          others_(std::move(others)),
          only_(others_.size() == 1 ? others_[0] : -1),
          platform_(p),
          clocks_(clocks),
          refused_(refused) {
      // Else observe() does it, and where it finds no memory leaves an observer that oneTBB cannot destroy.
      arena.initialize();
      observe(true);
    }
    // A worker that is inside would not be told, and stay bound to that core for the rest of the process. It looks for
    // work for less than a millisecond; on a busy machine it may have to wait for its core first. A later worker
    // is not bound: either it sees `ends_`, or the destructor sees it in `inside_`.
    ~binder() override {
      ends_.store(true);
      const auto until = threads::clock::now() + std::chrono::seconds(1);
      while (inside_.load() > 0 && threads::clock::now() < until) threads::yield();
      observe(false);
    }

    // REQUIRES: it binds to one core.
    void move_to(int core) { only_.store(core, std::memory_order_relaxed); }

    void on_scheduler_entry(bool is_worker) override {
      if (!is_worker) return;
      thread_local bool is_named = false;  // before, it may have the name of a component, and be taken for its own
      if (!std::exchange(is_named, true)) name_this_thread("weir oneTBB");
      const int helper = tbb::this_task_arena::current_thread_index() - 1;  // slot 0 is the lane's own thread
      clocks_.enter(helper);
      if (helper < 0 || helper >= others_.size()) return refused_.store(true, std::memory_order_relaxed);
      inside_.fetch_add(1);
      if (ends_.load()) {
        inside_.fetch_sub(1);
        return;
      }
      is_bound_[static_cast<std::size_t>(helper)] = true;
      const core_set own{others_.size() == 1 ? only_.load(std::memory_order_relaxed) : others_[helper]};
      if (!platform_.bind(own) && platform_.refuses(own)) refused_.store(true, std::memory_order_relaxed);
    }
    void on_scheduler_exit(bool is_worker) override {
      if (!is_worker) return;
      const int helper = tbb::this_task_arena::current_thread_index() - 1;
      clocks_.leave(helper);
      if (helper < 0 || helper >= others_.size() || !std::exchange(is_bound_[static_cast<std::size_t>(helper)], false))
        return;
      platform_.unbind();
      inside_.fetch_sub(1);
    }

   private:
    const core_set others_;
    threads::atomic<int> only_;  // where there is one, that
    platform& platform_;
    worker_clocks& clocks_;
    threads::atomic<bool>& refused_;
    std::vector<char> is_bound_ =
        std::vector<char>(static_cast<std::size_t>(others_.size()));  // by helper, of its thread
    threads::atomic<bool> ends_{false};
    threads::atomic<int> inside_{0};  // workers; what they did to the rest comes before they are seen to have left
  };

  const float_state floats_ = float_state::now();
  tbb::task_arena arena_;
  worker_clocks clocks_;
  binder binder_;
  leftover_tasks left_;
};

}  // namespace

std::unique_ptr<pinned_arena> arena_cache::borrow(const core_lease& s) {
  if (!platform_.is_local() || s.cores.empty()) return nullptr;
  {
    const lock_guard lock(mutex_);
    std::list<idle>& kept = idle_[s.own[0]];
    const auto at = std::ranges::find_if(
        kept, [&](const idle& one) { return one.cores == s.cores && one.arena->floats().holds(); });
    if (at != kept.end()) {
      std::unique_ptr<pinned_arena> arena = std::move(at->arena);
      kept.erase(at);
      return arena;
    }
  }
  return std::make_unique<tbb_arena>(s, platform_, refused_, others_);
}

void arena_cache::give_back(const core_lease& s, std::unique_ptr<pinned_arena> arena) noexcept {
  std::list<idle> one;  // of an arena, which is destroyed without the lock
  try {
    one.push_back({s.cores, std::move(arena)});
    const lock_guard lock(mutex_);
    std::list<idle>& kept = idle_[s.own[0]];
    kept.splice(kept.begin(), one);
    if (kept.size() > most_idle) one.splice(one.begin(), kept, std::prev(kept.end()));
  } catch (const std::bad_alloc&) {  // then another is made when one is needed
  }
}

void arena_cache::clear() noexcept {
  decltype(idle_) gone;
  const lock_guard lock(mutex_);
  gone.swap(idle_);
}

// oneTBB does so in front of its end. A second handle keeps it from ending.
bool leave_onetbb() noexcept {
  if (tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized) return true;
  try {
    tbb::task_scheduler_handle keeps{tbb::attach{}}, ends{tbb::attach{}};
    tbb::finalize(ends, std::nothrow);
    keeps.release();
    return true;
  } catch (const std::exception&) {
    return false;
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
