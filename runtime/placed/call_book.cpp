#include "runtime/placed/call_book.hpp"

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

namespace {

std::vector<int> cores_of(const remote::session& ranks) {
  std::vector<int> cores;
  for (int r = 0; r < ranks.ranks(); ++r) cores.push_back(ranks.cores(r));
  return cores;
}

}  // namespace

remote_scope::~remote_scope() { of_.end_scope(*this); }

bool remote_scope::forget(run_environment&, const error_site&) { return !of_.link.cut().has_state; }

call_book::call_book(call_link& of, std::size_t state_index)
    : branches(of.ranks.rank(), cores_of(of.ranks), of.ranks.limits().spreads && of.cut().by, of.cut().is_stateless()),
      link(of),
      state_index_(state_index) {}

std::uint64_t call_book::open(open_call c, scope* branch) {
  std::uint64_t number;
  {
    const lock_guard lock(calls_mutex);
    if (branch) c.branch = &scope_at(*branch, c.rank).branch;
    number = calls.open(c);
    if (c.branch) branches.begin(*c.branch, c.rank, link.run.life.now());
  }
  link.run.life.begin_work();
  return number;
}

void call_book::cancel(std::uint64_t number) {
  open_call c;
  bool may_move;
  {
    const lock_guard lock(calls_mutex);
    c = calls.cancel(number);
    may_move = c.branch && branches.end(*c.branch, c.rank, link.run.life.now());
  }
  if (c.whole) drop_body(c.whole);
  if (may_move) inlet->space.notify();
  link.run.life.finish_work();
}

void call_book::end(int from, std::uint64_t number, bool done, bool released) {
  if (number & remote::opened_there) {
    unique_lock lock(calls_mutex);
    record_body* const kept = finishing.close(from, number);
    lock.unlock();
    return drop_body(kept);
  }
  open_call c;
  bool may_move;
  {
    const lock_guard lock(calls_mutex);
    c = calls.end(number, done, released);
    may_move = c.branch && branches.end(*c.branch, c.rank, link.run.life.now());
  }
  if (c.whole) drop_body(c.whole);
  if (c.is_over())
    drop_body(c.kept);
  else if (done)
    leave_context(*c.kept);
  if (may_move) inlet->space.notify();
  if (done) link.run.life.finish_work();
}

record_body* call_book::kept_of(int from, std::uint64_t number) {
  const lock_guard lock(calls_mutex);
  return number & remote::opened_there ? finishing.kept_of(from, number) : calls.at(number).kept;
}

std::optional<int> call_book::place(const record_body& r) {
  const auto value = link.value_of(r);
  if (!value) return std::nullopt;
  if (!branches.are_by_load()) return branches.by_value(*value);
  scope& in = link.run.scope_of(r);
  const lock_guard lock(calls_mutex);
  if (remote_scope* const known = find_scope(in)) return branches.place_again(known->branch, in.has_one_record());
  remote_scope& made = scope_at(in, -1);
  return made.branch.rank = branches.place_new();
}

std::uint64_t call_book::begin_in(scope& in, int rank) {
  const lock_guard lock(calls_mutex);
  remote_scope& there = scope_at(in, rank);
  there.has_begun = true;
  return there.number;
}

remote_scope* call_book::find_scope(scope& in) const {
  return static_cast<remote_scope*>(in.state(state_index_).get());
}

remote_scope& call_book::scope_at(scope& in, int rank) {
  auto& state = in.state(state_index_);
  if (!state) state = std::make_unique<remote_scope>(*this, in.is_outermost() ? 0 : ++scopes_, rank);
  return static_cast<remote_scope&>(*state);
}

void call_book::end_scope(const remote_scope& there) noexcept {
  const int rank = there.branch.rank;
  if (branches.are_by_load()) {
    const lock_guard lock(calls_mutex);
    branches.remove(there.branch);
  }
  if (!link.cut().has_state || rank == link.ranks.rank()) return;
  try {
    remote::rank_message_writer p = link.message(remote::topic::scope_ended);
    p.add(0, there.number);
    link.ranks.send(rank, std::move(p));
  } catch (const std::bad_alloc&) {
    link.run.out_of_memory();
  }
}

bool call_book::drop_all() noexcept {
  std::vector<open_call> all;
  std::vector<record_body*> positions;
  {
    const lock_guard lock(calls_mutex);
    all = calls.take_all();
    positions = finishing.take_all();
  }
  bool dropped = results.drop_all() || !positions.empty();
  for (const open_call& c : all) {
    if (c.kept) drop_body(c.kept), dropped = true;
    if (c.whole) drop_body(c.whole);
  }
  for (record_body* const kept : positions) drop_body(kept);
  return dropped;
}

}  // namespace weir::detail
