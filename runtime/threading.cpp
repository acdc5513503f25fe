#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "runtime/run_state.hpp"

// The threads of a run: who is started, where it is bound, how it waits.
namespace weir::detail {

namespace {
thread_local int seat_core = -1;
}  // namespace

int run_state::core_here() { return seat_core; }

void run_state::refuse_own_threads(const char* call) const {
  if (inside_call::of(this))
    throw std::logic_error(
        std::string(call) +
        ": called from a box or callback of the same run, which would wait for itself; use feedback, or try_send");
  for (const observer* o : net_stages_.observers)
    if (inside_call::of(o))
      throw std::logic_error(
          std::string(call) +
          ": called from a function of observe() that this run calls as well, one call at a time: it "
          "would wait for itself");
}

void run_state::list(region& r) noexcept {
  begin_work();
  while (!r.home.load()->enqueue(r)) {
  }
}

void run_state::wait_for_room(worker& w, channel& full, const stage& box, const record_body& input) {
  const blocked_writer me(*this, full);
  if (has_threads()) {
    // Changing threads takes two wake-ups, and the seat would be kept by the other until it is through anyway.
    if (auto* const behind = dynamic_cast<region*>(&full)) {
      while (!full.has_room() && !is_stopping() && behind->help(w)) {
      }
      behind->await_room(w);
    }
    if (full.has_room() || is_stopping()) return;
    wait_off_seat(w, box, input, "the stream behind it was full",
                  [&] { full.room.wait([&] { return full.has_room() || is_stopping(); }); });
  } else {
    while (!full.has_room() && !is_stopping())
      if (!help()) throw std::logic_error("a box emits into a full stream and nothing else can run");
  }
}

void run_state::wait_until_released(worker& w, region& held, const stage& box, const record_body& input) {
  if (has_threads()) {
    wait_off_seat(w, box, input, "what is behind it changes its place", [&] { held.wait_for_release(); });
  } else {
    while (held.is_held() && !is_stopping())
      if (!help()) throw std::logic_error("a box emits into a region that is held and nothing else can run");
  }
}

void run_state::held_back(const worker& w, const stage& box, const record_body& input, const char* why,
                          double since) const noexcept {
  const double until = now() - started_at_;
  const int core = w.sitting->first_core();
  trace([&]() -> trace_event {
    return {trace_kind::block, since, until - since, core, 0, 0, 0, box.name(), box.path(input), why};
  });
  if (is_stopping()) return;
  trace(
      [&]() -> trace_event { return {trace_kind::unblock, until, 0, core, 0, 0, 0, box.name(), box.path(input), ""}; });
}

namespace {

// So that what is put in next is not asked for memory.
template <class T>
void make_room(std::vector<T>& in) {
  if (in.size() == in.capacity()) in.reserve(2 * in.size() + 1);
}

}  // namespace

bool run_state::start_worker(group& home, int core) noexcept {
  const lock_guard lock(workers_mutex_);
  if (is_stopping()) return false;
  const auto refused = [this](const std::exception& e) {
    try {
      note(std::string("a thread could not be started: ") + e.what());
    } catch (const std::bad_alloc&) {
    }
    return false;
  };
  try {
    make_room(threads_);
    make_room(workers_);
    auto w = std::make_unique<worker>(*this);
    w->home = &home;
    w->last_core = core;
    threads_.push_back(platform_.start_thread([this, &home, raw = w.get()] {
      const inside_call now(this);
      const working_as it(*raw);
      home.work(*raw);
      // A thread that ends asks libraries to forget it, which may be ending themselves.
      if (process::is_exiting()) may_end_.wait(false);
    }));
    workers_.push_back(std::move(w));
    return true;
  } catch (const std::system_error& e) {
    return refused(e);
  } catch (const std::bad_alloc& e) {
    return refused(e);
  }
}

void run_state::fail_to_start(const std::string& group_name) noexcept {
  try {
    failures_.end_by({failure_kind::no_thread, "", group_name, "", "no thread could be started to run it"});
    end_soon();
  } catch (const std::bad_alloc&) {
    out_of_memory();
  }
}

void run_state::bind(worker& w, const seat& s, bool to_lane) {
  const core_set& to = to_lane ? s.cores : s.own;
  w.last_core = s.own_core();
  seat_core = s.first_core();
  if (w.bound == to || to.empty()) return;
  w.bound = to;
  if (!platform_.bind(to)) machine_->binding_refused().store(true, std::memory_order_relaxed);
}

grant run_state::grant_over(const core_set& cores) const {
  std::vector<int> units;
  if (platform_.is_local())
    for (const int core : cores)
      for (const int unit : (*machine_->cores())[core].os_units) units.push_back(unit);
  return grant(std::max(1, cores.size()), std::move(units), ending_.get_token());
}

}  // namespace weir::detail
