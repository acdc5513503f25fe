#include "runtime/placed/hosted_entry_entity.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/endings.hpp"
#include "runtime/placed/credit.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

// The instances of the part: one for each scope around it at a home.
class hosted_entry_entity::scopes final : public entity_state {
 public:
  void each_scope(const std::function<void(scope&)>& f) const override {
    const lock_guard lock(mutex_);
    for (const auto& [name, one] : by_name_) f(*one);
  }
  bool is_of_other_ranks() const override { return true; }
  bool forget(run_environment&, const error_site&) override { return false; }

  scope& find_or_make(run_environment& run, level& inside, const hosted_home& from, std::uint64_t number) {
    const lock_guard lock(mutex_);
    const std::pair name{&from, number};
    const auto at = by_name_.find(name);
    if (at != by_name_.end()) return *at->second;
    owned_scope made(scope::make(run.outermost, inside, static_cast<std::int64_t>(number)));
    if (number == 0) made->be_outermost();
    return *by_name_.try_emplace(name, std::move(made)).first->second;
  }
  owned_scope take(const hosted_home& from, std::uint64_t number) {
    const lock_guard lock(mutex_);
    const auto at = by_name_.find({&from, number});
    if (at == by_name_.end()) return nullptr;
    owned_scope one = std::move(at->second);
    by_name_.erase(at);
    return one;
  }

 private:
  mutable WEIR_LOCK(scopes) mutex_;
  std::map<std::pair<const hosted_home*, std::uint64_t>, owned_scope> by_name_ WEIR_GUARDED_BY(mutex_);
};

hosted_entry_entity::hosted_entry_entity(run_environment& run, std::string path, remote::session& ranks,
                                         std::size_t number, level& inside, std::size_t state_index,
                                         hosted_exit_entity& exit)
    : entity(run, std::move(path)),
      ranks_(ranks),
      number_(static_cast<std::uint32_t>(number)),
      cut_(ranks.plan().cuts()[number]),
      inside_(inside),
      state_index_(state_index),
      exit_(exit),
      homes_(run, ranks, number_) {
  inside.in_paths = false;
  exit.homes = &homes_;
  ranks.attach_far(number, *this);
}

hosted_entry_entity::~hosted_entry_entity() = default;

void hosted_entry_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max(), false);
  own_region->unbounded()->set_taken([this] { homes_.taken(own_region->unbounded()->popped()); });
}

flow_count hosted_entry_entity::passed_to(const entity&) const {
  const std::uint64_t all = arrived_.load(std::memory_order_relaxed);
  return {all, all};
}

std::int64_t hosted_entry_entity::away() const {
  return static_cast<std::int64_t>(exit_.gave() - own_region->unbounded()->popped());
}

