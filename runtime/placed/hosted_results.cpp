#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/placed/credit.hpp"
#include "runtime/placed/hosted_entities.hpp"
#include "runtime/record/thrown.hpp"

// Sends what a part gives that this rank runs for others: results, errors, the ends of calls, and credit.
namespace weir::detail {

using remote::item;
using remote::topic;

namespace {

// In the tally of a call's position: whether its home was told of an error, and how many parts of it went on.
constexpr std::uint32_t told_home = 1, one_went_on = 2;

}  // namespace

// ---- homes ----

hosted_entry_entity::home::home(hosted_entry_entity& of, int r, std::uint32_t n)
    : entry(of),
      rank(r),
      number(n),
      before(of.ranks_.plan().before_for(of.number_, r)),
      next(of.ranks_.plan().next_for(of.number_, r)),
      gives_to(next < 0 ? r : of.ranks_.plan().cuts()[static_cast<std::size_t>(next)].fars.front()),
      credit(of.ranks_.limits()),
      owed(of.ranks_.limits()),
      handles(std::make_shared<released_labels>(*this)) {}

void hosted_entry_entity::home::released_labels::released(std::uint64_t call) noexcept {
  const lock_guard lock(mutex_);
  if (of_ && !of_->entry.run_.life.is_stopping()) of_->entry.post_settled(*of_, 0, call, item::released);
}

void hosted_entry_entity::home::released_labels::close() {
  const lock_guard lock(mutex_);
  of_ = nullptr;
}

bool hosted_entry_entity::listener::takes(const failure& f, const record_body& r, order_slot& slot) noexcept {
  slot.tally.fetch_or(told_home, std::memory_order_relaxed);
  return of_.entry.take_failure(of_, f, r, slot.number);
}

// After a stop a call may only seem to be over, since its records were dropped.
void hosted_entry_entity::over_calls::is_over(order_slot& slot) noexcept {
  const std::uint64_t call = slot.number, went_on = slot.tally.load(std::memory_order_relaxed) / one_went_on;
  order_slot::destroy(&slot);
  hosted_entry_entity& entry = of().entry;
  if (!entry.run_.life.is_stopping()) entry.post_settled(of(), call, went_on, item::done);
}

// The position of one instance that finished.
void hosted_entry_entity::over_finishing::is_over(order_slot& slot) noexcept {
  const std::uint64_t number = slot.number;
  order_slot::destroy(&slot);
  hosted_entry_entity& entry = of().entry;
  if (entry.run_.life.is_stopping()) return;
  std::uint64_t call;
  {
    const lock_guard lock(entry.mutex_);
    const auto at = of().positions.find(number);
    call = at->second;
    of().positions.erase(at);
  }
  entry.post_settled(of(), number, 0, item::done);
  entry.finished_one(of(), call);
}

order_slot* hosted_entry_entity::over_finishing::another(order_slot& slot) {
  hosted_entry_entity& entry = of().entry;
  order_slot* const made = order_slot::make(*this, nullptr);
  std::uint64_t call;
  {
    const lock_guard lock(entry.mutex_);
    // `slot` is that of the call, or one within.
    const auto at = of().positions.find(slot.number);
    call = at == of().positions.end() ? slot.number : at->second;
    made->number = ++of().opened | remote::opened_there;
    of().positions[made->number] = call;
    home::ending& e = of().finishing.at(call);
    ++e.left;
    e.found_some = true;
  }
  remote::parcel_writer p(static_cast<std::uint32_t>(topic::opened), entry.number_, of().number);
  p.add(call, made->number);
  entry.ranks_.send(of().rank, std::move(p));
  return made;
}

// ---- messages to homes ----

void hosted_entry_entity::post_settled(home& to, std::uint64_t call, std::uint64_t second, std::uint8_t what) noexcept {
  try {
    remote::parcel_writer p(static_cast<std::uint32_t>(topic::settled), number_, to.number);
    p.add(call, second, what);
    ranks_.send(to.rank, std::move(p));
  } catch (const std::bad_alloc&) {
    if (what & item::done) run_.out_of_memory();  // else labels are kept for longer
  }
}

bool hosted_entry_entity::take_failure(home& from, const failure& f, const record_body& r, std::uint64_t call) noexcept {
  try {
    const remote::packing how = ranks_.packs().pack_result(*r.shape);
    const std::uint64_t labels_of = how.kept < 0 ? 0 : word_as<remote::kept_handle>(r.slots()[how.kept]).call();
    remote::parcel_writer p(static_cast<std::uint32_t>(topic::failed), number_, from.number);
    p.add(static_cast<std::uint64_t>(f.kind), static_cast<std::uint64_t>(f.rank));
    bool has_record = !how.refused;
    if (has_record) try {
        p.add(call, labels_of, 0, r, how);
      } catch (...) {  // its text will lack what cannot be sent
        has_record = false;
        if (!std::current_exception()) keeps_thread();
      }
    if (!has_record) p.add(call, labels_of);
    p.add(f.path);
    p.add(f.entity);
    p.add(f.cause);
    ranks_.send(from.rank, std::move(p));
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
  return true;
}

// Under the region's lock.
void hosted_entry_entity::took_calls() {
  const std::uint64_t taken = own_region->unbounded()->popped();
  unique_lock lock(mutex_);
  untaken_.taken(taken);
  const bool told = tell_credit();
  lock.unlock();
  if (!told) run_.out_of_memory();
}

// Under mutex_. False: there was no memory for it.
bool hosted_entry_entity::tell_credit() {
  bool told = true;
  for (auto& [name, from] : homes_) {
    if (!from->owed.is_due()) continue;
    try {
      tell_credit(*from, false);
    } catch (const std::bad_alloc&) {
      told = false;
    }
  }
  return told;
}

void hosted_entry_entity::tell_credit(home& to, bool asked) {
  const bool to_home = to.before < 0;
  remote::parcel_writer p(static_cast<std::uint32_t>(to_home ? topic::calls_credit : topic::forwards_credit),
                          to_home ? number_ : static_cast<std::uint32_t>(to.before), to.number);
  if (!to_home) p.add(static_cast<std::uint64_t>(to.rank), 0);
  write_credit(p, to.owed, asked);
  ranks_.send(to_home ? to.rank : ranks_.plan().cuts()[static_cast<std::size_t>(to.before)].fars.front(), std::move(p));
  to.owed.told();
}

// ---- exit ----

hosted_exit_entity::hosted_exit_entity(run_environment& run, std::string path, remote::session& ranks, std::size_t number)
    : entity(run, std::move(path)), ranks_(ranks), number_(static_cast<std::uint32_t>(number)) {}

hosted_exit_entity::~hosted_exit_entity() = default;

bool hosted_exit_entity::gives::has_room() const { return of_.entry->has_credit(); }

std::size_t hosted_exit_entity::give(record_body* const* records, std::size_t count) {
  const auto home_of = [](const record_body& r) -> home& {
    return static_cast<const hosted_entry_entity::listener&>(r.order->listener()).of();
  };
  std::size_t i = 0;
  while (i < count) {
    home& to = home_of(*records[i]);
    std::size_t n = 1;
    while (i + n < count && &home_of(*records[i + n]) == &to) ++n;
    std::size_t given;
    try {
      given = give_some(to, records + i, n);
    } catch (const std::bad_alloc&) {
      if (i == 0) throw;
      given = 0;
    }
    i += given;
    if (given == n) continue;
    to.credit.refuse();
    return i;
  }
  return count;
}

// Records end once their message was posted: what another thread then says of their calls comes behind it.
std::size_t hosted_exit_entity::give_some(home& to, record_body* const* records, std::size_t count) {
  const std::size_t most = to.credit.take(count);
  if (most == 0) return 0;
  const bool goes_home = to.next < 0;
  remote::parcel_writer message(static_cast<std::uint32_t>(goes_home ? topic::give : topic::forward),
                                goes_home ? number_ : static_cast<std::uint32_t>(to.next), to.number);
  if (!goes_home) message.add(static_cast<std::uint64_t>(to.rank), 0);
  std::vector<record_body*> sent;
  std::size_t done = 0;
  try {
    sent.reserve(most);
    for (; done < most && (done == 0 || to.credit.has_bytes()); ++done) {
      record_body* const r = records[done];
      if (pack(message, to, *r, done + 1 < count && records[done + 1]->order == r->order)) sent.push_back(r);
    }
  } catch (const std::bad_alloc&) {
    to.credit.give_back(most - sent.size(), 0);
    if (done == 0) throw;
    gave_.fetch_add(sent.size(), std::memory_order_relaxed);
    ranks_.send(to.gives_to, std::move(message));
    for (record_body* const r : sent) drop_body(r);
    return done;
  }
  to.credit.give_back(most - sent.size(), 0);
  gave_.fetch_add(sent.size(), std::memory_order_relaxed);  // before: the run may be over once it has come
  if (!sent.empty()) ranks_.send(to.gives_to, std::move(message));
  for (record_body* const r : sent) drop_body(r);
  return done;
}

// False: the record has ended by an error. Throws std::bad_alloc, and has done nothing then.
bool hosted_exit_entity::pack(remote::parcel_writer& into, home& to, record_body& r, bool shares_with_next) {
  const remote::packing* const how =
      packings_.find(r.shape, [&] { return std::make_unique<remote::packing>(ranks_.packs().pack_result(*r.shape)); });
  if (how->refused) {
    fail_saying(failure_kind::not_sent, &r, [&] { return how->why_refused(to.gives_to); });
    return false;
  }
  std::uint8_t flags = 0;
  std::uint64_t labels_of = 0, number = r.order->number;
  remote::kept_handle* only = nullptr;
  if (how->kept >= 0) {
    const slot_word word = r.slots()[how->kept];
    labels_of = word_as<remote::kept_handle>(word).call();
    only = unshared<remote::kept_handle>(word);
    if (only && only->tells()) flags |= item::released;
  }
  // The last record takes the call along, unless other parts of it went on or an error went home: then this rank says
  // that the call is over here, behind what it said before.
  const bool goes_home = to.next < 0;
  const bool is_last = &r.order->listener() == &to.calls && r.order->is_held_once() &&
                       (goes_home || r.order->tally.load(std::memory_order_relaxed) == 0);
  if (!goes_home) {
    flags = how->kept >= 0 ? item::keeps : 0;
    if (!is_last) number = remote::divided(number);
  } else if (is_last) {
    flags |= item::done;
  }
  std::size_t bytes;
  try {
    bytes = into.add(number, labels_of, flags, r, *how);
  } catch (...) {
    fail_saying(failure_kind::not_sent, &r, [] { return thrown_by("a codec"); });
    return false;
  }
  to.credit.spend(bytes);
  if (only) only->disarm();
  if (!goes_home && !is_last) r.order->tally.fetch_add(one_went_on, std::memory_order_relaxed);
  if (is_last)
    order_slot::destroy(std::exchange(r.order, nullptr));
  else if (shares_with_next)
    std::exchange(r.order, nullptr)->let_go();  // the next holds it
  return true;
}

}  // namespace weir::detail
