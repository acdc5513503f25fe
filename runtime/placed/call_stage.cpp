#include "runtime/placed/call_stage.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "runtime/engine/run_environment.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/stages/order_stages.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

call_stage::call_stage(run_environment& run, std::string path, remote::session& ranks, std::size_t number,
                       std::size_t state_index, std::vector<order_exit_stage*> within)
    : stage(run, std::move(path)),
      ranks_(ranks),
      number_(static_cast<std::uint32_t>(number)),
      cut_(ranks.plan().cuts()[number]),
      state_index_(state_index),
      within_(std::move(within)),
      route_path_(path_pattern().substr(0, path_pattern().size() - cut_.parts.front().at.size())),
      moves_(ranks.limits().reassigns && cut_.is_movable()),
      is_lost_(static_cast<std::size_t>(ranks.ranks())) {
  for (const int rank : cut_.fars)
    if (rank != ranks.rank()) fars_.try_emplace(rank, ranks.limits()).first->second.gives = number_;
  for (int cut = static_cast<int>(number); cut >= 0;
       cut = ranks.plan().next_for(static_cast<std::size_t>(cut), ranks.rank()))
    route_.push_back(static_cast<std::size_t>(cut));
  if (route_.size() > 1)
    fars_.try_emplace(ranks.plan().cuts()[route_.back()].fars.front(), ranks.limits()).first->second.gives =
        static_cast<std::uint32_t>(route_.back());
  if (ranks.limits().spreads && cut_.by) {
    std::vector<int> cores;
    for (int r = 0; r < ranks.ranks(); ++r) cores.push_back(ranks.cores(r));
    loads_.emplace(std::move(cores));
  }
  home_ = ranks.attach_home(*this);
}

call_stage::~call_stage() = default;

std::string call_stage::name() const {
  std::string all = cut_.name;
  for (std::size_t i = 1; i < route_.size(); ++i) all += ", " + ranks_.plan().cuts()[route_[i]].name;
  return all;
}

void call_stage::make_region(std::size_t capacity) {
  stage::make_region(capacity);
  own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max(), false);
  own_region->unbounded()->set_taken([this] { took_results(); });
}

void call_stage::set_here(stage& here) {
  if (moves_) here_ = &here;
}

std::vector<stage*> call_stage::successors() const {
  return here_ ? std::vector<stage*>{next, here_} : std::vector<stage*>{next};
}

std::uint64_t call_stage::sent_to(const stage& to, std::uint64_t) const {
  return (&to == here_ ? ran_here_ : returned_).load(std::memory_order_relaxed);
}

flow_count call_stage::passed_to(const stage& to) const {
  if (&to == here_) return {ran_here_.load(std::memory_order_relaxed), called_.load(std::memory_order_relaxed), 0};
  return {returned_.load(std::memory_order_relaxed), called_.load(std::memory_order_relaxed)};
}

// ---- calls ----

// Also when another rank than that of the next record has room: what was refused waits, and the rest behind it.
bool call_stage::calls::has_room() const {
  if (of_.sends_again_.load(std::memory_order_relaxed) || of_.waits_for_move_.load(std::memory_order_relaxed) ||
      (of_.any_here_.load() && of_.room_here() == 0))
    return false;
  return std::none_of(of_.fars_.begin(), of_.fars_.end(), [](const auto& one) { return one.second.credit.holds_up(); });
}

int call_stage::rank_for(const record_body& r) {
  if (!cut_.by) return cut_.fars.front();
  const int slot = r.shape->find(cut_.by->key);
  if (slot < 0) return -1;
  if (!loads_) return alive(remote::rank_of(static_cast<std::int64_t>(r.slots()[slot]), ranks_.ranks()));
  const lock_guard lock(mutex_);
  return rank_of_branch(instance_in(run_.scope_of(r), -1));  // place() has made it
}

// Whether a record may go in one message with those in front of it, which are not under way yet. So no branch moves
// here.
bool call_stage::goes_with(const record_body& r, int rank) {
  if (!loads_) return rank_for(r) == rank;
  if (r.shape->find(cut_.by->key) < 0) return false;
  const lock_guard lock(mutex_);
  const far_scope& branch = instance_in(run_.scope_of(r), -1);
  return alive(branch.rank) == rank && branch.moves_to < 0 && better_for(branch) < 0;
}

int call_stage::alive(int rank) const {
  while (is_lost_[static_cast<std::size_t>(rank)].load(std::memory_order_acquire)) rank = (rank + 1) % ranks_.ranks();
  return rank;
}

