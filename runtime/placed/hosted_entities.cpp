#include "runtime/placed/hosted_entities.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/endings.hpp"
#include "runtime/entities/order_entities.hpp"
#include "runtime/placed/call_entity.hpp"
#include "runtime/placed/credit.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

void source_place::start(owned_body nothing) const {
  for (order_exit_entity* const exit : within) nothing->order = exit->open(nothing->order);
  if (auto* const call = dynamic_cast<call_entity*>(what)) return call->start(std::move(nothing));
  record_body* const starting = nothing.get();
  if (what->own_region->push(&starting, 1) == 1) nothing.release();
}

// The instances of the part: one for each scope around it at a home.
class hosted_entry_entity::scopes final : public entity_state {
 public:
  void each_scope(const std::function<void(scope&)>& f) const override {
    const lock_guard lock(mutex_);
    for (const auto& [name, one] : by_name_) f(*one);
  }
  bool is_of_other_ranks() const override { return true; }
  bool forget(run_environment&, const error_site&) override { return false; }

  scope& find_or_make(run_environment& run, level& inside, const home& from, std::uint64_t number) {
    const lock_guard lock(mutex_);
    owned_scope& one = by_name_[{&from, number}];
    if (!one) {
      one.reset(scope::make(run.outermost, inside, static_cast<std::int64_t>(number)));
      if (number == 0) one->be_outermost();
    }
    return *one;
  }
  owned_scope take(const home& from, std::uint64_t number) {
    const lock_guard lock(mutex_);
    const auto at = by_name_.find({&from, number});
    if (at == by_name_.end()) return nullptr;
    owned_scope one = std::move(at->second);
    by_name_.erase(at);
    return one;
  }

 private:
  mutable WEIR_LOCK(scopes) mutex_;
  std::map<std::pair<const home*, std::uint64_t>, owned_scope> by_name_;
};

// ---- entry ----

hosted_entry_entity::hosted_entry_entity(run_environment& run, std::string path, remote::session& ranks,
                                         std::size_t number, level& inside, std::size_t state_index,
                                         hosted_exit_entity& exit)
    : entity(run, std::move(path)),
      ranks_(ranks),
      number_(static_cast<std::uint32_t>(number)),
      cut_(ranks.plan().cuts()[number]),
      inside_(inside),
      state_index_(state_index),
      exit_(exit) {
  inside.in_paths = false;
  exit.entry = this;
  ranks.attach_far(number, *this);
}

hosted_entry_entity::~hosted_entry_entity() = default;

void hosted_entry_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max(), false);
  own_region->unbounded()->set_taken([this] { took_calls(); });
}

flow_count hosted_entry_entity::passed_to(const entity&) const {
  const std::uint64_t all = arrived_.load(std::memory_order_relaxed);
  return {all, all};
}

std::int64_t hosted_entry_entity::away() const {
  return static_cast<std::int64_t>(exit_.gave_.load(std::memory_order_relaxed) - own_region->unbounded()->popped());
}

