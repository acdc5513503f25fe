#include "runtime/placed/call_receiver.hpp"

#include <new>
#include <string>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/order_entities.hpp"
#include "runtime/placed/credit.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

call_receiver::call_receiver(entity& of, call_book& book, call_sender& sender, std::vector<order_exit_entity*> within)
    : of_(of), link_(book.link), book_(book), sender_(sender), within_(std::move(within)) {
  link_.attach(*this);
}

void call_receiver::receive(int from, topic what, remote::rank_message&& p) {
  try {
    switch (what) {
      case topic::give:
        return link_.moves() ? hold(from, std::move(p)) : give(from, std::move(p));
      case topic::failed:
        return fail(from, std::move(p));
      case topic::part_over:
        for (const item& i : p.items) {
          if (i.is(item::done)) {
            unique_lock lock(book_.calls_mutex);
            book_.finishing.end(i.first, i.is(item::more));
            lock.unlock();
            finish_call(from, i.first, i.second);
          }
          if (i.is(item::released)) book_.end(from, i.second, false, true);
        }
        return;
      case topic::opened:
        for (const item& i : p.items) open_position(from, i.first, i.second);
        return;
      case topic::calls_credit:
        take_credit(link_.run, link_.far_at(from).credit, from, p.items);
        return sender_.space.notify();
      case topic::asks_gives_credit: {
        const lock_guard lock(book_.calls_mutex);
        if (tell_credit(from)) return;
        throw std::bad_alloc();
      }
      default:
        return;
    }
  } catch (const std::bad_alloc&) {
    link_.run.out_of_memory();
  }
}

record_body* call_receiver::with_kept(record_body* r, int from, std::uint64_t labels_of) {
  return merger_.merge(r, labels_of ? book_.kept_of(from, labels_of) : nullptr);
}

void call_receiver::enter(const std::vector<record_body*>& records) {
  if (records.empty()) return;
  returned_.fetch_add(records.size(), std::memory_order_relaxed);
  of_.own_region->unbounded()->push(records.data(), records.size());
}

void call_receiver::give(int from, remote::rank_message&& p) {
  std::vector<record_body*> records;
  records.reserve(p.items.size());
  for (item& i : p.items) {
    record_body* const kept = book_.kept_of(from, i.first);
    if (!i.record) {
      fail_unread(from, p, i);
      continue;
    }
    i.record = with_kept(i.record, from, i.second);
    if (i.is(item::done) && !link_.is_route() && !book_.branches.are_by_load())
      move_context(*kept, *i.record);
    else
      share_context(*kept, *i.record);
    records.push_back(i.record);
  }
  {
    const lock_guard lock(book_.calls_mutex);
    for (const item& i : p.items)
      if (i.record) untaken_.arrived(link_.far_at(from).owed, i.bytes);
  }
  for (item& i : p.items) i.record = nullptr;
  enter(records);
  for (const item& i : p.items) {
    if (i.is(item::done)) finish_call(from, i.first, 0);
    if (i.is(item::released)) book_.end(from, i.second, false, true);
  }
}

// Results of a part that moves are owed for on arrival: they wait here, and not in the region's inlet.
void call_receiver::hold(int from, remote::rank_message&& p) {
  std::size_t bytes = 0;
  for (item& i : p.items) {
    bytes += i.bytes;
    if (!i.record) {
      fail_unread(from, p, i);
      continue;
    }
    static_cast<void>(book_.kept_of(from, i.first));
    i.record = with_kept(i.record, from, i.second);
    const lock_guard lock(book_.calls_mutex);
    book_.results.hold(from, i.first, i.record, book_.calls);
    i.record = nullptr;
  }
  unique_lock lock(book_.calls_mutex);
  link_.far_at(from).owed.add(p.items.size(), bytes);
  const bool told = tell_credit();
  lock.unlock();
  if (!told) link_.run.out_of_memory();
  for (const item& i : p.items) {
    if (i.is(item::released)) book_.end(from, i.second, false, true);
    if (i.is(item::done)) finish_call(from, i.first, 0);
  }
}

// A call or a subcall is over, and `started` subcalls began at the next level.
void call_receiver::finish_call(int from, std::uint64_t subcall, std::uint64_t started) {
  const bool is_position = subcall & remote::opened_there;
  if (link_.is_route()) {
    unique_lock lock(book_.calls_mutex);
    if (book_.calls.at(subcall).is_done) remote::refuse_index("part of call", remote::call_of(subcall));
    const bool is_complete = subcalls_.finish_subcall(subcall, started);
    lock.unlock();
    if (is_complete) book_.end(from, remote::call_of(subcall), true, false);
  } else if (link_.moves() && !is_position) {
    release_results(from, subcall);
  } else {
    book_.end(from, subcall, true, false);
  }
}

