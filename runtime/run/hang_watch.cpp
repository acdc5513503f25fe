#include "runtime/run/hang_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/entities/box_entity.hpp"

namespace weir::detail {

// Describes an invocation that has not changed for `seconds`; nothing when it does not hang. Under learning_'s lock.
std::optional<hang> hang_watch::judge(const at_work::sight& seen, double seconds) const {
  const auto* const box = dynamic_cast<const box_entity*>(seen.at);
  hang h;
  h.component = seen.at->name();
  const double together = seen.timed.at ? seen.timed.records : 1;
  h.seconds = seconds;
  double most = std::numeric_limits<double>::quiet_NaN();  // seconds that were to be expected
  if (seen.timed.at) {
    h.path = seen.path;
    h.record = seen.record;
    h.x = box->component.spec->predict ? seen.timed.x : h.x;
    h.cores = seen.timed.cores;
    const bool is_of_several = box->component.predictors.are_several();  // then the whole x is not known here
    if (is_of_several && box->component.learnt->observed() > 0) {
      h.expected = box->component.learnt->mean_seconds() * together;
      most = 3 * h.expected;
    } else if (is_usable_x(seen.timed.x)) {
      const prediction p = box->component.learnt->model().predict(seen.timed.x, h.cores);
      h.expected = p.mean * together;
      most = (p.mean + 2 * std::min(p.spread, p.mean)) * together;
    }
  } else {
    h.path = seen.at->path_pattern();
    if (box && box->component.learnt->observed() > 0)
      h.expected = most = box->component.learnt->mean_seconds() * together;
  }
  const double limit = std::max(when_.at_least, std::isfinite(most) ? when_.times * most : when_.unknown);
  return seconds >= limit ? std::optional(std::move(h)) : std::nullopt;
}

bool hang_watch::check() {
  if (std::isinf(when_.at_least)) return false;
  struct suspect {
    worker* w;
    at_work::sight seen;
    double seconds;
  };
  bool busy = false;
  std::vector<suspect> suspects;
  run_.workers.each([&](worker& w) {
    auto& before = w.doing.watched;
    at_work::sight seen = w.doing.read();
    const double moment = run_.life.now();
    busy = busy || seen.at || seen.step != before.step;
    if (!seen.at || seen.at != before.at || seen.step != before.step)
      before = {seen.at, seen.step, seen.timed.at && seen.timed.step == seen.step ? seen.timed.since : moment, false};
    const auto* const box = dynamic_cast<const box_entity*>(seen.at);
    if (!seen.at || (box && box->component.spec->initialiser)) return;
    const double seconds = moment - before.since;
    if (seconds >= when_.at_least) suspects.push_back({&w, std::move(seen), seconds});
  });
  std::vector<hang> hanging, fresh;
  if (!suspects.empty()) {
    const lock_guard lock(learning_.lock());
    learning_.absorb_all();
    for (suspect& s : suspects)
      if (std::optional<hang> h = judge(s.seen, s.seconds)) {
        if (!std::exchange(s.w->doing.watched.hangs, true)) fresh.push_back(*h);
        hanging.push_back(std::move(*h));
      }
  }
  {
    const lock_guard lock(mutex_);
    hanging_.swap(hanging);
    ever_ += fresh.size();
  }
  for (hang& h : fresh) {
    messages_.put(to_string(h));
    if (when_.on_hang) messages_.put(std::move(h));
  }
  return busy;
}

void hang_watch::forget() {
  const lock_guard lock(mutex_);
  hanging_.clear();
}

}  // namespace weir::detail