std::size_t call_stage::call(record_body* const* records, std::size_t count) {
  const sending now(*this);
  if (!now.may()) return 0;
  std::size_t i = 0;
  while (i < count) {
    const int rank = rank_for(*records[i]);
    if (sends_again_.load(std::memory_order_relaxed)) return i;  // what was under way goes first
    if (rank == -2) return i;
    if (rank < 0) {
      fail(failure_kind::tag_missing, records[i], "the record lacks the tag " + weir::to_string(*cut_.by));
      ++i;
      continue;
    }
    std::size_t n = 1;
    while (i + n < count && goes_with(*records[i + n], rank)) ++n;
    std::size_t sent;
    if (rank == ranks_.rank()) {
      n = std::min(n, room_here());
      run_here(records + i, n);
      i += n;
      if (n > 0) continue;
      return i;
    }
    try {
      sent = call_some(rank, records + i, n);
    } catch (const std::bad_alloc&) {
      if (i == 0) throw;
      sent = 0;
    }
    i += sent;
    if (sent == n) continue;
    fars_.at(rank).credit.refuse();
    return i;
  }
  return count;
}

std::size_t call_stage::call_some(int rank, record_body* const* records, std::size_t count) {
  far& to = fars_.at(rank);
  const std::size_t most = to.credit.take(count);
  remote::parcel_writer post(static_cast<std::uint32_t>(topic::call), number_, home_);
  std::size_t done = 0;
  try {
    for (; done < most && (done == 0 || to.credit.has_bytes()); ++done) pack(post, rank, records[done], to);
  } catch (const std::bad_alloc&) {
    to.credit.give_back(most - done, 0);
    if (done == 0) throw;
    ranks_.post(rank, std::move(post));
    return done;
  }
  to.credit.give_back(most - post.items(), 0);
  called_.fetch_add(done, std::memory_order_relaxed);
  if (post.items() > 0) ranks_.post(rank, std::move(post));
  return done;
}

