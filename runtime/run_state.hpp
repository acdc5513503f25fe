#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/component_state.hpp"
#include "runtime/execution.hpp"
#include "runtime/failures.hpp"
#include "runtime/group.hpp"
#include "runtime/latency_probe.hpp"
#include "runtime/locks.hpp"
#include "runtime/machine_state.hpp"
#include "runtime/messenger.hpp"
#include "runtime/process.hpp"
#include "runtime/results.hpp"
#include "runtime/stage.hpp"
#include "runtime/this_thread.hpp"
#include "runtime/thread_identity.hpp"
#include "runtime/traffic.hpp"
#include "runtime/unfold.hpp"
#include "runtime/worker.hpp"
#include "scheduler/controller.hpp"

namespace weir::detail {

// One running network: what an execution hides. Split by job over several files:
//   run_state.cpp  beginning, input, results               threading.cpp  the threads of the run and how they wait
//   placing.cpp    an allotment becomes seats and fusion    learning.cpp   observations become models and decisions
//   reporting.cpp  what it all came to                     watching.cpp   which invocations hang
//   ending.cpp     errors, and the end
//
// The order of its locks, and of all others, is that of runtime/locks.hpp.
class run_state {
 public:
  run_state(const network& net, options o);
  ~run_state();
  run_state(const run_state&) = delete;

  // ---- the caller's side ----
  void send(record r);
  bool try_send(const record& r);
  void close();
  bool next(record& into);
  void wait();
  void stop() noexcept;
  std::vector<failure> errors() const { return failures_.kept(); }
  std::vector<failure> take_errors() { return failures_.take(); }
  run_report report();
  prediction predict(const std::string& component, double x, int cores);
  std::map<std::string, saved_model> models();

  // ---- for regions, stages and groups ----
  double now() const { return platform_.now(); }
  double started_at() const { return started_at_; }
  // Seconds since the start; it stands still when the run has ended.
  double time() const {
    const double ended = ended_at_.load(std::memory_order_relaxed);
    return (ended > 0 ? ended : now()) - started_at_;
  }
  const platform& outside() const { return platform_; }
  // Of short boxes the worker times no more than some hundred records a second, of which a model learns as much as of
  // more.
  bool may_time_short(worker& w) const {
    constexpr double pause = 2e-3;  // seconds
    const double time = now();
    if (time < w.times_next) return false;
    w.times_next = time + pause;
    return true;
  }
  bool learns_cpu_time() const { return options_.learn_from == measured_time::cpu; }
  bool has_threads() const { return platform_.has_threads(); }
  int current_core() const noexcept { return platform_.current_core(); }  // on which the caller runs now; -1: not known
  // relaxed: a glance, for who looks again; those that sleep are woken under the locks under which they look.
  bool is_stopping() const { return stopping_.load(std::memory_order_relaxed); }
  const std::atomic<bool>& stopping_flag() const { return stopping_; }
  core_ledger& ledger() { return machine_->ledger(); }
  arena_cache& arenas() { return machine_->arenas(); }

  // Puts a region on its home's list: work, until the worker that takes it off turns away.
  void list(region& r) noexcept;
  bool is_closed() const { return closed_.load(std::memory_order_relaxed); }

  // Work in the run: what is listed, runs, or is kept for later. The run has drained when it is closed and there is
  // none.
  // seq_cst: close() sets closed_ and then gives up its own work, whoever gives up work looks at closed_ afterwards, and
  // a sender begins work before it looks: one of them sees the other. Work is looked at once more when it is seen to be
  // closed: between the two looks more may have been sent, and the input closed only then. tests/concurrency has a
  // model of this.
  void begin_work() { work_.fetch_add(1, std::memory_order_seq_cst); }
  void finish_work() {
    if (work_.fetch_sub(1, std::memory_order_seq_cst) == 1 && closed_.load(std::memory_order_seq_cst) &&
        work_.load(std::memory_order_seq_cst) == 0)
      drained();
  }

