#include "runtime/stages/hosted_stages.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <new>

#include "runtime/engine/run_environment.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/stages/call_stage.hpp"
#include "runtime/stages/endings.hpp"
#include "runtime/stages/order_stages.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

void source_place::start(owned_body nothing) const {
  for (order_exit_stage* const exit : within) nothing->order = exit->open(nothing->order);
  if (auto* const call = dynamic_cast<call_stage*>(what)) return call->start(std::move(nothing));
  record_body* const starting = nothing.get();
  if (what->own_region->push(&starting, 1) == 1) nothing.release();
}

// ---- homes ----

// Is told when a call is over.
class hosted_entry_stage::listener : public position_listener {
 public:
  explicit listener(home& of) : of_(of) {}
  bool takes(const failure& f, const record_body& r, const order_slot& slot) noexcept override;
  home& of() const { return of_; }

 private:
  home& of_;
};

class hosted_entry_stage::over_calls final : public listener {
 public:
  using listener::listener;
  void is_over(order_slot& slot) noexcept override;
};

class hosted_entry_stage::over_finishing final : public listener {
 public:
  using listener::listener;
  void is_over(order_slot& slot) noexcept override;
  order_slot* another(order_slot& slot) override;
};

// One rank that calls.
class hosted_entry_stage::home {
 public:
  home(hosted_entry_stage& of, int r, std::uint32_t n, const remote::window_limits& l)
      : entry(of), rank(r), number(n), credit(l), owed(l), handles(std::make_shared<released_labels>(*this)) {}
  ~home() { handles->close(); }

  class released_labels final : public remote::release_listener {
   public:
    explicit released_labels(home& of) : of_(&of) {}
    void released(std::uint64_t call) noexcept override {
      const lock_guard lock(mutex_);
      if (of_ && !of_->entry.run_.life.is_stopping()) of_->entry.post_settled(*of_, 0, call, item::released);
    }
    void close() {
      const lock_guard lock(mutex_);
      of_ = nullptr;
    }

   private:
    WEIR_LOCK(handles) mutex_;
    home* of_;
  };

  hosted_entry_stage& entry;
  const int rank;
  const std::uint32_t number;  // of its stage there
  remote::sending_window credit;              // for what calls give
  remote::owed_credit owed;                   // for calls; under the entry's lock, as the next
  struct ending {
    int left;         // instances that have not finished, and one for the call while it looks for them
    bool found_some;  // then the home asks again
  };
  std::map<std::uint64_t, ending> finishing;         // by call
  std::map<std::uint64_t, std::uint64_t> positions;  // of instances that finish: the call
  std::uint64_t opened = 0;                          // of those, so far
  over_calls calls{*this};
  over_finishing finishings{*this};
  const std::shared_ptr<released_labels> handles;
};

bool hosted_entry_stage::listener::takes(const failure& f, const record_body& r, const order_slot& slot) noexcept {
  return of_.entry.take_failure(of_, f, r, slot.number);
}

// After a stop a call may only seem to be over, since its records were dropped.
void hosted_entry_stage::over_calls::is_over(order_slot& slot) noexcept {
  const std::uint64_t call = slot.number;
  order_slot::destroy(&slot);
  hosted_entry_stage& entry = of().entry;
  if (!entry.run_.life.is_stopping()) entry.post_settled(of(), call, 0, item::done);
}

