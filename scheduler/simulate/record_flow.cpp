#include "scheduler/simulate/record_flow.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace weir::simulation {
namespace {

constexpr std::size_t rate_window = 64;  // number of recent arrivals that the rate is taken from

constexpr double memory = 1000;  // invocations after which a count weighs 1/e: runtime/statistics/traffic.cpp

[[noreturn]] void violated(const std::string& invariant) {
  throw std::logic_error("simulation: an invariant does not hold: " + invariant);
}

}  // namespace

record_flow::record_flow(const scenario& of, std::uint64_t seed)
    : scenario_(of), routes_(of, seed), counted_(routes_.links().size(), 0), stations_(of.components.size()) {
  const std::vector<link>& links = routes_.links();
  for (std::size_t k = 0; k < links.size(); ++k) {
    const link& l = links[k];
    const way w{l.to, k, l.from >= 0 && l.to >= 0 && l.to <= l.from};
    (l.from < 0 ? entries_ : stations_[static_cast<std::size_t>(l.from)].ways).push_back(w);
    if (l.to >= 0) ++stations_[static_cast<std::size_t>(l.to)].ways_in;
    is_chain_ = is_chain_ && l.records == 1 && l.from == static_cast<int>(k) - 1 &&
                (l.to == l.from + 1 || (l.to < 0 && k + 1 == links.size()));
  }
  if (of.changes_routing()) {
    kept_ = std::exp(-1 / memory);
    is_chain_ = false;
  }
  for (std::size_t i = 0; i < stations_.size(); ++i) set_width(i, 1);
  live_.reserve(of.records);
  latencies_.reserve(of.records);
}

void record_flow::arrive(double time) {
  at_source_.push_back(time);
  last_arrivals_.push_back(time);
  if (last_arrivals_.size() > rate_window) last_arrivals_.pop_front();
  source_is_dirty_ = true;
}

double record_flow::arrival_rate() const {
  if (last_arrivals_.size() < 2 || last_arrivals_.back() <= last_arrivals_.front()) return 0;
  return static_cast<double>(last_arrivals_.size() - 1) / (last_arrivals_.back() - last_arrivals_.front());
}

void record_flow::set_width(std::size_t component, int lanes) {
  station& s = stations_[component];
  const auto w = static_cast<std::size_t>(lanes);
  const auto together = static_cast<std::size_t>(scenario_.components[component].most_in_batch);
  s.window = (lanes == 1 ? 1 : 2 * w + 2) * together;
  std::size_t served = w;
  if (scenario_.components[component].second) {
    served = scenario_.most_waiting_at_device(component, lanes);
    s.window = served * together;
  }
  const std::size_t asked = scenario_.components[component].capacity;
  s.limit = asked > 0 ? asked : std::max<std::size_t>({4, 2 * w + 2, together > 1 ? together * (served + 1) : 0});
  mark(component);
  wake_blocked(s);
}

void record_flow::mark(std::size_t component) {
  if (std::exchange(stations_[component].is_dirty, true)) return;
  dirty_.push_back(static_cast<int>(component));
}

void record_flow::wake_blocked(station& s) {
  for (int who : s.blocked) {
    if (who < 0)
      source_is_dirty_ = true;
    else
      mark(static_cast<std::size_t>(who));
  }
  s.blocked.clear();
}

token record_flow::take(std::size_t component, double now) {
  station& s = stations_[component];
  const token what = s.queue.front();
  s.queue.pop_front();
  s.held.push_back({what, false});
  ++s.taken;
  s.waited += now - what.since;
  wake_blocked(s);
  return what;
}

void record_flow::finish(std::size_t component, std::uint64_t ticket) {
  station& s = stations_[component];
  if (ticket < s.gone || ticket - s.gone >= s.held.size()) violated("a record is finished once");
  held_record& h = s.held[ticket - s.gone];
  if (std::exchange(h.done, true)) violated("a record is finished once");
  mark(component);
}

int record_flow::move_records(double now) {
  for (;;) {
    if (std::exchange(source_is_dirty_, false)) admit(now);
    if (dirty_.empty()) return -1;
    const int i = dirty_.back();
    dirty_.pop_back();
    const auto component = static_cast<std::size_t>(i);
    stations_[component].is_dirty = false;
    while (flush_one(component, now)) {
    }
    return i;
  }
}

bool record_flow::wait_for_room(int who, std::size_t at) {
  if (has_room(at)) return false;
  std::vector<int>& blocked = stations_[at].blocked;
  if (std::find(blocked.begin(), blocked.end(), who) == blocked.end()) blocked.push_back(who);
  return true;
}

