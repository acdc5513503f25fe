#include "runtime/engine/timeline.hpp"

#include "runtime/machine/run_cores.hpp"
#include "runtime/streams/error_site.hpp"
#include "runtime/streams/scope.hpp"

namespace weir::detail {

void timeline::scope_event(trace_kind kind, const error_site& at, const scope& which, const char* mark) const noexcept {
  if (!is_on()) return;
  add([&]() -> trace_event {
    return {.kind = kind,
            .start = life_.since_start(),
            .core = run_cores::core_here(),
            .entity = at.name(),
            .path = which.path(at.path_pattern() + mark),
            .detail = ""};
  });
}

void timeline::unfolded(const error_site& at, const scope& fresh, const char* mark) {
  unfolded_.fetch_add(1, std::memory_order_relaxed);
  scope_event(trace_kind::unfold, at, fresh, mark);
}

void timeline::removed(const error_site& at, const scope& gone, const char* mark) {
  removed_.fetch_add(1, std::memory_order_relaxed);
  scope_event(trace_kind::remove, at, gone, mark);
}

void timeline::held_back(int core, const error_site& box, const record_body& input, const char* why,
                         double since) const noexcept {
  const double until = life_.since_start();
  const auto event = [&](trace_kind kind, double start, double seconds, const char* detail) {
    add([&]() -> trace_event {
      return {.kind = kind,
              .start = start,
              .seconds = seconds,
              .core = core,
              .entity = box.name(),
              .path = box.path(input),
              .detail = detail};
    });
  };
  event(trace_kind::block, since, until - since, why);
  if (!life_.is_stopping()) event(trace_kind::unblock, until, 0, "");
}

}  // namespace weir::detail