// Takes the record over. Throws std::bad_alloc, and has done nothing then.
std::size_t call_stage::pack(remote::parcel_writer& into, int rank, record_body* r, far& to) {
  const remote::packing* const how = packings_.find(
      r->shape, [&] { return std::make_unique<remote::packing>(ranks_.packs().pack_call(cut_, *r->shape)); });
  if (how->refused) {
    fail_saying(failure_kind::not_sent, r, [&] {
      return "field '" + how->refused->name + "' cannot go to rank " + std::to_string(rank) +
             (how->refused->type->codec ? ": no part of the network names it with its type, "
                                        : ": there is no codec for its type, ") +
             type_name(*how->refused->type);
    });
    return 0;
  }
  const bool keeps = how->stays->size() > 0;
  record_body* const kept = make_body(how->stays);
  std::uint64_t call = 0;
  std::size_t bytes = 0;
  try {
    call = open(kept, keeps && route_.size() == 1, rank, moves_ ? copy_body(*r) : nullptr,
                loads_ ? &run_.scope_of(*r) : nullptr);
    const std::uint64_t in = cut_.has_state ? scope_number(run_.scope_of(*r), rank) : 0;
    bytes = into.add(call, in, keeps ? item::keeps : 0, *r, *how);
  } catch (...) {
    if (call) take_back(call);
    free_body(kept);
    if (!call) throw;
    fail_saying(failure_kind::not_sent, r, [] { return thrown_by("a codec"); });
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

std::uint64_t call_stage::open(record_body* kept, bool keeps_labels, int rank, record_body* whole, scope* branch) {
  std::uint64_t number;
  {
    const lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.reserve(open_.size() + 1);  // so that giving back needs no memory
      open_.emplace_back();
      number = open_.size();
    } else {
      number = free_.back();
      free_.pop_back();
    }
    far_scope* const of = branch ? &instance_in(*branch, rank) : nullptr;
    open_[number - 1] = {kept, false, !keeps_labels, whole, rank, of, ++turns_};
    ++under_way_;
    if (of) {
      ++of->under_way;
      loads_->begins(rank, run_.life.now());
    }
  }
  run_.life.begin_work();
  return number;
}

void call_stage::take_back(std::uint64_t number) {
  record_body* whole;
  bool may_move;
  {
    const lock_guard lock(mutex_);
    whole = open_[number - 1].whole;
    may_move = count_end(open_[number - 1]);
    open_[number - 1] = {};
    free_.push_back(number);
    --under_way_;
  }
  if (whole) drop_body(whole);
  if (may_move) calls_.space.notify();
  run_.life.finish_work();
}

// The number by which the other rank knows its instance of this scope. 0: the network's own.
std::uint64_t call_stage::scope_number(scope& in, int rank) {
  const lock_guard lock(mutex_);
  far_scope& there = instance_in(in, rank);
  there.has_begun = true;
  return there.number;
}

call_stage::far_scope& call_stage::instance_in(scope& in, int rank) {
  auto& state = in.state(state_index_);
  if (!state) state = std::make_unique<far_scope>(*this, in.is_outermost() ? 0 : ++scopes_, rank);
  return static_cast<far_scope&>(*state);
}

void call_stage::end_scope(const far_scope& state) noexcept {
  if (loads_) {
    const lock_guard lock(mutex_);
    loads_->loses_branch(state.rank);
  }
  if (!cut_.has_state || state.rank == ranks_.rank()) return;
  try {
    remote::parcel_writer p(static_cast<std::uint32_t>(topic::scope_ended), number_, home_);
    p.add(0, state.number);
    ranks_.post(state.rank, std::move(p));
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
}

void call_stage::start(owned_body nothing) {
  for (const auto& [rank, there] : fars_) {
    remote::parcel_writer p(static_cast<std::uint32_t>(topic::start), number_, home_);
    record_body* const kept = make_body(shape::empty());
    share_context(*nothing, *kept);
    p.add(open(kept, false), 0);
    ranks_.post(rank, std::move(p));
  }
}

// ---- the end of the input ----

bool call_stage::is_to_finish(scope& in) const {
  const lock_guard lock(mutex_);
  const auto& state = in.state(state_index_);
  return (in.is_outermost() && !finished_outermost_) || (state && static_cast<const far_scope&>(*state).has_begun);
}

std::uint64_t call_stage::made_as(scope& in) const {
  const lock_guard lock(mutex_);
  const auto& state = in.state(state_index_);
  return state ? static_cast<const far_scope&>(*state).number : 0;
}

void call_stage::finish(scope& in, order_slot* at, std::size_t outer) {
  owned_body kept(make_body(shape::empty()));
  kept->order = at;
  if (in.parent()) {
    in.hold_with_outer();
    kept->where = &in;
  }
  int rank = cut_.fars.front();
  {
    const lock_guard lock(mutex_);
    if (const auto& state = in.state(state_index_)) rank = static_cast<const far_scope&>(*state).rank;
  }
  const std::uint64_t scope = scope_number(in, rank);
  const std::uint64_t call = open(kept.get(), false);
  kept.release();
  {
    const lock_guard lock(mutex_);
    auto& there = static_cast<far_scope&>(*in.state(state_index_));
    there.has_begun = false;
    if (in.is_outermost()) finished_outermost_ = true;
    endings_[call] = {&there, outer};
  }
  remote::parcel_writer p(static_cast<std::uint32_t>(topic::finish), number_, home_);
  p.add(call, scope);
  ranks_.post(rank, std::move(p));
}

// One instance there finishes: what it gives has a position of its own.
void call_stage::open_position(int from, std::uint64_t call, std::uint64_t number) {
  const record_body* const of = kept_of(from, call);
  std::size_t outer;
  {
    const lock_guard lock(mutex_);
    const auto at = endings_.find(call);
    if (at == endings_.end() || !(number & remote::opened_there) || positions_.contains({from, number}))
      remote::refuse_index("position of call", call);
    outer = at->second.outer;
  }
  owned_body kept(make_body(shape::empty()));
  if (of->order) kept->order = of->order->listener().another(*of->order);
  for (std::size_t i = outer; i < within_.size(); ++i) kept->order = within_[i]->open(kept->order);
  if (of->where) {
    of->where->hold_with_outer();
    kept->where = of->where;
  }
  const lock_guard lock(mutex_);
  positions_[{from, number}] = kept.get();
  kept.release();
}

void call_stage::finished_some(std::uint64_t call, bool more) {
  const lock_guard lock(mutex_);
  const auto at = endings_.find(call);
  if (at == endings_.end()) return;
  if (more) at->second.of->has_begun = true;
  endings_.erase(at);
}

std::size_t call_stage::waiting() const {
  const lock_guard lock(mutex_);
  return under_way_;
}

std::vector<int> call_stage::without_credit() const {
  std::vector<int> ranks;
  for (const auto& [rank, there] : fars_)
    if (there.credit.holds_up()) ranks.push_back(rank);
  return ranks;
}

void call_stage::ask_for_credit() {
  for (const int rank : without_credit())
    ranks_.post(rank, {static_cast<std::uint32_t>(topic::asks_calls_credit), number_, home_});
}

std::int64_t call_stage::away() const {
  const std::uint64_t left = called_.load(std::memory_order_relaxed) + ran_here_.load(std::memory_order_relaxed);
  const std::uint64_t back = own_region->unbounded()->popped() + taken_back_.load(std::memory_order_relaxed);
  return static_cast<std::int64_t>(left - back);
}

bool call_stage::drop_all() noexcept {
  std::vector<open_call> all;
  {
    const lock_guard lock(mutex_);
    all.swap(open_);
    for (const auto& [name, kept] : positions_) all.push_back({kept});
    positions_.clear();
    endings_.clear();
    divisions_.clear();
    free_.clear();
    under_way_ = 0;
  }
  bool dropped = false;
  for (const open_call& c : all) {
    if (c.kept) drop_body(c.kept), dropped = true;
    if (c.whole) drop_body(c.whole);
  }
  for (auto& [rank, there] : fars_) {
    for (const waiting_result& one : there.results) drop_body(one.what);
    there.results.clear();
  }
  return dropped;
}

}  // namespace weir::detail
