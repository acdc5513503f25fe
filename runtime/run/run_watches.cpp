#include "runtime/run/run_watches.hpp"

#include <cstdint>
#include <new>

#include "runtime/statistics/traffic.hpp"

namespace weir::detail {

run_watches::run_watches(run_environment& run, const unfolded& net, const options& how, bool takes_input,
                         const run_input& in, const results& out, const placing& places, const control_loop& control,
                         learning& learnt, messenger& messages)
    : run_(run),
      net_(net),
      takes_input_(takes_input),
      tells_observations_(how.on_observation),
      input_(in),
      results_(out),
      control_(control),
      messages_(messages),
      hangs_(run, how.watchdog, learnt, messages),
      threads_(run, net, places, learnt, messages),
      history_(how.policy.goal().demand()),
      stalls_(run, net, out),
      progress_(how.progress) {}

bool run_watches::check(const process_threads& threads, const std::function<run_report()>& report) {
  threads_.check(threads);
  keep_history();
  if (progress_.is_due(run_.life.time())) progress_.log(report());
  const stall_watch::sight seen = stalls_.check(known());
  for (const std::string& one : seen.to_log) messages_.put(one);
  return hangs_.check() || seen.is_undecided;
}

stall_watch::facts run_watches::known() const {
  return {input_.sent(), takes_input_, tells_observations_ && messages_.is_behind()};
}

// Without memory the row comes later.
void run_watches::keep_history() noexcept try {
  const double now = run_.life.time();
  if (run_.life.is_over() || !history_.is_due(now)) return;
  std::uint64_t waiting = 0;
  for (const auto& s : net_.entities)
    if (s->own_region)
      waiting +=
          s->own_region->in().in_stream() + (s->own_region->unbounded() ? s->own_region->unbounded()->size() : 0);
  const ends_count ends = ends_of(net_);
  history_.take({.time = now,
                 .sent = input_.sent(),
                 .results = results_.pushed(),
                 .failed = run_.errors.failed(),
                 .predicted = control_.throughput(),
                 .waiting = waiting,
                 .foreign = run_.cores.others().latest(),
                 .emitted = ends.emitted,
                 .ended = ends.ended,
                 .held_back = held_back(net_, run_)},
                run_.latency);
} catch (const std::bad_alloc&) {
}

}  // namespace weir::detail