void hosted_entry_entity::receive(int from, topic what, remote::rank_message&& p) {
  try {
    if (what == topic::forward || what == topic::forwards_credit || what == topic::asks_forwards_credit)
      return receive_on_route(from, what, std::move(p));
    hosted_home& of = homes_.find_or_make(from, p.home);
    switch (what) {
      case topic::call:
        return call(of, std::move(p), false);
      case topic::start:
        for (const item& i : p.items) start(of, i.first);
        return;
      case topic::finish:
        for (const item& i : p.items) of.finish(i.first, scope_for(of, i.second));
        return;
      case topic::scope_ended:
        for (const item& i : p.items) end_scope(of, i.second);
        return;
      case topic::gives_credit:
        return take_credit(of, from, p);
      case topic::asks_calls_credit:
        return homes_.answer(of);
      default:
        return;
    }
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
}

// The first item names the home.
void hosted_entry_entity::receive_on_route(int from, topic what, remote::rank_message&& p) {
  if (p.items.empty()) return;
  const std::uint64_t rank = p.items.front().first;
  if (rank >= static_cast<std::uint64_t>(ranks_.ranks()) || static_cast<int>(rank) == ranks_.rank() ||
      !cut_.is_home(static_cast<int>(rank)))
    remote::refuse_index("home at rank", rank);
  hosted_home& of = homes_.find_or_make(static_cast<int>(rank), p.home);
  p.items.erase(p.items.begin());
  if (what == topic::forward) return call(of, std::move(p), true);
  if (what == topic::forwards_credit) return take_credit(of, from, p);
  homes_.answer(of);
}

void hosted_entry_entity::take_credit(hosted_home& of, int from, const remote::rank_message& p) {
  weir::detail::take_credit(run_, of.credit, from, p.items);
  exit_.has_more_credit();
}

void hosted_entry_entity::lost(int rank) {
  homes_.lost(rank);
  exit_.has_more_credit();
}

void hosted_entry_entity::call(hosted_home& from, remote::rank_message&& p, bool on_route) {
  std::vector<record_body*> records;
  records.reserve(p.items.size());
  std::vector<std::pair<const item*, owned_body>> unread;
  for (item& i : p.items) {
    const bool is_read = i.record != nullptr;
    if (!i.is(item::has_record)) remote::refuse_index("record of call", i.first);
    if (!is_read) i.record = make_body(shape::empty());
    if (i.is(item::keeps)) i.record = with_handle(i.record, from, on_route ? i.second : i.first);
    scope& in = scope_for(from, on_route ? 0 : i.second);
    i.record->order = from.position(i.first);
    in.hold_with_outer();
    i.record->where = &in;
    if (is_read)
      records.push_back(i.record);
    else
      unread.emplace_back(&i, std::exchange(i.record, nullptr));
  }
  homes_.arrived(from, p.items);
  arrived_.fetch_add(records.size(), std::memory_order_relaxed);
  for (item& i : p.items) i.record = nullptr;
  if (!records.empty()) own_region->unbounded()->push(records.data(), records.size());
  for (auto& [what, ended] : unread) fail_unread(from, p, *what, std::move(ended));
}

// A call arrived with a field that cannot be read.
void hosted_entry_entity::fail_unread(hosted_home& from, const remote::rank_message& p, const item& i,
                                      owned_body ended) {
  failure f;
  f.kind = failure_kind::not_sent;
  f.path = path(*ended);
  f.entity = cut_.name;
  f.cause = "what rank " + std::to_string(from.sender()) + " sent cannot be read: " + p.why_unreadable(i);
  f.rank = ranks_.rank();
  homes_.refused(from, i.bytes);
  run_.record_failed(std::move(f), ended.release(), false);
}

record_body* hosted_entry_entity::with_handle(record_body* arrived, const hosted_home& from, std::uint64_t call) {
  auto& [of, slots] = with_handles_[arrived->shape];
  const field<remote::kept_handle>& label = remote::kept_label();
  if (!of) {
    std::vector<const label_info*> labels(arrived->shape->labels().begin(), arrived->shape->labels().end());
    labels.push_back(label.info());
    const shape* const all = shape::of(labels);
    std::vector<int> places;
    for (int i = 0; i < arrived->shape->size(); ++i) places.push_back(all->find((*arrived->shape)[i].key));
    slots = std::move(places);
    of = all;
  }
  record_body* const all = make_body(of);
  try {
    all->slots()[of->find(label.key())] = make_word<remote::kept_handle>(from.handle(call));
  } catch (...) {
    free_body(all);
    throw;
  }
  for (int i = 0; i < arrived->shape->size(); ++i)
    all->slots()[slots[static_cast<std::size_t>(i)]] = arrived->slots()[i];
  free_body(arrived);
  return all;
}

hosted_entry_entity::scopes& hosted_entry_entity::all_scopes() const {
  return static_cast<scopes&>(*run_.outermost->state(state_index_));
}

scope& hosted_entry_entity::scope_for(const hosted_home& from, std::uint64_t number) {
  return all_scopes().find_or_make(run_, inside_, from, number);
}

void hosted_entry_entity::end_scope(const hosted_home& from, std::uint64_t number) {
  const owned_scope one = all_scopes().take(from, number);
  if (one) endings::leave_behind(*one);
}

void hosted_entry_entity::make_scopes() { run_.outermost->state(state_index_) = std::make_unique<scopes>(); }

void hosted_entry_entity::start(hosted_home& from, std::uint64_t call) {
  scope& in = scope_for(from, 0);
  order_slot* const slot = from.position(call);
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

}  // namespace weir::detail
