#include "runtime/placed/call_sender.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

call_sender::call_sender(entity& of, call_book& book, home_runs& here)
    : of_(of), link_(book.link), book_(book), here_(here) {
  book.inlet = this;
}

bool call_sender::has_room() const {
  if (book_.resend.is_due() || book_.branches.makes_wait() || (here_.any() && here_.room() == 0)) return false;
  return !link_.lacks_credit();
}

// Nothing: the record waits until its branch has moved. REQUIRES: it has the tag that places it.
std::optional<int> call_sender::rank_for(const record_body& r) {
  if (!link_.cut().by) return link_.cut().fars.front();
  if (!book_.branches.are_by_load()) return book_.branches.substitute_of(book_.branches.by_value(*link_.value_of(r)));
  const lock_guard lock(book_.calls_mutex);
  return book_.branches.rank_for(book_.scope_at(link_.run.scope_of(r), -1).branch);  // place() has made it
}

// Whether a record may go in one message with those in front of it, which are not under way yet.
bool call_sender::may_join(const record_body& r, int rank) {
  if (link_.cut().by && !link_.value_of(r)) return false;
  if (!book_.branches.are_by_load()) return rank_for(r) == rank;
  const lock_guard lock(book_.calls_mutex);
  return book_.branches.may_join(book_.scope_at(link_.run.scope_of(r), -1).branch, rank);
}

bool call_sender::begin_sending() {
  if (!link_.moves()) return true;
  const lock_guard lock(book_.calls_mutex);
  return book_.resend.begin_sending();
}

void call_sender::end_sending() {
  if (!link_.moves()) return;
  unique_lock lock(book_.calls_mutex);
  const bool resends = book_.resend.end_sending();
  lock.unlock();
  if (resends) resend_all();
}

std::size_t call_sender::push(record_body* const* records, std::size_t count) {
  if (!begin_sending()) return 0;
  try {
    const std::size_t sent = send(records, count);
    end_sending();
    return sent;
  } catch (...) {
    end_sending();
    throw;
  }
}

std::size_t call_sender::send(record_body* const* records, std::size_t count) {
  std::size_t i = 0;
  while (i < count) {
    if (link_.cut().by && !link_.value_of(*records[i])) {
      of_.fail(failure_kind::tag_missing, records[i++], "the record lacks the tag " + weir::to_string(*link_.cut().by));
      continue;
    }
    const std::optional<int> rank = rank_for(*records[i]);
    if (!rank || book_.resend.is_due()) return i;  // calls of a lost rank go first
    std::size_t n = 1;
    while (i + n < count && may_join(*records[i + n], *rank)) ++n;
    if (*rank == link_.ranks.rank()) {
      n = std::min(n, here_.room());
      here_.run(records + i, n);
      if (n == 0) return i;
      i += n;
      continue;
    }
    std::size_t sent = 0;
    try {
      sent = send_to(*rank, records + i, n);
    } catch (const std::bad_alloc&) {
      if (i == 0) throw;
    }
    i += sent;
    if (sent == n) continue;
    link_.far_at(*rank).credit.refuse();
    return i;
  }
  return count;
}

std::size_t call_sender::send_to(int rank, record_body* const* records, std::size_t count) {
  call_link::far& to = link_.far_at(rank);
  const std::size_t most = to.credit.take(count);
  remote::rank_message_writer message = link_.message(topic::call);
  std::size_t done = 0;  // records taken; failed ones are not in the message
  try {
    for (; done < most && (done == 0 || to.credit.has_bytes()); ++done) pack(message, rank, records[done], to);
  } catch (const std::bad_alloc&) {
    if (done == 0) {
      give_back(to, most);
      throw;
    }
  }
  const std::size_t sent = message.items();
  called_.fetch_add(sent, std::memory_order_relaxed);
  if (sent > 0) link_.ranks.send(rank, std::move(message));
  give_back(to, most - sent);
  return done;
}

// Gives back credit that was taken and not used. Another thread may have found none meanwhile, and no message tells it.
void call_sender::give_back(call_link::far& to, std::size_t records) {
  if (records == 0) return;
  to.credit.give_back(records, 0);
  space.notify();
}

// Takes the record over. Throws std::bad_alloc, and has done nothing then.
std::size_t call_sender::pack(remote::rank_message_writer& into, int rank, record_body* r, call_link::far& to) {
  const remote::packing* const how = packings_.find(r->shape, [&] {
    return std::make_unique<remote::packing>(link_.ranks.packs().pack_call(link_.cut(), *r->shape));
  });
  if (how->refused) {
    of_.fail_saying(failure_kind::not_sent, r, [&] { return how->why_refused(rank); });
    return 0;
  }
  const bool keeps = how->stays->size() > 0;
  record_body* const kept = make_body(how->stays);
  std::uint64_t call = 0;
  std::size_t bytes = 0;
  try {
    owned_body whole(link_.moves() ? copy_body(*r) : nullptr);
    call = book_.open({.kept = kept, .is_released = !keeps || link_.is_route(), .whole = whole.get(), .rank = rank},
                      book_.branches.are_by_load() ? &link_.run.scope_of(*r) : nullptr);
    static_cast<void>(whole.release());
    const std::uint64_t in = link_.cut().has_state ? book_.begin_in(link_.run.scope_of(*r), rank) : 0;
    bytes = into.add(call, in, keeps ? item::keeps : 0, *r, *how);
  } catch (const std::exception& e) {
    if (call) book_.cancel(call);
    free_body(kept);
    if (!call) throw;
    of_.fail_saying(failure_kind::not_sent, r, [&] { return said_by(e); });
    return 0;
  }
  for (const auto& [from, slot] : how->moves) kept->slots()[slot] = r->slots()[from];
  move_context(*r, *kept);
  for (const int slot : how->travels)
    if (slot < r->shape->boxed()) let_go(r->slots()[slot], *(*r->shape)[slot].type);
  free_body(r);
  to.credit.spend(bytes);
  return bytes;
}