void hosted_entry_entity::receive(int from, topic what, remote::rank_message&& p) {
  try {
    if (what == topic::forward || what == topic::forwards_credit || what == topic::asks_forwards_credit) {
      if (p.items.empty()) return;
      const std::uint64_t rank = p.items.front().first;
      if (rank >= static_cast<std::uint64_t>(ranks_.ranks()) || static_cast<int>(rank) == ranks_.rank() ||
          !cut_.is_home(static_cast<int>(rank)))
        remote::refuse_index("home at rank", rank);
      home& of = home_for(static_cast<int>(rank), p.home);
      p.items.erase(p.items.begin());
      if (what == topic::forward) return call(of, std::move(p), true);
      if (what == topic::forwards_credit) return take_credit(of, from, p);
      return answer(of);
    }
    home& of = home_for(from, p.home);
    switch (what) {
      case topic::call:
        return call(of, std::move(p), false);
      case topic::start:
        for (const item& i : p.items) start(of, i.first);
        return;
      case topic::finish:
        for (const item& i : p.items) finish(of, i.first, i.second);
        return;
      case topic::scope_ended:
        for (const item& i : p.items) end_scope(of, i.second);
        return;
      case topic::gives_credit:
        return take_credit(of, from, p);
      case topic::asks_calls_credit:
        return answer(of);
      default:
        return;
    }
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
}

void hosted_entry_entity::take_credit(home& of, int from, const remote::rank_message& p) {
  weir::detail::take_credit(run_, of.credit, from, p.items);
  exit_.gives_.space.notify();
}

// A rank that sends here asks for the credit that this rank owes it.
void hosted_entry_entity::answer(home& to) {
  const lock_guard lock(mutex_);
  tell_credit(to, true);
}

hosted_entry_entity::home& hosted_entry_entity::home_for(int rank, std::uint32_t number) {
  const lock_guard lock(mutex_);
  std::unique_ptr<home>& one = homes_[{rank, number}];
  if (!one) one = std::make_unique<home>(*this, rank, number);
  return *one;
}

// Results for a lost rank are discarded; unlimited credit keeps it from blocking the others.
void hosted_entry_entity::lost(int rank) {
  {
    const lock_guard lock(mutex_);
    for (auto& [name, from] : homes_)
      if (name.first == rank) from->credit.returned(remote::endless, remote::endless);
  }
  exit_.gives_.space.notify();
}

bool hosted_entry_entity::has_credit() const {
  const lock_guard lock(mutex_);
  return std::none_of(homes_.begin(), homes_.end(), [](const auto& one) { return one.second->credit.holds_up(); });
}

std::vector<int> hosted_entry_entity::without_credit() const {
  std::vector<int> ranks;
  const lock_guard lock(mutex_);
  for (const auto& [name, from] : homes_)
    if (from->credit.holds_up()) ranks.push_back(from->gives_to);
  return ranks;
}

void hosted_entry_entity::ask_for_credit() {
  const lock_guard lock(mutex_);
  for (auto& [name, of] : homes_) {
    if (!of->credit.holds_up()) continue;
    const bool goes_home = of->next < 0;
    remote::rank_message_writer p(
        static_cast<std::uint32_t>(goes_home ? topic::asks_gives_credit : topic::asks_forwards_credit),
        goes_home ? number_ : static_cast<std::uint32_t>(of->next), of->number);
    if (!goes_home) p.add(static_cast<std::uint64_t>(of->rank), 0);
    ranks_.send(of->gives_to, std::move(p));
  }
}

void hosted_entry_entity::call(home& from, remote::rank_message&& p, bool on_route) {
  std::vector<record_body*> records;
  records.reserve(p.items.size());
  std::vector<std::pair<const item*, owned_body>> unread;
  for (item& i : p.items) {
    const bool is_read = i.record != nullptr;
    if (!i.is(item::has_record)) remote::refuse_index("record of call", i.first);
    if (!is_read) i.record = make_body(shape::empty());
    if (i.is(item::keeps)) i.record = with_handle(i.record, from, on_route ? i.second : i.first);
    scope& in = scope_for(from, on_route ? 0 : i.second);
    i.record->order = order_slot::make(from.calls, nullptr);
    i.record->order->number = i.first;
    in.hold_with_outer();
    i.record->where = &in;
    if (is_read)
      records.push_back(i.record);
    else
      unread.emplace_back(&i, std::exchange(i.record, nullptr));
  }
  {
    const lock_guard lock(mutex_);
    for (const item& i : p.items)
      if (i.record) untaken_.arrived(from.owed, i.bytes);
  }
  arrived_.fetch_add(records.size(), std::memory_order_relaxed);
  for (item& i : p.items) i.record = nullptr;
  if (!records.empty()) own_region->unbounded()->push(records.data(), records.size());
  for (auto& [what, ended] : unread) fail_unread(from, p, *what, std::move(ended));
}

// A call arrived with a field that cannot be read.
void hosted_entry_entity::fail_unread(home& from, const remote::rank_message& p, const item& i, owned_body ended) {
  failure f;
  f.kind = failure_kind::not_sent;
  f.path = path(*ended);
  f.entity = cut_.name;
  f.cause = "what rank " +
            std::to_string(from.before < 0 ? from.rank
                                           : ranks_.plan().cuts()[static_cast<std::size_t>(from.before)].fars.front()) +
            " sent cannot be read: " + p.why_unreadable(i);
  f.rank = ranks_.rank();
  bool told;
  {
    const lock_guard lock(mutex_);
    from.owed.add(1, i.bytes);
    told = tell_credit();
  }
  if (!told) run_.out_of_memory();
  run_.record_failed(std::move(f), ended.release(), false);
}

record_body* hosted_entry_entity::with_handle(record_body* arrived, home& from, std::uint64_t call) {
  auto& [of, slots] = with_handles_[arrived->shape];
  const field<remote::kept_handle>& label = remote::kept_label();
  if (!of) {
    std::vector<const label_info*> labels(arrived->shape->labels().begin(), arrived->shape->labels().end());
    labels.push_back(label.info());
    const shape* const all = shape::of(labels);
    for (int i = 0; i < arrived->shape->size(); ++i) slots.push_back(all->find((*arrived->shape)[i].key));
    of = all;
  }
  record_body* const all = make_body(of);
  try {
    all->slots()[of->find(label.key())] =
        make_word<remote::kept_handle>(from.is_on_route() ? nullptr : from.handles, call);
  } catch (...) {
    free_body(all);
    throw;
  }
  for (int i = 0; i < arrived->shape->size(); ++i)
    all->slots()[slots[static_cast<std::size_t>(i)]] = arrived->slots()[i];
  free_body(arrived);
  return all;
}

scope& hosted_entry_entity::scope_for(const home& from, std::uint64_t number) {
  auto& state = run_.outermost->state(state_index_);
  return static_cast<scopes&>(*state).find_or_make(run_, inside_, from, number);
}

void hosted_entry_entity::end_scope(const home& from, std::uint64_t number) {
  const owned_scope one = static_cast<scopes&>(*run_.outermost->state(state_index_)).take(from, number);
  if (one) endings::leave_behind(*one);
}

void hosted_entry_entity::make_scopes() { run_.outermost->state(state_index_) = std::make_unique<scopes>(); }

void hosted_entry_entity::start(home& from, std::uint64_t call) {
  scope& in = scope_for(from, 0);
  order_slot* const slot = order_slot::make(from.calls, nullptr);
  slot->number = call;
  for (const source_place& source : sources) {
    owned_body nothing(make_body(shape::empty()));
    slot->hold();
    nothing->order = slot;
    in.hold_with_outer();
    nothing->where = &in;
    source.start(std::move(nothing));
  }
  slot->let_go();
}

// ---- the end of the input ----

void hosted_entry_entity::finish(home& from, std::uint64_t call, std::uint64_t in) {
  scope& what = scope_for(from, in);
  {
    const lock_guard lock(mutex_);
    if (!from.finishing.try_emplace(call, home::ending{1, false}).second) remote::refuse_index("new call", call);
  }
  order_slot* const base = order_slot::make(from.finishings, nullptr);  // those of the instances are made of it
  base->number = call;
  endings::finish_next(what, base, 0);
  order_slot::destroy(base);
  finished_one(from, call);
}

// The last says that all have, and whether there may be more.
void hosted_entry_entity::finished_one(home& from, std::uint64_t call) noexcept {
  bool found_some;
  {
    const lock_guard lock(mutex_);
    const auto at = from.finishing.find(call);
    if (--at->second.left > 0) return;
    found_some = at->second.found_some;
    from.finishing.erase(at);
  }
  post_settled(from, call, 0, static_cast<std::uint8_t>(item::done | (found_some ? item::more : 0)));
}

// ---- for the home: results, errors, the ends of calls, and credit ----

namespace {

// In the tally of a call's position: whether its home was told of an error, and how many subcalls went on.
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
  remote::rank_message_writer p(static_cast<std::uint32_t>(topic::opened), entry.number_, of().number);
  p.add(call, made->number);
  entry.ranks_.send(of().rank, std::move(p));
  return made;
}

// ---- messages to homes ----

void hosted_entry_entity::post_settled(home& to, std::uint64_t call, std::uint64_t second, std::uint8_t what) noexcept {
  try {
    remote::rank_message_writer p(static_cast<std::uint32_t>(topic::part_over), number_, to.number);
    p.add(call, second, what);
    ranks_.send(to.rank, std::move(p));
  } catch (const std::bad_alloc&) {
    if (what & item::done) run_.out_of_memory();  // else labels are kept for longer
  }
}

bool hosted_entry_entity::take_failure(home& from, const failure& f, const record_body& r,
                                       std::uint64_t call) noexcept {
  try {
    const remote::packing how = ranks_.packs().pack_result(*r.shape);
    const std::uint64_t labels_of = how.kept < 0 ? 0 : word_as<remote::kept_handle>(r.slots()[how.kept]).call();
    remote::rank_message_writer p(static_cast<std::uint32_t>(topic::failed), number_, from.number);
    p.add(static_cast<std::uint64_t>(f.kind), static_cast<std::uint64_t>(f.rank));
    bool has_record = !how.refused;
    if (has_record) try {
        p.add(call, labels_of, 0, r, how);
      } catch (...) {  // its text will lack what cannot be sent
        has_record = false;
        stop_forced_unwind();
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
  remote::rank_message_writer p(static_cast<std::uint32_t>(to_home ? topic::calls_credit : topic::forwards_credit),
                                to_home ? number_ : static_cast<std::uint32_t>(to.before), to.number);
  if (!to_home) p.add(static_cast<std::uint64_t>(to.rank), 0);
  write_credit(p, to.owed, asked);
  ranks_.send(to_home ? to.rank : ranks_.plan().cuts()[static_cast<std::size_t>(to.before)].fars.front(), std::move(p));
  to.owed.told();
}

// ---- exit ----

hosted_exit_entity::hosted_exit_entity(run_environment& run, std::string path, remote::session& ranks,
                                       std::size_t number)
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
  remote::rank_message_writer message(static_cast<std::uint32_t>(goes_home ? topic::give : topic::forward),
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
bool hosted_exit_entity::pack(remote::rank_message_writer& into, home& to, record_body& r, bool shares_with_next) {
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
  // The last record takes the call along, unless subcalls went on or an error went home. Then this rank
  // reports that the call is over here, after its earlier messages.
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
  } catch (const std::exception& e) {
    fail_saying(failure_kind::not_sent, &r, [&] { return said_by(e); });
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
