#include "runtime/engine/run_environment.hpp"

#include <exception>
#include <new>
#include <utility>

#include "runtime/record/cut_text.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/streams/error_site.hpp"
#include "runtime/streams/order.hpp"
#include "runtime/streams/record_context.hpp"

namespace weir::detail {

run_environment::run_environment(run_owner& owner, machine_state& on, run_settings s, std::size_t failures_kept,
                                 std::size_t failed_records_kept, failure no_memory)
    : run(owner),
      platform(on.platform()),
      settings(std::move(s)),
      errors(failures_kept, failed_records_kept, std::move(no_memory)),
      life(platform, owner),
      cores(on, life.boxes().get_token()),
      monitor(life, owner, settings.monitors, settings.record_bytes),
      in_flight(settings.max_in_flight, settings.max_bytes_in_flight),
      trace(life, settings.trace),
      placing(owner),
      workers(platform, life, owner) {
  count_records_in_context();
}

void run_environment::lacks_threads(const std::string& group_name) noexcept {
  try {
    errors.end_by({failure_kind::no_thread, "", group_name, "", "no thread could be started to run it"});
    run.end_soon();
  } catch (const std::bad_alloc&) {
    out_of_memory();
  }
}

void run_environment::record_failed(failure_kind kind, const error_site& at, record_body* r,
                                    std::string_view cause) noexcept {
  failure f;
  f.kind = kind;
  f.rank = settings.rank;
  try {
    f.path = at.path(*r);
    f.entity = at.name();
    f.cause = cause;
  } catch (const std::bad_alloc&) {
  }
  record_failed(std::move(f), r, true);
}

void run_environment::record_failed(failure f, record_body* r, bool here) noexcept {
  if (f.cause.empty()) f.cause = "out of memory";  // short enough to need no memory
  order_slot* around_all = r->order;
  while (around_all && around_all->outer()) around_all = around_all->outer();
  if (around_all && around_all->listener().takes(f, *r, *around_all)) {
    if (here) errors.told_home();
    return drop_body(r);
  }
  try {
    f.record = cut_text(*r);
  } catch (...) {  // a field's own << threw: the failure is reported without the record. Or there is no memory
    stop_forced_unwind();
  }
  leave_context(*r);
  if (record whole = record::adopt(r); errors.keeps_records()) try {
      f.as_record = std::make_shared<const record>(std::move(whole));
    } catch (const std::bad_alloc&) {  // it is let go
    }
  if (trace.is_on())
    trace.add([&]() -> trace_event {
      return {.kind = trace_kind::error,
              .start = life.since_start(),
              .core = run_cores::core_here(),
              .entity = f.entity,
              .path = f.path,
              .detail = f.cause};
    });
  errors.add(f, here);
  if (!settings.stops_on_error) return;
  errors.end_by(std::move(f));
  run.stop();
}

void run_environment::end_by(failure_kind kind, const error_site& at, const record_body& r,
                             std::string_view cause) noexcept {
  try {
    errors.end_by({kind, at.path(r), at.name(), cut_text(r), std::string(cause), nullptr, settings.rank});
  } catch (...) {  // a field's own << threw, or there is no memory
    stop_forced_unwind();
    errors.end_without_memory();
  }
  run.stop();
}

void run_environment::check_thread_state(worker& w, const std::string& box, double now) noexcept {
  constexpr double between_looks = 1e-3;  // seconds, of which a look takes a thousandth
  if (!w.thread.is_known()) return;
  w.next_state_check = now + between_looks;
  unsigned changed = w.thread.put_back();
  if (changed == 0) return;
  try {
    if ((changed & thread_state::cores) && cores.is_moved_by_system(w.bound)) {
      changed &= ~unsigned{thread_state::cores};
      w.thread.remember_cores();  // until it is bound anew
    }
    if (changed == 0) return;
    const bool is_bound = (changed & thread_state::cores) != 0;
    run.note((box.empty() ? "a box" : "box " + visible_text(box, false)) + " has left its thread with " +
             thread_state::in_words(changed) +
             (is_bound
                  ? "; the thread was bound anew. Libraries bind the thread that calls them, and so does the first "
                    "parallel region of OpenMP under OMP_PROC_BIND"
                  : "; this was put back"));
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace weir::detail