  // Waits inside an invocation of the box, for this record: another thread takes the seat meanwhile.
  void wait_for_room(worker& w, channel& full, const stage& box, const record_body& input);
  void wait_until_released(worker& w, region& held, const stage& box, const record_body& input);
  template <class Wait>
  void wait_off_seat(worker& w, const stage& box, const record_body& input, const char* why, Wait wait) {
    const double since = traces() ? now() - started_at_ : 0;
    w.doing.leave();
    {
      const off_cores meanwhile;
      wait();
    }
    if (traces()) held_back(w, box, input, why, since);
  }

  // ---- for streams that are watched: option monitor ----
  bool monitors() const { return options_.monitor; }
  bool measures_bytes() const { return options_.monitor && options_.record_bytes; }
  double bytes_of(record_body* r) noexcept;  // NaN: the size function threw
  // A writer begins to wait since the stream is full, and no longer does.
  void blocked_from_now(channel& full) const {
    if (monitors()) full.blocked.begin(time());
  }
  void no_longer_blocked(channel& full) const {
    if (monitors()) full.blocked.end(time());
  }
  // For as long as this lives.
  struct blocked_writer {
    const run_state& run;
    channel& full;
    blocked_writer(const run_state& r, channel& c) : run(r), full(c) { run.blocked_from_now(full); }
    ~blocked_writer() { run.no_longer_blocked(full); }
    blocked_writer(const blocked_writer&) = delete;
  };

  void observe(worker& w, const observation& o) noexcept;
  void record_failed(failure_kind kind, const stage& at, record_body* r, std::string_view cause) noexcept;

  // There is no memory for what must not be left out: the run ends with that error. From anywhere, also under locks: it
  // is stopping at once, and whoever sleeps is woken by the controller's thread.
  void out_of_memory() noexcept {
    failures_.end_without_memory();
    end_soon();
  }

  // Says it in the report and, from the run's own thread, in the log; each sentence once. From anywhere, also under
  // locks up to that of `life`. Throws std::bad_alloc.
  void note(const std::string& sentence);

  // ---- for entities with a state ----
  scope& outermost() { return *outermost_; }
  scope& scope_of(const record_body& r) { return r.where ? *r.where : *outermost_; }
  std::size_t max_held() const { return options_.max_held; }
  std::int64_t max_depth() const { return max_depth_; }
  std::size_t max_branches() const { return max_branches_; }
  // `mark` is what names the place in the path, with a star for its number.
  void unfolded(const stage& at, const scope& fresh, const char* mark);
  void removed(const stage& at, const scope& gone, const char* mark);

  // ---- for the timeline ----
  bool traces() const { return options_.trace.has_value(); }
  template <class Make>
  void trace(Make make) const noexcept {
    try {
      options_.trace->add(make());
    } catch (const std::bad_alloc&) {  // one event less
    }
  }
  void held_back(const worker& w, const stage& box, const record_body& input, const char* why,
                 double since) const noexcept;
  static int core_here();  // the first of the calling thread's seat; -1 when it has none
  void records_dropped(std::size_t count) { failures_.drop(count); }

  // A thread that will sit on this core first, if it is free; -1: on any. False when the system gives no thread.
  bool start_worker(group& home, int core) noexcept;
  void fail_to_start(const std::string& group_name) noexcept;
  void bind(worker& w, const seat& s, bool to_lane);  // else to its own core
  grant grant_over(const core_set& cores) const;
  const std::shared_ptr<seat>& whole_seat() const { return whole_seat_; }
  std::atomic<int>& seated() { return seated_; }
  std::atomic<int>& off_the_cores() { return off_the_cores_; }

  // Counts the placings that cut something off. acquire pairs with the release in place(): who sees the epoch sees what
  // was cut off by then.
  std::uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  // Carries on with a change of fusion that waits for regions to become quiet.
  void settle_if_needed() {
    if (unsettled_.load(std::memory_order_relaxed)) settle();
  }

  // ---- for the process's end ----
  // Stops it, and wakes nobody: its threads go on to their end, and rest there until they are joined.
  std::stop_source freeze() noexcept;