void record_flow::admit(double now) {
  const bool closed = scenario_.coming.how == arrivals::kind::closed;
  while (entered_ < scenario_.records && (closed || !at_source_.empty())) {
    for (const way& w : entries_)
      if (wait_for_room(-1, static_cast<std::size_t>(w.to))) return;
    while (phase_ + 1 < scenario_.phase_starts.size() && entered_ >= scenario_.phase_starts[phase_ + 1]) ++phase_;
    token t;
    t.record = static_cast<std::uint32_t>(entered_);
    t.phase = static_cast<std::uint32_t>(phase_);
    t.key = routes_.first_key(entered_);
    live_.push_back({closed ? now : at_source_.front(), static_cast<std::int32_t>(entries_.size())});
    if (!closed) at_source_.pop_front();
    ++entered_;
    tokens_ += static_cast<std::int64_t>(entries_.size());
    for (const way& w : entries_) {
      ++counted_[w.index];
      token copy = t;
      if (entries_.size() > 1) copy.key = routes_.key_on(w.index, t.key, 0);
      put(static_cast<std::size_t>(w.to), copy, now);
    }
  }
}

void record_flow::put(std::size_t component, token what, double now) {
  station& s = stations_[component];
  if (scenario_.components[component].joins && s.ways_in > 1) {
    ++s.partial_copies;
    if (++s.partials[what.record] < s.ways_in) return;
    s.partials.erase(what.record);
    s.partial_copies -= s.ways_in;
    const auto merged = static_cast<std::int32_t>(s.ways_in) - 1;
    tokens_ -= merged;
    live_[what.record].tokens -= merged;
    what.key = routes_.joined_key(component, what.record);
  }
  what.since = now;
  s.queue.push_back(what);
  mark(component);
}

// Lets the oldest record of a component leave when it is finished and there is space. Outputs that have already left
// stay counted when there is none.
bool record_flow::flush_one(std::size_t component, double now) {
  station& s = stations_[component];
  if (s.held.empty() || !s.held.front().done) return false;
  const token what = s.held.front().what;
  for (; s.next_way < s.ways.size(); ++s.next_way, s.copies_left = -1) {
    const way& w = s.ways[s.next_way];
    if (s.copies_left < 0) s.copies_left = routes_.copies_on(w.index, what);
    for (; s.copies_left > 0; --s.copies_left) {
      if (w.to >= 0) {
        const auto to = static_cast<std::size_t>(w.to);
        if (!w.back && wait_for_room(static_cast<int>(component), to)) return false;
        token copy = what;
        copy.key = routes_.key_on(w.index, what.key, s.copies_left);
        ++tokens_;
        ++live_[what.record].tokens;
        put(to, copy, now);
      }
      ++counted_[w.index];
    }
  }
  s.next_way = 0;
  s.copies_left = -1;
  s.held.pop_front();
  ++s.gone;
  s.counted = (s.counted + 1) * kept_;
  for (const way& w : s.ways) counted_[w.index] *= kept_;
  leave(what.record, now);
  return true;
}

void record_flow::leave(std::uint32_t record, double now) {
  --tokens_;
  live_record& r = live_[record];
  --r.tokens;
  if (r.tokens < 0) violated("no record leaves twice");
  if (r.tokens > 0) return;
  if (is_chain_ && record != next_to_leave_) violated("records leave a chain in the order in which they entered");
  ++next_to_leave_;
  latencies_.push_back(now - r.since);
  last_left_ = now;
}

std::vector<link> record_flow::sent() const {
  std::vector<link> each = routes_.links();
  for (std::size_t k = 0; k < each.size(); ++k) {
    if (each[k].from < 0) continue;
    const auto from = static_cast<std::size_t>(each[k].from);
    if (stations_[from].gone > 0) each[k].records = counted_[k] / stations_[from].counted;
  }
  return each;
}

void record_flow::check_tokens() const {
  std::int64_t here = 0;
  for (const station& s : stations_)
    here += static_cast<std::int64_t>(s.queue.size() + s.held.size() + s.partial_copies);
  if (here != tokens_) violated("records in are records out and records that wait");
}

void record_flow::check_records() const {
  check_tokens();
  for (const live_record& r : live_)
    if (r.tokens != 0) violated("at the end every record has left");
  if (tokens_ != 0 || left() != entered_) violated("at the end every record has left");
}

void record_flow::refuse_standstill() const {
  std::string where;
  for (std::size_t i = 0; i < stations_.size(); ++i) {
    const station& s = stations_[i];
    const std::size_t n = s.queue.size() + s.held.size() + s.partial_copies;
    if (n == 0) continue;
    where += (where.empty() ? "" : ", ") + std::to_string(n) + " at \"" + scenario_.components[i].name + "\"";
  }
  throw std::invalid_argument("after " + std::to_string(left()) + " of " + std::to_string(scenario_.records) +
                              " records nothing moves any more; records wait: " + (where.empty() ? "none" : where));
}

}  // namespace weir::simulation