void call_sender::start(owned_body nothing) {
  for (const int rank : link_.far_ranks()) {
    remote::rank_message_writer message = link_.message(topic::start);
    owned_body kept(make_body(shape::empty()));
    share_context(*nothing, *kept);
    message.add(book_.open({.kept = kept.get(), .is_released = true}), 0);
    static_cast<void>(kept.release());
    link_.ranks.send(rank, std::move(message));
  }
}

void call_sender::finish(scope& in, owned_body kept, std::size_t outer) {
  unique_lock lock(book_.calls_mutex);
  remote_scope& there = book_.scope_at(in, link_.cut().fars.front());
  lock.unlock();
  const std::uint64_t call = book_.open({.kept = kept.get(), .is_released = true});
  static_cast<void>(kept.release());
  lock.lock();
  there.has_begun = false;
  book_.finishing.begin(call, there.has_begun, outer);
  const int rank = there.branch.rank;
  lock.unlock();
  remote::rank_message_writer message = link_.message(topic::finish);
  message.add(call, there.number);
  link_.ranks.send(rank, std::move(message));
}

// ---- after a loss ----

void call_sender::lose(int rank) {
  if (!link_.moves() || !link_.fars().contains(rank)) return;
  link_.far_at(rank).credit.returned(remote::endless, remote::endless);  // it blocks no call any more
  unique_lock lock(book_.calls_mutex);
  const bool resends = book_.resend.rank_lost();  // before lose(): a thread that sees the loss sees this
  book_.branches.lose(rank);
  lock.unlock();
  if (resends) resend_all();
}

// To the substitutes of lost ranks, in the order in which they were sent.
void call_sender::resend_all() noexcept {
  for (bool is_behind = true; is_behind;) {
    try {
      unique_lock lock(book_.calls_mutex);
      const resend_after_loss::plan plan =
          resend_after_loss::plan_of(book_.calls, book_.results, book_.branches, link_.far_ranks());
      lock.unlock();
      for (record_body* const r : plan.dropped) drop_body(r);
      for (const auto& [rank, number] : plan.failed) book_.end(rank, number, true, true);
      for (const std::uint64_t number : plan.again)
        if (!resend(number)) break;
    } catch (const std::bad_alloc&) {
      link_.run.out_of_memory();
    }
    const lock_guard lock(book_.calls_mutex);
    is_behind = !book_.resend.resent();
    if (!is_behind) book_.branches.stop_waiting();  // records that still wait find that out again
  }
  space.notify();
}

bool call_sender::resend(std::uint64_t number) {
  branch_ranks& branches = book_.branches;
  unique_lock lock(book_.calls_mutex);
  if (book_.resend.is_behind()) return false;
  const open_call c = book_.calls.at(number);
  const int rank = branches.substitute_of(c.branch ? c.branch->rank : branches.by_value(*link_.value_of(*c.whole)));
  lock.unlock();
  const remote::packing how = link_.ranks.packs().pack_call(link_.cut(), *c.whole->shape);
  const bool is_here = rank == link_.ranks.rank(), keeps = how.stays->size() > 0;
  lock.lock();
  if (c.branch) {
    branches.end_at(c.rank, link_.run.life.now());
    branches.begin_at(rank, link_.run.life.now());
  }
  open_call& again = book_.calls.at(number);
  again.rank = rank;
  again.says_done = false;
  again.is_released = is_here || !keeps;
  lock.unlock();
  if (is_here) {
    record_body* const here = copy_body(*c.whole);
    share_context(*c.kept, *here);
    here_.run(&here, 1);
    taken_back_.fetch_add(1, std::memory_order_relaxed);
    book_.end(rank, number, true, true);
    return true;
  }
  remote::rank_message_writer message = link_.message(topic::call);
  std::size_t bytes;
  try {
    bytes = message.add(number, 0, keeps ? item::keeps : 0, *c.whole, how);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {  // a codec may throw now that did not before
    record_body* const here = copy_body(*c.whole);
    share_context(*c.kept, *here);
    taken_back_.fetch_add(1, std::memory_order_relaxed);
    of_.fail_saying(failure_kind::not_sent, here, [&] { return said_by(e); });
    book_.end(rank, number, true, true);
    return true;
  }
  remote::sending_window& credit = link_.far_at(rank).credit;
  credit.give_back(static_cast<std::size_t>(-1), static_cast<std::size_t>(0) - bytes);  // it may go below zero
  link_.ranks.send(rank, std::move(message));
  return true;
}

}  // namespace weir::detail
