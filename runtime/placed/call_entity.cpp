#include "runtime/placed/call_entity.hpp"

#include <limits>
#include <utility>

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

using remote::topic;

call_entity::call_entity(run_environment& run, std::string path, remote::session& ranks, std::size_t number,
                         std::size_t state_index, std::vector<order_exit_entity*> within)
    : entity(run, std::move(path)),
      link_(run, ranks, number, path_pattern()),
      book_(link_, state_index),
      here_(*this, book_),
      sender_(*this, book_, here_),
      receiver_(*this, book_, sender_, std::move(within)) {}

void call_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max(), false);
  own_region->unbounded()->set_taken([this] { receiver_.taken(); });
}

void call_entity::set_here(entity& here) {
  if (link_.moves()) here_.set_body(here);
}

std::vector<entity*> call_entity::successors() const {
  return here_.body() ? std::vector<entity*>{next, here_.body()} : std::vector<entity*>{next};
}

std::uint64_t call_entity::sent_to(const entity& to, std::uint64_t) const {
  return &to == here_.body() ? here_.count() : receiver_.returned();
}

flow_count call_entity::passed_to(const entity& to) const {
  if (&to == here_.body()) return {here_.count(), sender_.called(), 0};
  return {receiver_.returned(), sender_.called()};
}

void call_entity::begins_here() {
  const lock_guard lock(book_.calls_mutex);
  book_.branches.begin_at(link_.ranks.rank(), run_.life.now());
}

void call_entity::ends_here() noexcept {
  const lock_guard lock(book_.calls_mutex);
  book_.branches.end_at(link_.ranks.rank(), run_.life.now());
}

// ---- the end of the input ----

bool call_entity::is_to_finish(scope& in) const {
  const lock_guard lock(book_.calls_mutex);
  const remote_scope* const there = book_.find_scope(in);
  return (in.is_outermost() && !finished_outermost_) || (there && there->has_begun);
}

std::uint64_t call_entity::made_as(scope& in) const {
  const lock_guard lock(book_.calls_mutex);
  const remote_scope* const there = book_.find_scope(in);
  return there ? there->number : 0;
}

void call_entity::finish(scope& in, order_slot* at, std::size_t outer) {
  owned_body kept(make_body(shape::empty()));
  kept->order = at;
  if (in.parent()) {
    in.hold_with_outer();
    kept->where = &in;
  }
  if (in.is_outermost()) {
    const lock_guard lock(book_.calls_mutex);
    finished_outermost_ = true;
  }
  sender_.finish(in, std::move(kept), outer);
}

// ---- the run's numbers, and its end ----

std::size_t call_entity::waiting() const {
  const lock_guard lock(book_.calls_mutex);
  return book_.calls.not_done();
}

void call_entity::ask_for_credit() {
  for (const int rank : without_credit()) link_.ranks.send(rank, link_.message(topic::asks_calls_credit));
}

std::int64_t call_entity::away() const {
  const std::uint64_t left = sender_.called() + here_.count();
  const std::uint64_t back = own_region->unbounded()->popped() + sender_.taken_back();
  return static_cast<std::int64_t>(left - back);
}

bool call_entity::drop_all() noexcept {
  receiver_.forget_subcalls();
  return book_.drop_all();
}

}  // namespace weir::detail