// The position of one instance that finished.
void hosted_entry_stage::over_finishing::is_over(order_slot& slot) noexcept {
  const std::uint64_t number = slot.number;
  order_slot::destroy(&slot);
  hosted_entry_stage& entry = of().entry;
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

order_slot* hosted_entry_stage::over_finishing::another(order_slot& slot) {
  hosted_entry_stage& entry = of().entry;
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
  entry.ranks_.post(of().rank, std::move(p));
  return made;
}

// The instances of the part: one for each scope around it at a home.
class hosted_entry_stage::scopes final : public entity_state {
 public:
  void each_scope(const std::function<void(scope&)>& f) const override {
    const lock_guard lock(mutex_);
    for (const auto& [name, one] : by_name_) f(*one);
  }
  bool is_of_other_ranks() const override { return true; }
  bool forget(run_environment&, const entity&) override { return false; }

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

hosted_entry_stage::hosted_entry_stage(run_environment& run, std::string path, remote::session& ranks,
                                       std::size_t number, level& inside, std::size_t state_index,
                                       hosted_exit_stage& exit)
    : stage(run, std::move(path)),
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

hosted_entry_stage::~hosted_entry_stage() = default;

void hosted_entry_stage::make_region(std::size_t capacity) {
  stage::make_region(capacity);
  own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max(), false);
  own_region->unbounded()->set_taken([this] { took_calls(); });
}

flow_count hosted_entry_stage::passed_to(const stage&) const {
  const std::uint64_t all = came_.load(std::memory_order_relaxed);
  return {all, all};
}

void hosted_entry_stage::came(int from, topic what, remote::parcel&& p) {
  try {
    home& of = home_for(from, p.home);
    switch (what) {
      case topic::call:
        return call(of, std::move(p));
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
        for (const item& i : p.items) of.credit.returned(i.first, i.second);
        return exit_.gives_.space.notify();
      default:
        return;
    }
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
}

hosted_entry_stage::home& hosted_entry_stage::home_for(int rank, std::uint32_t number) {
  const lock_guard lock(mutex_);
  std::unique_ptr<home>& one = homes_[{rank, number}];
  if (!one) one = std::make_unique<home>(*this, rank, number, ranks_.limits());
  return *one;
}

// What it called for goes nowhere, and must not hold up the rest.
void hosted_entry_stage::lost(int rank) {
  {
    const lock_guard lock(mutex_);
    for (auto& [name, from] : homes_)
      if (name.first == rank) from->credit.returned(remote::endless, remote::endless);
  }
  exit_.gives_.space.notify();
}

bool hosted_entry_stage::has_credit() const {
  const lock_guard lock(mutex_);
  return std::none_of(homes_.begin(), homes_.end(), [](const auto& one) { return one.second->credit.holds_up(); });
}

void hosted_entry_stage::call(home& from, remote::parcel&& p) {
  std::vector<record_body*> records;
  records.reserve(p.items.size());
  for (item& i : p.items) {
    if (i.is(item::keeps)) i.record = with_handle(i.record, from, i.first);
    scope& in = scope_for(from, i.second);
    i.record->order = order_slot::make(from.calls, nullptr);
    i.record->order->number = i.first;
    in.hold_with_outer();
    i.record->where = &in;
    records.push_back(i.record);
  }
  {
    const lock_guard lock(mutex_);
    for (const item& i : p.items) bytes_waiting_.emplace_back(&from, i.bytes);
  }
  came_.fetch_add(records.size(), std::memory_order_relaxed);
  for (item& i : p.items) i.record = nullptr;
  own_region->unbounded()->push(records.data(), records.size());
}

record_body* hosted_entry_stage::with_handle(record_body* came, home& from, std::uint64_t call) {
  auto& [of, slots] = with_handles_[came->shape];
  const field<remote::kept_handle>& label = remote::kept_label();
  if (!of) {
    std::vector<const label_info*> labels(came->shape->labels().begin(), came->shape->labels().end());
    labels.push_back(label.info());
    const shape* const all = shape::of(labels);
    for (int i = 0; i < came->shape->size(); ++i) slots.push_back(all->find((*came->shape)[i].key));
    of = all;
  }
  record_body* const all = make_body(of);
  try {
    all->slots()[of->find(label.key())] = make_word<remote::kept_handle>(from.handles, call);
  } catch (...) {
    free_body(all);
    throw;
  }
  for (int i = 0; i < came->shape->size(); ++i) all->slots()[slots[static_cast<std::size_t>(i)]] = came->slots()[i];
  free_body(came);
  return all;
}

scope& hosted_entry_stage::scope_for(const home& from, std::uint64_t number) {
  auto& state = run_.outermost->state(state_index_);
  return static_cast<scopes&>(*state).find_or_make(run_, inside_, from, number);
}

void hosted_entry_stage::end_scope(const home& from, std::uint64_t number) {
  const owned_scope one = static_cast<scopes&>(*run_.outermost->state(state_index_)).take(from, number);
  if (one) endings::leave_behind(*one);
}

void hosted_entry_stage::make_scopes() { run_.outermost->state(state_index_) = std::make_unique<scopes>(); }

void hosted_entry_stage::start(home& from, std::uint64_t call) {
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

void hosted_entry_stage::finish(home& from, std::uint64_t call, std::uint64_t in) {
  scope& what = scope_for(from, in);
  {
    const lock_guard lock(mutex_);
    from.finishing[call] = {1, false};
  }
  order_slot* const base = order_slot::make(from.finishings, nullptr);  // those of the instances are made of it
  base->number = call;
  endings::finish_next(what, base, 0);
  order_slot::destroy(base);
  finished_one(from, call);
}

// The last says that all have, and whether there may be more.
void hosted_entry_stage::finished_one(home& from, std::uint64_t call) noexcept {
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

// ---- what homes hear ----

void hosted_entry_stage::post_settled(home& to, std::uint64_t call, std::uint64_t labels_of,
                                      std::uint8_t what) noexcept {
  try {
    remote::parcel_writer p(static_cast<std::uint32_t>(topic::settled), number_, to.number);
    p.add(call, labels_of, what);
    ranks_.post(to.rank, std::move(p));
  } catch (const std::bad_alloc&) {
    if (what & item::done) run_.out_of_memory();  // else labels are kept for longer
  }
}

bool hosted_entry_stage::take_failure(home& from, const failure& f, const record_body& r, std::uint64_t call) noexcept {
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
    ranks_.post(from.rank, std::move(p));
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
  return true;
}

// Under the region's lock.
void hosted_entry_stage::took_calls() {
  const std::uint64_t taken = own_region->unbounded()->popped();
  bool lacks_memory = false;
  unique_lock lock(mutex_);
  for (; calls_taken_ < taken && !bytes_waiting_.empty(); ++calls_taken_) {
    const auto& [from, bytes] = bytes_waiting_.front();
    from->owed.add(1, bytes);
    bytes_waiting_.pop_front();
  }
  for (auto& [name, from] : homes_) {
    if (!from->owed.is_due()) continue;
    try {
      remote::parcel_writer p(static_cast<std::uint32_t>(topic::calls_credit), number_, from->number);
      p.add(from->owed.records(), from->owed.bytes());
      ranks_.post(from->rank, std::move(p));
      from->owed.told();
    } catch (const std::bad_alloc&) {
      lacks_memory = true;
    }
  }
  lock.unlock();
  if (lacks_memory) run_.out_of_memory();
}

// ---- exit ----

hosted_exit_stage::hosted_exit_stage(run_environment& run, std::string path, remote::session& ranks, std::size_t number)
    : stage(run, std::move(path)), ranks_(ranks), number_(static_cast<std::uint32_t>(number)) {}

hosted_exit_stage::~hosted_exit_stage() = default;

bool hosted_exit_stage::gives::has_room() const {
  return of_.entry->has_credit();
}

std::size_t hosted_exit_stage::give(record_body* const* records, std::size_t count) {
  const auto home_of = [](const record_body& r) -> home& {
    return static_cast<const hosted_entry_stage::listener&>(r.order->listener()).of();
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
std::size_t hosted_exit_stage::give_some(home& to, record_body* const* records, std::size_t count) {
  const std::size_t most = to.credit.take(count);
  if (most == 0) return 0;
  remote::parcel_writer post(static_cast<std::uint32_t>(topic::give), number_, to.number);
  std::vector<record_body*> sent;
  std::size_t done = 0;
  try {
    sent.reserve(most);
    for (; done < most && (done == 0 || to.credit.has_bytes()); ++done) {
      record_body* const r = records[done];
      if (pack(post, to, *r, done + 1 < count && records[done + 1]->order == r->order)) sent.push_back(r);
    }
  } catch (const std::bad_alloc&) {
    to.credit.give_back(most - sent.size(), 0);
    if (done == 0) throw;
    ranks_.post(to.rank, std::move(post));
    for (record_body* const r : sent) drop_body(r);
    return done;
  }
  to.credit.give_back(most - sent.size(), 0);
  if (!sent.empty()) ranks_.post(to.rank, std::move(post));
  for (record_body* const r : sent) drop_body(r);
  return done;
}

// False: the record has ended by an error. Throws std::bad_alloc, and has done nothing then.
bool hosted_exit_stage::pack(remote::parcel_writer& into, home& to, record_body& r, bool shares_with_next) {
  const remote::packing* const how =
      packings_.find(r.shape, [&] { return std::make_unique<remote::packing>(ranks_.packs().pack_result(*r.shape)); });
  if (how->refused) {
    fail_saying(failure_kind::not_sent, &r, [&] {
      return "field '" + how->refused->name + "' cannot go to rank " + std::to_string(to.rank) +
             (how->refused->type->codec ? ": no part of the network names it with its type, "
                                        : ": there is no codec for its type, ") +
             type_name(*how->refused->type->type);
    });
    return false;
  }
  std::uint8_t flags = 0;
  std::uint64_t labels_of = 0;
  remote::kept_handle* only = nullptr;
  if (how->kept >= 0) {
    const slot_word word = r.slots()[how->kept];
    labels_of = word_as<remote::kept_handle>(word).call();
    if ((only = unshared<remote::kept_handle>(word))) flags |= item::released;
  }
  const bool is_last = &r.order->listener() == &to.calls && r.order->is_held_once();
  if (is_last) flags |= item::done;
  std::size_t bytes;
  try {
    bytes = into.add(r.order->number, labels_of, flags, r, *how);
  } catch (...) {
    fail_saying(failure_kind::not_sent, &r, [] { return thrown_by("a codec"); });
    return false;
  }
  to.credit.spend(bytes);
  if (only) only->disarm();
  if (is_last)
    order_slot::destroy(std::exchange(r.order, nullptr));
  else if (shares_with_next)
    std::exchange(r.order, nullptr)->let_go();  // the next holds it
  return true;
}

}  // namespace weir::detail
