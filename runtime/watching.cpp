#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/run_state.hpp"
#include "runtime/thrown.hpp"

// Which invocations hang.
namespace weir {

std::string to_string(const hang& h) {
  std::string text =
      fmt::format("{}{} has been running for {:.3g} s", h.component, h.path.empty() ? "" : " at " + h.path, h.seconds);
  if (!std::isnan(h.x)) text += fmt::format(" at x = {:.6g}", h.x);
  if (h.cores > 0) text += fmt::format(" on {} core{}", h.cores, h.cores == 1 ? "" : "s");
  return text + (std::isnan(h.expected) ? "; nothing is known of it yet"
                                        : fmt::format("; {:.3g} s were expected", h.expected));
}

namespace detail {

at_work::sight at_work::look() const {
  sight seen;
  const short_lock lock(taken_);
  seen.step = steps_.load(std::memory_order_relaxed);
  seen.at = at_.load(std::memory_order_relaxed);
  if (!seen.at || timed_.at != seen.at) return seen;
  seen.timed = timed_;
  seen.path = seen.at->path(*timed_.input);
  return seen;
}

// What is known of an invocation that is as it was for so long; nothing when it does not hang. Under learning_.
std::optional<hang> run_state::judge(const at_work::sight& seen, double seconds) const {
  const watchdog& when = options_.watchdog;
  const auto* const box = dynamic_cast<const box_stage*>(seen.at);
  hang h;
  h.component = seen.at->name();
  h.seconds = seconds;
  double most = std::numeric_limits<double>::quiet_NaN();  // seconds that were to be expected
  if (seen.timed.at) {
    h.path = seen.path;
    h.x = box->component.spec->predict ? seen.timed.x : h.x;
    h.cores = seen.timed.cores;
    const prediction p = box->component.learnt->model().predict(seen.timed.x, h.cores);
    h.expected = p.mean;
    most = p.mean + 2 * std::min(p.spread, p.mean);
  } else {
    h.path = seen.at->path_pattern();
    if (box && box->component.learnt->observed() > 0) h.expected = most = box->component.learnt->mean_seconds();
  }
  const double limit = std::max(when.at_least, std::isfinite(most) ? when.times * most : when.unknown);
  return seconds >= limit ? std::optional(std::move(h)) : std::nullopt;
}

bool run_state::look_for_hangs() {
  if (std::isinf(options_.watchdog.at_least)) return false;
  struct suspect {
    worker* w;
    at_work::sight seen;
    double seconds;
  };
  bool busy = false;
  std::vector<suspect> suspects;
  {
    const lock_guard lock(workers_mutex_);
    const auto look_at = [&](worker& w) {
      auto& before = w.doing.watched;
      at_work::sight seen = w.doing.look();
      const double moment = now();
      busy = busy || seen.at || seen.step != before.step;
      if (!seen.at || seen.at != before.at || seen.step != before.step)
        before = {seen.at, seen.step, seen.timed.at && seen.timed.step == seen.step ? seen.timed.since : moment, false};
      const auto* const box = dynamic_cast<const box_stage*>(seen.at);
      if (!seen.at || (box && box->component.spec->initialiser)) return;
      const double seconds = moment - before.since;
      if (seconds >= options_.watchdog.at_least) suspects.push_back({&w, std::move(seen), seconds});
    };
    for (auto& w : workers_) look_at(*w);
    look_at(*helper_);
  }
  std::vector<hang> hanging, fresh;
  if (!suspects.empty()) {
    const lock_guard lock(learning_);
    absorb_all();
    for (suspect& s : suspects)
      if (std::optional<hang> h = judge(s.seen, s.seconds)) {
        if (!std::exchange(s.w->doing.watched.hangs, true)) fresh.push_back(*h);
        hanging.push_back(std::move(*h));
      }
  }
  {
    const lock_guard lock(state_mutex_);
    hanging_.swap(hanging);
    hung_ += fresh.size();
  }
  for (hang& h : fresh) {
    messages_.put(to_string(h));
    if (options_.watchdog.on_hang) messages_.put(std::move(h));
  }
  return busy;
}

}  // namespace detail
}  // namespace weir
