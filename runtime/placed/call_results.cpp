#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/placed/call_stage.hpp"
#include "runtime/placed/credit.hpp"

// What comes back to the home of a part that another rank runs: results, errors, the ends of calls, and credit.
namespace weir::detail {

using remote::item;
using remote::topic;

void call_stage::came(int from, topic what, remote::parcel&& p) {
  try {
    switch (what) {
      case topic::give:
        return give(from, std::move(p));
      case topic::failed:
        return fail_here(from, std::move(p));
      case topic::settled:
        for (const item& i : p.items) {
          if (i.is(item::done)) finished_some(i.first, i.is(item::more));
          if (i.is(item::done) && route_.size() > 1)
            part_is_done(from, i.first, i.second);
          else if (i.is(item::done))
            is_done(from, i.first);
          if (i.is(item::released)) settle(from, i.second, false, true);
        }
        return;
      case topic::opened:
        for (const item& i : p.items) open_position(from, i.first, i.second);
        return;
      case topic::calls_credit:
        take_credit(run_, far_at(from).credit, from, p.items);
        return calls_.space.notify();
      case topic::asks_gives_credit: {
        const lock_guard lock(mutex_);
        if (tell_credit(from)) return;
        throw std::bad_alloc();
      }
      default:
        return;
    }
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
}

record_body* call_stage::kept_of(int from, std::uint64_t number) {
  const lock_guard lock(mutex_);
  if (!(number & remote::opened_there)) return call_at(number).kept;
  const auto at = positions_.find({from, number});
  if (at == positions_.end()) remote::refuse_index("position", number & ~remote::opened_there);
  return at->second;
}

call_stage::open_call& call_stage::call_at(std::uint64_t part) {
  const std::uint64_t number = remote::call_of(part);
  if (number == 0 || number > open_.size() || !open_[number - 1].kept) remote::refuse_index("call", number);
  return open_[number - 1];
}

call_stage::far& call_stage::far_at(int rank) {
  const auto at = fars_.find(rank);
  if (at == fars_.end()) remote::refuse_index("cut of rank", static_cast<std::uint64_t>(rank));
  return at->second;
}

// The record with the labels that were kept for it.
record_body* call_stage::merged(record_body* came, const record_body* kept) {
  if (!kept || kept->shape->size() == 0) return came;
  merging& how = mergings_[{came->shape, kept->shape}];
  if (!how.of) {
    std::vector<const label_info*> labels(came->shape->labels().begin(), came->shape->labels().end());
    for (const label_info* l : kept->shape->labels())
      if (came->shape->find(l->key) < 0) labels.push_back(l);
    const shape* const of = shape::of(labels);
    for (int i = 0; i < came->shape->size(); ++i) how.came.emplace_back(i, of->find((*came->shape)[i].key));
    for (int i = 0; i < kept->shape->size(); ++i)
      if (came->shape->find((*kept->shape)[i].key) < 0) how.kept.emplace_back(i, of->find((*kept->shape)[i].key));
    how.of = of;
  }
  record_body* const all = make_body(how.of);
  for (const auto& [from, to] : how.came) all->slots()[to] = came->slots()[from];
  for (const auto& [from, to] : how.kept) {
    all->slots()[to] = kept->slots()[from];
    if (to < how.of->boxed()) hold(all->slots()[to]);
  }
  free_body(came);
  return all;
}

void call_stage::give(int from, remote::parcel&& p) {
  if (moves_) return keep_results(from, std::move(p));
  std::vector<record_body*> records;
  records.reserve(p.items.size());
  for (item& i : p.items) {
    record_body* const kept = kept_of(from, i.first);
    if (!i.record) {
      fail_unread(from, p, i);
      continue;
    }
    i.record = merged(i.record, i.second ? kept_of(from, i.second) : nullptr);
    if (i.is(item::done) && route_.size() == 1)
      move_context(*kept, *i.record);
    else
      share_context(*kept, *i.record);
    records.push_back(i.record);
  }
  {
    const lock_guard lock(mutex_);
    for (const item& i : p.items)
      if (i.record) bytes_waiting_.emplace_back(&far_at(from), i.bytes);
  }
  returned_.fetch_add(records.size(), std::memory_order_relaxed);
  for (item& i : p.items) i.record = nullptr;
  if (!records.empty()) own_region->unbounded()->push(records.data(), records.size());
  for (const item& i : p.items) {
    if (i.is(item::done) && route_.size() > 1)
      part_is_done(from, i.first, 0);
    else if (i.is(item::done))
      settle(from, i.first, true, false);
    if (i.is(item::released)) settle(from, i.second, false, true);
  }
}

// What is over at one level says how many parts there are at the next: so they count level by level, from the first on.
void call_stage::part_is_done(int from, std::uint64_t part, std::uint64_t went_on) {
  const std::uint64_t call = remote::call_of(part);
  {
    const lock_guard lock(mutex_);
    if (call_at(part).is_done || went_on > std::numeric_limits<std::uint32_t>::max())
      remote::refuse_index("part of call", call);
    const auto level = static_cast<std::size_t>(remote::level_of(part));
    auto at = divisions_.find(call);
    if (level > 0 || went_on > 0 || at != divisions_.end()) {
      if (at == divisions_.end()) at = divisions_.try_emplace(call, 1, 1).first;
      std::vector<std::int64_t>& open = at->second;
      if (open.size() < level + 2) open.resize(level + 2);
      --open[level];
      open[level + 1] += static_cast<std::int64_t>(went_on);
      if (std::any_of(open.begin(), open.end(), [](std::int64_t n) { return n != 0; })) return;
      divisions_.erase(at);
    }
  }
  settle(from, call, true, false);
}

// A record of a call ended by an error there.
void call_stage::fail_here(int from, remote::parcel&& p) {
  if (p.items.size() < 2 || p.texts.size() < 3) return;
  const item& about = p.items[0];
  item& what = p.items[1];
  record_body* const kept = kept_of(from, what.first);
  owned_body ended(what.record ? std::exchange(what.record, nullptr) : make_body(shape::empty()));
  ended.reset(merged(ended.release(), what.second ? kept_of(from, what.second) : nullptr));
  share_context(*kept, *ended);
  failure f;
  f.kind = remote::kind_of(about.first);
  f.path = (kept->where ? kept->where->path(route_path_) : route_path_) + p.texts[0];
  f.entity = p.texts[1];
  f.cause = p.texts[2];
  f.rank = static_cast<int>(about.second);
  if (moves_) {
    const lock_guard lock(mutex_);
    call_at(what.first).has_failed = true;
  }
  run_.record_failed(std::move(f), ended.release(), false);
}

// A record that came, with a field that could not be read.
void call_stage::fail_unread(int from, const remote::parcel& p, const item& i) {
  if (!i.is(item::has_record) || p.cut >= ranks_.plan().cuts().size()) remote::refuse_index("result of call", i.first);
  const record_body* const kept = kept_of(from, i.first);
  owned_body ended(make_body(shape::empty()));
  ended.reset(merged(ended.release(), i.second ? kept_of(from, i.second) : nullptr));
  share_context(*kept, *ended);
  const remote::cut& of = ranks_.plan().cuts()[p.cut];
  failure f;
  f.kind = failure_kind::not_sent;
  f.path = (kept->where ? kept->where->path(route_path_) : route_path_) + of.parts.front().at;
  f.entity = of.name;
  f.cause = "what rank " + std::to_string(from) + " sent cannot be read: " + p.why_unreadable(i);
  f.rank = ranks_.rank();
  bool told = true;
  {
    const lock_guard lock(mutex_);
    if (moves_) {
      call_at(i.first).has_failed = true;  // its credit is counted with that of the others
    } else {
      far_at(from).owed.add(1, i.bytes);
      told = tell_credit();
    }
  }
  if (!told) run_.out_of_memory();
  run_.record_failed(std::move(f), ended.release(), false);
}

void call_stage::settle(int from, std::uint64_t number, bool done, bool released) {
  record_body* kept;
  if (number & remote::opened_there) {
    {
      const lock_guard lock(mutex_);
      const auto at = positions_.find({from, number});
      if (at == positions_.end()) remote::refuse_index("position", number & ~remote::opened_there);
      kept = at->second;
      positions_.erase(at);
    }
    return drop_body(kept);
  }
  record_body* whole = nullptr;
  bool is_over, may_move = false;
  {
    const lock_guard lock(mutex_);
    open_call& c = call_at(number);
    if (done && c.is_done) remote::refuse_index("open call", number);
    kept = c.kept;
    c.is_done = c.is_done || done;
    c.is_released = c.is_released || released;
    is_over = c.is_done && c.is_released;
    if (done) whole = std::exchange(c.whole, nullptr);
    if (done) may_move = count_end(c);
    if (is_over) {
      c = {};
      free_.push_back(number);
    }
    if (done) --under_way_;
  }
  if (whole) drop_body(whole);
  if (is_over)
    drop_body(kept);
  else if (done)
    leave_context(*kept);
  if (may_move) calls_.space.notify();
  if (done) run_.life.finish_work();
}

// Under the region's lock.
void call_stage::took_results() {
  const std::uint64_t taken = own_region->unbounded()->popped();
  unique_lock lock(mutex_);
  for (; results_taken_ < taken && first_waiting_ < bytes_waiting_.size(); ++results_taken_) {
    const auto& [from, bytes] = bytes_waiting_[first_waiting_++];
    from->owed.add(1, bytes);
  }
  if (first_waiting_ * 2 > bytes_waiting_.size()) {
    bytes_waiting_.erase(bytes_waiting_.begin(), bytes_waiting_.begin() + static_cast<std::ptrdiff_t>(first_waiting_));
    first_waiting_ = 0;
  }
  const bool told = tell_credit();
  lock.unlock();
  if (!told) run_.out_of_memory();
  if (any_here_.load(std::memory_order_relaxed)) calls_.space.notify();
}

// Under mutex_. All that is due, and all that is owed to a rank that asks. False: there was no memory for it.
bool call_stage::tell_credit(int asks) {
  for (auto& [rank, there] : fars_) {
    if (rank != asks && !there.owed.is_due()) continue;
    try {
      remote::parcel_writer p(static_cast<std::uint32_t>(topic::gives_credit), there.gives, home_);
      write_credit(p, there.owed, rank == asks);
      ranks_.post(rank, std::move(p));
      there.owed.told();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  return true;
}

}  // namespace weir::detail