// The call is done, so its results leave, once those before them do. It ends with the last of them.
void call_receiver::release_results(int from, std::uint64_t call) {
  bool has_results;
  std::vector<held_results::result> released;
  {
    const lock_guard lock(book_.calls_mutex);
    open_call& done = book_.calls.at(call);
    if (done.says_done) remote::refuse_index("open call", call);
    done.says_done = true;
    has_results = done.results > 0;
    released = book_.results.release(from, book_.calls);
  }
  std::vector<record_body*> records;
  for (const auto& [of, r] : released) {
    share_context(*book_.kept_of(from, of), *r);
    records.push_back(r);
  }
  enter(records);
  for (const auto& [of, r] : released) {
    unique_lock lock(book_.calls_mutex);
    const bool was_last = --book_.calls.at(of).results == 0;
    lock.unlock();
    if (was_last) book_.end(from, of, true, false);
  }
  if (!has_results) book_.end(from, call, true, false);
}

// The record of an error on another rank, in the context of its call; and the path of the part there.
owned_body call_receiver::ended_record(int from, std::uint64_t call, std::uint64_t labels_of, owned_body r,
                                       std::string& path) {
  const record_body* const kept = book_.kept_of(from, call);
  record_body* const all = with_kept(r.get(), from, labels_of);
  static_cast<void>(r.release());
  r.reset(all);
  share_context(*kept, *r);
  path = kept->where ? kept->where->path(link_.path()) : link_.path();
  return r;
}

void call_receiver::fail(int from, remote::rank_message&& p) {
  if (p.items.size() < 2 || p.texts.size() < 3) return;
  const item& about = p.items[0];
  item& what = p.items[1];
  failure f;
  owned_body r(what.record ? std::exchange(what.record, nullptr) : make_body(shape::empty()));
  r = ended_record(from, what.first, what.second, std::move(r), f.path);
  f.kind = remote::kind_of(about.first);
  f.path += p.texts[0];
  f.entity = p.texts[1];
  f.cause = p.texts[2];
  f.rank = static_cast<int>(about.second);
  if (link_.moves()) {
    const lock_guard lock(book_.calls_mutex);
    book_.calls.at(what.first).has_failed = true;
  }
  link_.run.record_failed(std::move(f), r.release(), false);
}

// A result arrived with a field that cannot be read.
void call_receiver::fail_unread(int from, const remote::rank_message& p, const item& i) {
  if (!i.is(item::has_record) || p.cut >= link_.ranks.plan().cuts().size())
    remote::refuse_index("result of call", i.first);
  failure f;
  owned_body r = ended_record(from, i.first, i.second, owned_body(make_body(shape::empty())), f.path);
  const remote::cut& of = link_.ranks.plan().cuts()[p.cut];
  f.kind = failure_kind::not_sent;
  f.path += of.parts.front().at;
  f.entity = of.name;
  f.cause = "what rank " + std::to_string(from) + " sent cannot be read: " + p.why_unreadable(i);
  f.rank = link_.ranks.rank();
  bool told = true;
  {
    const lock_guard lock(book_.calls_mutex);
    if (link_.moves()) {
      book_.calls.at(i.first).has_failed = true;  // hold() owes for it
    } else {
      link_.far_at(from).owed.add(1, i.bytes);
      told = tell_credit();
    }
  }
  if (!told) link_.run.out_of_memory();
  link_.run.record_failed(std::move(f), r.release(), false);
}

// One instance at the other rank finishes: its outputs have a position of their own.
void call_receiver::open_position(int from, std::uint64_t call, std::uint64_t position) {
  const record_body* const of = book_.kept_of(from, call);
  std::size_t outer;
  {
    const lock_guard lock(book_.calls_mutex);
    outer = book_.finishing.outer_of(call, from, position);
  }
  owned_body kept(make_body(shape::empty()));
  if (of->order) kept->order = of->order->listener().another(*of->order);
  for (std::size_t i = outer; i < within_.size(); ++i) kept->order = within_[i]->open(kept->order);
  if (of->where) {
    of->where->hold_with_outer();
    kept->where = of->where;
  }
  const lock_guard lock(book_.calls_mutex);
  book_.finishing.open(from, position, kept.get());
  static_cast<void>(kept.release());
}

void call_receiver::taken() {
  const std::uint64_t all = of_.own_region->unbounded()->popped();
  unique_lock lock(book_.calls_mutex);
  untaken_.taken(all);
  const bool told = tell_credit();
  lock.unlock();
  if (!told) link_.run.out_of_memory();
  sender_.results_taken();
}

// Under the mutex. All that is due, and all that is owed to a rank that asks. False: there was no memory for it.
bool call_receiver::tell_credit(int asking) {
  for (auto& [rank, there] : link_.fars()) {
    if (rank != asking && !there.owed.is_due()) continue;
    try {
      remote::rank_message_writer message = link_.message(topic::gives_credit, there.gives);
      write_credit(message, there.owed, rank == asking);
      link_.ranks.send(rank, std::move(message));
      there.owed.told();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  return true;
}

}  // namespace weir::detail
