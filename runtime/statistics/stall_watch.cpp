#include "runtime/statistics/stall_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/entities/gather_entity.hpp"
#include "runtime/entities/order_entities.hpp"
#include "runtime/entities/sync_entity.hpp"
#include "runtime/statistics/traffic.hpp"

namespace weir::detail {
namespace {

constexpr std::size_t most_of_a_kind = 8;  // sentences: a report is for reading

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string at(const std::string& path) { return path.empty() ? path : " at " + path; }

}  // namespace

// Records that moved from a stream on.
std::uint64_t stall_watch::moved() const {
  std::uint64_t sum = 0;
  for (const auto& s : net_.entities)
    if (s->own_region)
      sum += s->own_region->inlet().popped() + (s->own_region->unbounded() ? s->own_region->unbounded()->popped() : 0);
  return sum;
}

// Seconds since the last progress that was seen. The streams, which may be thousands, are read only where nothing else
// has changed.
double stall_watch::without_progress(const facts& known) {
  progress now{known.sent, results_.pushed(), results_.waiting(), run_.errors.failed(), 0};
  run_.workers.each([&](const worker& w) { now.steps += w.doing.steps(); });
  const double time = run_.life.since_start();
  const lock_guard lock(mutex_);
  std::optional<std::uint64_t> moved_now;
  if (now == last_) moved_now = moved();
  if (!moved_now || (moved_ && moved_ != moved_now)) since_ = time;
  moved_ = moved_now;
  last_ = now;
  return time - since_;
}

stall_watch::sight stall_watch::check(const facts& known) {
  const double seconds = without_progress(known), time = run_.life.since_start();
  sight seen;
  if (seconds < limit && logged_at_)
    seen.to_log.push_back(fmt::format("progress again, {:.1f} s after the log said that there was none",
                                      time - *std::exchange(logged_at_, std::nullopt)));
  if (run_.life.has_drained()) return seen;
  seen.is_undecided = seconds < limit;
  if (seen.is_undecided) return seen;
  const std::vector<cause> all = causes(known, seconds);
  for (call_entity* const call : net_.calls) call->ask_for_credit();
  for (hosted_entry_entity* const part : net_.hosted) part->homes().ask_for_credit();
  if (logged_.empty() && !all.empty()) logged_at_ = time;
  for (const cause& c : all)
    if (logged_.insert(c.what).second) seen.to_log.push_back("no progress: " + c.text);
  return seen;
}

std::vector<std::string> stall_watch::waits_for(const facts& known) {
  const double seconds = without_progress(known);
  std::vector<std::string> texts;
  if (seconds < limit || run_.life.has_drained()) return texts;
  for (cause& c : causes(known, seconds)) texts.push_back(std::move(c.text));
  return texts;
}

// Lists root causes; their consequences only if there is no root cause.
std::vector<stall_watch::cause> stall_watch::causes(const facts& known, double seconds) const {
  std::vector<cause> all;
  add_invocations(seconds, all);
  if (run_.life.is_stopping()) return all;
  if (known.callbacks_are_behind)
    all.push_back({kind::callbacks, "boxes wait until options.on_observation has returned"});
  const int let_in_later = run_.in_flight.blocked.writers();
  if (!results_.has_room() || (let_in_later > 0 && results_.waiting() > 0))
    all.push_back({kind::results, fmt::format("{} wait to be read, and no thread has read any for {:.0f} s",
                                              counted(results_.waiting(), "result"), seconds)});
  if (let_in_later > 0)
    all.push_back({kind::limit,
                   fmt::format("{} or initialiser{} wait{} to enter: {} in flight, as many as allowed",
                               counted(static_cast<std::size_t>(let_in_later), "sender"), let_in_later == 1 ? "" : "s",
                               let_in_later == 1 ? "s" : "", counted(run_.in_flight.seen().records, "record"))});
  add_full_streams(all);
  const bool is_busy = !all.empty();
  add_held(all);
  add_credit(all);
  if (all.empty()) add_waiting(all);
  if (all.empty() && run_.life.has_work())
    all.push_back(
        {kind::stream, "a record is at work outside of boxes: in a predictor, a callback or a destructor of a value"});
  if (is_busy || run_.life.has_work() || !known.takes_input || run_.life.is_closed()) return all;
  all.push_back({kind::input, known.sent == 0
                                  ? fmt::format("input: no record was sent for {:.0f} s, and it is still open", seconds)
                                  : fmt::format("input: {} sent, none for {:.0f} s, and it is still open",
                                                counted(known.sent, "record"), seconds)});
  return all;
}

void stall_watch::add_invocations(double seconds, std::vector<cause>& to) const {
  std::size_t more = 0;
  run_.workers.each([&](const worker& w) {
    const at_work::sight seen = w.doing.read();
    if (!seen.at) return;
    if (to.size() == most_of_a_kind) return void(++more);
    const bool is_timed = seen.timed.at, has_emitted = is_timed && seen.timed.step != seen.step;
    to.push_back(
        {kind::invocation, fmt::format("{}{} has been running for {:.1f} s{}{}", seen.at->name(),
                                       at(is_timed ? seen.path : seen.at->path_pattern()),
                                       is_timed && !has_emitted ? run_.life.now() - seen.timed.since : seconds,
                                       has_emitted ? " since it last emitted" : "",
                                       seen.record.empty() || seen.record == "{}" ? "" : "; record " + seen.record)});
  });
  if (more > 0) to.push_back({kind::invocation, counted(more, "other invocation") + " as well"});
}

void stall_watch::add_full_streams(std::vector<cause>& to) const {
  std::size_t listed = 0;
  for (const auto& s : net_.entities) {
    if (s->is_fused() || !s->own_region) continue;
    const bool is_exit = dynamic_cast<const order_exit_entity*>(s.get());  // its outputs are in the unbounded inlet
    const int writers = (is_exit ? s->inlet() : *s->own_region).blocked.writers();
    if (writers == 0 || listed == most_of_a_kind) continue;
    ++listed;
    const stream& in = s->own_region->inlet();
    const std::size_t waiting = is_exit ? s->own_region->unbounded()->size() : in.size();
    const bool is_first = s.get() == net_.first();
    const std::string before = writers_of(*s), input = before.empty() ? "input" : before;
    const std::string who = is_first ? counted(static_cast<std::size_t>(writers), "sender") : input;
    to.push_back(
        {is_first ? kind::sender : kind::emission,
         fmt::format("{} wait{} for room in the stream {} -> {} ({} of {})", who, is_first && writers > 1 ? "" : "s",
                     input, s->name(), waiting, counted(in.limit(), "record"))});
  }
}

void stall_watch::add_held(std::vector<cause>& to) const {
  const auto add = [&](kind what, const entity& s, std::size_t count, const char* why) {
    if (count == 0) return;
    if (std::ranges::count(to, what, &cause::what) >= static_cast<std::ptrdiff_t>(most_of_a_kind)) return;
    to.push_back({what, fmt::format("{}{} {} {} {}", s.name(), at(s.path_pattern()),
                                    what == kind::loop ? "has" : "holds", counted(count, "record"), why)});
  };
  for (const auto& s : net_.entities)
    if (const auto* const sync = dynamic_cast<const sync_entity*>(s.get()))
      add(kind::synchrocell, *s, sync->held(), "until records for its other patterns arrive");
  for (const auto& s : net_.entities)
    if (const auto* const gather = dynamic_cast<const gather_entity*>(s.get()))
      add(kind::synchrocell, *s, gather->held(), "until its batch is full or the input ends");
  for (const order_exit_entity* const exit : net_.order_exits)
    add(kind::order, *exit, exit->waiting(), "until what earlier inputs cause has left");
  for (const call_entity* const call : net_.calls)
    add(kind::rank, *call, call->waiting(), "until another rank has answered");
  for (const auto& s : net_.entities)
    if (s->own_region && s->own_region->unbounded() && !dynamic_cast<const order_exit_entity*>(s.get()))
      add(kind::loop, *s, s->own_region->unbounded()->size(), "that are to enter it again");
}

// Records that are to go to other ranks.
void stall_watch::add_credit(std::vector<cause>& to) const {
  const auto add = [&](const entity& s, const std::vector<int>& ranks) {
    for (const int rank : ranks)
      to.push_back({kind::credit, fmt::format("{}{} waits for credit of rank {}: as many records as allowed are "
                                              "on their way there",
                                              s.name(), at(s.path_pattern()), rank)});
  };
  for (const call_entity* const call : net_.calls) add(*call, call->without_credit());
  for (const hosted_entry_entity* const part : net_.hosted) add(part->exit(), part->homes().without_credit());
}

void stall_watch::add_waiting(std::vector<cause>& to) const {
  for (const auto& s : net_.entities) {
    if (!s->own_region || to.size() == most_of_a_kind) continue;
    if (const std::size_t waiting = s->own_region->pending())
      to.push_back({kind::stream, fmt::format("{}{} has {} in front of it, and no thread runs it", s->name(),
                                              at(s->path_pattern()), counted(waiting, "record"))});
  }
}

}  // namespace weir::detail