  // ---- for the machine ----
  const core_set& leased() const { return lease_; }
  void set_lease(core_set cores) noexcept;
  bool wants_step() const { return started_.load() && wants_step_.load(); }  // the first step is the constructor's
  void step();                                                               // learns what was observed and acts on it
  void step_or_end() noexcept;                                               // the same; without memory the run ends
  // The watchdog's look at every thread; whether any did something, or still does. By one thread at a time.
  bool look_for_hangs();
  void work_begins() { machine_->work_begins(); }  // of a thread that took its seat
  // What callbacks are to hear is told by a thread of the run's. Called by the controller's, which holds no lock.
  void see_to_messages() noexcept;
  void tell_boxes_to_stop() noexcept { ending_.request_stop(); }

 private:
  void build();
  void start_sources();
  void wind_up() noexcept;
  void drop_all() noexcept;
  bool try_push(record_body* body);
  bool visit(owned_body& mine);
  void check_fits(const record& r);
  void note_sender();
  void note_reader(bool takes_more);
  void end_with(failure f) noexcept;
  void end_soon() noexcept;
  void begin_to_stop() noexcept;  // under state_mutex_
  void drained();
  void stop_by_controller() noexcept;
  bool begin_to_wake() noexcept;  // false: who sleeps was woken before
  void wake_all() noexcept;
  void end_workers();
  void join_workers();
  bool is_over() const { return finished_.load() || stopping_.load(); }
  std::optional<hang> judge(const at_work::sight& seen, double seconds) const;
  // Throws std::logic_error in a thread that this run may wait for: before a wait that might never end.
  void refuse_own_threads(const char* call) const;
  bool help();      // unthreaded machines: the caller's thread runs something
  void tell_all();  // until callbacks have heard all that happened so far
  // Where there are no threads, callbacks hear what a call of the user's came upon when it has released its locks.
  struct telling {
    run_state& run;
    explicit telling(run_state& r) : run(r) {}
    ~telling() {
      if (!run.has_threads()) run.messages_.tell_here();
    }
    telling(const telling&) = delete;
  };

  // placing.cpp
  void apply(const allotment& a);
  void tune();   // batches and stream limits by what invocations cost
  void place();  // homes, limits and wished fusion by the allotment in force and what is short
  void set_limits();
  void settle() noexcept;  // does what of the wished fusion can be done now
  void try_to_settle();
  int width_limit(const component_state& c) const;
  int width_limit(const stage& s) const;
  using head_list = std::shared_ptr<const std::vector<stage*>>;
  std::vector<head_list> heads() const;
  head_list heads_of(stage& s, const std::vector<head_list>& of) const;
  head_list heads_before(const stage& s, const std::vector<head_list>& of) const;
  void set_limit(stage& head);
  // By head of a region: the part of its time, of `utilisation` by component, that the busiest component which it runs
  // works; NaN where none is known.
  std::vector<double> loads(const std::vector<head_list>& of, const std::vector<double>& utilisation) const;
  static std::size_t places_for(double load);  // of a stream to a reader of that load

  // learning.cpp
  void absorb(worker& w) noexcept;  // under learning_, as the next two
  void absorb_all() noexcept;
  void absorb(const observation& o);
  void look_and_move();
  bool has_observed() const;      // anything, of any component; under learning_
  bool learn_costs();             // true when a component became short, or no longer is; under learning_
  bool learn_to_spare_sources();  // true when that changed; under learning_
  system_view view();             // under learning_
  void report_network(run_report& r);
  void report_streams(run_report& r) const;
  double move_cost() const;  // seconds, on average; 0 before one was seen
  std::optional<allotment> for_no_components() const;
  std::vector<std::uint64_t> invocations() const;  // by component
  void make_models();

  const network net_;
  const options options_;
  const std::shared_ptr<machine_state> machine_;
  platform& platform_;
  double started_at_ = 0;
  std::atomic<double> ended_at_{0};
  failures failures_;

  results results_;
  latency_probe latency_{*this};
  messenger messages_;
  std::unique_ptr<stage> exit_;
  detail::unfolded net_stages_;
  std::vector<std::unique_ptr<component_state>>& components_ = net_stages_.components;
  std::vector<std::unique_ptr<stage>>& stages_ = net_stages_.stages;  // in order of the stream
  std::vector<box_stage*> boxes_;                                     // of those
  owned_scope outermost_;
  std::int64_t max_depth_ = 0;
  std::size_t max_branches_ = 0;

