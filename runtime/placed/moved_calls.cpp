#include <algorithm>
#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/placed/call_stage.hpp"

// Calls of a part that moves: branches by load, and all that a lost rank ran.
namespace weir::detail {

using remote::item;
using remote::topic;

// ---- by load ----

int call_stage::place(const record_body& r) {
  const int slot = r.shape->find(cut_.by->key);
  if (slot < 0) return -1;
  if (!loads_) return remote::rank_of(static_cast<std::int64_t>(r.slots()[slot]), ranks_.ranks());
  scope& in = run_.scope_of(r);
  const lock_guard lock(mutex_);
  if (!in.state(state_index_)) {
    const int rank = loads_->least();
    instance_in(in, rank);
    loads_->gets_branch(rank);
    return rank;
  }
  far_scope& branch = instance_in(in, -1);
  if (cut_.is_stateless() && branch.moves_to < 0 && in.has_one_record() && alive(branch.rank) == branch.rank)
    if (const int to = loads_->better_than(branch.rank, 0); to >= 0) move(branch, to);
  return branch.rank;
}

void call_stage::move(far_scope& branch, int to) {
  loads_->loses_branch(branch.rank);
  loads_->gets_branch(to);
  branch.rank = to;
}

// Under mutex_. To which rank a branch should move whose records come to this stage, or -1. Not here: later records
// would go past this stage, and overtake them.
int call_stage::better_for(const far_scope& branch) const {
  if (!cut_.is_stateless() || alive(branch.rank) != branch.rank) return -1;
  const int to = loads_->better_than(branch.rank, branch.under_way);
  return to == ranks_.rank() ? -1 : to;
}

// Under mutex_. Records of a branch that moves wait in front of this stage until none is under way.
int call_stage::rank_of_branch(far_scope& branch) {
  if (branch.moves_to < 0) branch.moves_to = better_for(branch);
  if (branch.moves_to < 0) return alive(branch.rank);
  if (branch.under_way > 0) {
    waits_for_move_.store(true, std::memory_order_relaxed);
    return -2;
  }
  move(branch, std::exchange(branch.moves_to, -1));
  return alive(branch.rank);
}

// Under mutex_. Whether records wait for the branch to move, which it may now.
bool call_stage::count_end(open_call& c) {
  far_scope* const branch = std::exchange(c.branch, nullptr);
  if (!branch) return false;
  loads_->ends(c.rank, run_.life.now());
  return --branch->under_way == 0 && branch->moves_to >= 0 &&
         waits_for_move_.exchange(false, std::memory_order_relaxed);
}

void call_stage::begins_here() {
  const lock_guard lock(mutex_);
  loads_->begins(ranks_.rank(), run_.life.now());
}

void call_stage::ends_here() noexcept {
  const lock_guard lock(mutex_);
  loads_->ends(ranks_.rank(), run_.life.now());
}

// ---- after a loss ----

// While calls of a lost rank are sent again, no other is sent, so that none overtakes them.
call_stage::sending::sending(call_stage& of) : of_(of), may_(true) {
  if (!of_.moves_) return;
  const lock_guard lock(of_.mutex_);
  may_ = !of_.sends_again_.load(std::memory_order_relaxed);
  if (may_) ++of_.sending_;
}

call_stage::sending::~sending() {
  if (!of_.moves_ || !may_) return;
  {
    const lock_guard lock(of_.mutex_);
    if (--of_.sending_ > 0 || !of_.sends_again_.load(std::memory_order_relaxed)) return;
  }
  of_.send_again();
}

void call_stage::lost(int rank) {
  const auto to = fars_.find(rank);
  if (!moves_ || to == fars_.end()) return;
  to->second.credit.returned(remote::endless, remote::endless);  // it holds up nobody any more
  {
    const lock_guard lock(mutex_);
    if (loads_) loads_->is_lost(rank);
    sends_again_.store(true, std::memory_order_relaxed);
    is_lost_[static_cast<std::size_t>(rank)].store(true, std::memory_order_release);  // pairs with rank_for()
    if (sending_ > 0) return;  // the last that sends sees to it
  }
  send_again();
}

// Sends what was under way on lost ranks to others, in the order in which it was called. What those gave of calls that
// are not over is dropped.
void call_stage::send_again() noexcept {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> again;  // turn, number
  std::vector<std::pair<int, std::uint64_t>> ended;            // rank, number: another try would give a second error
  std::vector<record_body*> dropped;
  try {
    {
      const lock_guard lock(mutex_);
      for (std::size_t i = 0; i < open_.size(); ++i) {
        if (!open_[i].whole || !is_lost_[static_cast<std::size_t>(open_[i].rank)].load(std::memory_order_relaxed))
          continue;
        if (open_[i].has_failed) {
          ended.emplace_back(open_[i].rank, i + 1);
          continue;
        }
        again.emplace_back(open_[i].turn, i + 1);
        // Its calls may be over before what they cause, if they run here. So the branch moves no further.
        if (open_[i].branch) open_[i].branch->moves_to = -1;
      }
      for (auto& [rank, there] : fars_) {
        if (!is_lost_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed)) continue;
        for (const waiting_result& one : there.results) {
          dropped.push_back(one.what);
          open_[one.call - 1].results = 0;
        }
        there.results.clear();
      }
    }
    for (record_body* const r : dropped) drop_body(r);
    std::sort(again.begin(), again.end());
    for (const auto& [rank, number] : ended) settle(rank, number, true, true);
    for (const auto& [turn, number] : again) send_again(number);
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
  {
    const lock_guard lock(mutex_);
    sends_again_.store(false, std::memory_order_relaxed);
    waits_for_move_.store(false, std::memory_order_relaxed);  // who still waits finds that out again
  }
  calls_.space.notify();
}

void call_stage::send_again(std::uint64_t number) {
  open_call c;
  {
    const lock_guard lock(mutex_);
    c = open_[number - 1];
  }
  const int slot = c.whole->shape->find(cut_.by->key);
  const int rank = alive(loads_ ? c.branch->rank
                                : remote::rank_of(static_cast<std::int64_t>(c.whole->slots()[slot]), ranks_.ranks()));
  const remote::packing how = ranks_.packs().pack_call(cut_, *c.whole->shape);
  const bool keeps = how.stays->size() > 0;
  {
    const lock_guard lock(mutex_);
    if (loads_) {
      loads_->ends(open_[number - 1].rank, run_.life.now());
      loads_->begins(rank, run_.life.now());
    }
    open_[number - 1].rank = rank;
    open_[number - 1].says_done = false;
    open_[number - 1].is_released = rank == ranks_.rank() || !keeps;
  }
  if (rank == ranks_.rank()) {
    record_body* const here = copy_body(*c.whole);
    move_context(*c.kept, *here);
    run_here(&here, 1);
    taken_back_.fetch_add(1, std::memory_order_relaxed);
    return settle(rank, number, true, true);
  }
  remote::parcel_writer post(static_cast<std::uint32_t>(topic::call), number_, home_);
  const std::size_t bytes = post.add(number, 0, keeps ? item::keeps : 0, *c.whole, how);
  far& to = fars_.at(rank);
  to.credit.give_back(static_cast<std::size_t>(-1), static_cast<std::size_t>(0) - bytes);  // it may go below zero
  ranks_.post(rank, std::move(post));
}

void call_stage::run_here(record_body* const* records, std::size_t count) {
  if (count == 0) return;
  {
    const lock_guard lock(mutex_);
    to_here_.insert(records, records + count);
    any_here_.store(true, std::memory_order_relaxed);
  }
  ran_here_.fetch_add(count, std::memory_order_relaxed);
  own_region->unbounded()->push(records, count);
}

std::size_t call_stage::room_here() const {
  const std::size_t waits = own_region->unbounded()->size(), most = ranks_.limits().records;
  return waits < most ? most - waits : 0;
}

stage* call_stage::step(record_body*& r, context&) {
  if (!any_here_.load(std::memory_order_relaxed)) return next;
  const lock_guard lock(mutex_);
  return to_here_.erase(r) > 0 ? here_ : next;
}

// What a call gives goes on when the call is over, and all that came before it: until then the rank may be lost.
void call_stage::keep_results(int from, remote::parcel&& p) {
  std::size_t bytes = 0;
  for (item& i : p.items) {
    bytes += i.bytes;
    if (!i.record) {
      fail_unread(from, p, i);
      continue;
    }
    static_cast<void>(kept_of(from, i.first));
    record_body* const r = merged(i.record, i.second ? kept_of(from, i.second) : nullptr);
    i.record = nullptr;
    const lock_guard lock(mutex_);
    far_at(from).results.push_back({i.first, r});
    ++call_at(i.first).results;
  }
  {
    unique_lock lock(mutex_);
    far_at(from).owed.add(p.items.size(), bytes);
    const bool told = tell_credit();
    lock.unlock();
    if (!told) run_.out_of_memory();
  }
  for (const item& i : p.items) {
    if (i.is(item::released)) settle(from, i.second, false, true);
    if (i.is(item::done)) is_done(from, i.first);
  }
}

void call_stage::is_done(int from, std::uint64_t number) {
  if (!moves_ || (number & remote::opened_there)) return settle(from, number, true, false);
  bool has_results;
  std::vector<std::pair<std::uint64_t, record_body*>> out;
  {
    const lock_guard lock(mutex_);
    open_call& over = call_at(number);
    if (over.says_done) remote::refuse_index("open call", number);
    over.says_done = true;
    has_results = over.results > 0;
    auto& results = far_at(from).results;
    for (; !results.empty() && open_[results.front().call - 1].says_done; results.pop_front())
      out.emplace_back(results.front().call, results.front().what);
  }
  std::vector<record_body*> records;
  for (const auto& [call, r] : out) {
    share_context(*kept_of(from, call), *r);
    records.push_back(r);
  }
  if (!records.empty()) {
    returned_.fetch_add(records.size(), std::memory_order_relaxed);
    own_region->unbounded()->push(records.data(), records.size());
  }
  for (const auto& [call, r] : out) {
    bool was_last;
    {
      const lock_guard lock(mutex_);
      was_last = --open_[call - 1].results == 0;
    }
    if (was_last) settle(from, call, true, false);
  }
  if (!has_results) settle(from, number, true, false);
}

}  // namespace weir::detail