  // threads
  WEIR_LOCK(workers) workers_mutex_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::thread> threads_;
  std::atomic<bool> may_end_{false};  // those threads, where the process ends
  std::unique_ptr<worker> helper_;  // the caller's, on unthreaded machines; else of a sender that visits
  std::atomic<bool> visited_{false};   // by such a sender; notified when it ends
  std::atomic<int> seated_{0};         // threads that are on cores; under the ledger's lock
  std::atomic<int> off_the_cores_{0};  // those of boxes that wait, likewise
  std::shared_ptr<seat> whole_seat_;

  // life
  std::atomic<std::int64_t> work_{0};
  std::stop_source ending_;  // what grants show boxes
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  std::atomic<bool> started_{false}, closed_{false}, finished_{false}, stopping_{false};
  std::atomic<std::uint64_t> sent_{0}, unfolded_{0}, removed_{0};  // relaxed: numbers only
  per_shape<bool> accepted_;  // shapes of records that fit the input
  mutable WEIR_LOCK(life) state_mutex_;
  condition over_;
  bool was_stopped_ = false;  // those that sleep are, or are about to be, woken
  std::vector<std::string> notes_;
  std::vector<hang> hanging_;
  std::uint64_t hung_ = 0;
  std::atomic<bool> size_function_threw_{false};
  std::atomic<std::uint64_t> last_sender_{0};  // relaxed: spares the sender before the lock under which it is noted
  thread_list senders_;                        // under state_mutex_
  std::uint64_t reader_ = 0;                   // under state_mutex_

  // the reader's
  std::vector<record_body*> batch_;
  std::size_t batch_at_ = 0;
  std::uint64_t reads_ = 0;  // reader_, without the lock

  WEIR_LOCK(stepping) stepping_;  // one step at a time: the first in the constructor, then the machine's controller's

  // placing, under placing_; in_force_ is written by steps only, which may read it without
  WEIR_LOCK(placing) placing_;
  core_set lease_;  // under the machine's lock; read by step
  allotment in_force_;
  std::atomic<double> in_force_since_{0};
  std::unique_ptr<group> shared_;
  std::vector<std::unique_ptr<group>> owners_;  // by component; null until first needed
  std::atomic<std::uint64_t> epoch_{0};
  std::deque<stage*> to_fuse_;            // still, in order of the stream
  std::size_t settled_ = 0;               // stages up to the first of them, and the heads of their regions
  std::vector<head_list> settled_heads_;  //
  std::vector<int> narrowest_;            // by head: the least width of what is in its region
  std::vector<region*> held_;             // for the first of to_fuse_
  std::vector<region*> cut_from_;         // regions that something was cut off from and that were not seen quiet since
  std::atomic<bool> unsettled_{false};    // relaxed: a glance at to_fuse_, which placing_ guards
  bool spares_sources_ = false;           // no box is fused to an initialiser; under stepping_

  // learning, under learning_
  mutable WEIR_LOCK(learning) learning_;
  std::optional<traffic> traffic_;   // also under stepping_: a step may read it without
  std::vector<double> utilisation_;  // expected of each component, at the last step; under stepping_
  std::optional<controller> controller_;
  std::atomic<bool> wants_step_{false};
  std::atomic<double> next_step_at_{0};  // seconds since the start
  struct looks_so_far {
    // When the next may begin, after one that began then and took so much CPU time. `observed`: it had anything to see.
    double next(double began, double spent, bool observed);
    std::optional<double> since;  // the first that had
    double of_all = 0;            // CPU seconds of it and all since
  } looks_;                       // under stepping_
  struct {
    double of_last = 0, of_earlier = 0;  // seconds that first invocations took longer than expected, since a move
    int earlier = 0;                     // moves
    bool seen = false;                   // of the last
  } move_costs_;

  const process::with in_process_{*this};
};

}  // namespace weir::detail
