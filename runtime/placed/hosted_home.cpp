#include "runtime/placed/hosted_home.hpp"

#include <new>
#include <utility>

#include "runtime/entities/endings.hpp"
#include "runtime/placed/credit.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

namespace {

// In the tally of a call's position: whether its home was told of an error, and how many subcalls went on.
constexpr std::uint32_t told_home = 1, one_went_on = 2;

}  // namespace

// Is told when a call is over.
class hosted_home::listener : public position_listener {
 public:
  explicit listener(hosted_home& of) : home(of) {}
  bool takes(const failure& f, const record_body& r, order_slot& slot) noexcept override {
    slot.tally.fetch_or(told_home, std::memory_order_relaxed);
    return home.take_failure(f, r, slot.number);
  }

  hosted_home& home;
};

class hosted_home::over_calls final : public listener {
 public:
  using listener::listener;
  // After a stop a call may only seem to be over, since its records were dropped.
  void is_over(order_slot& slot) noexcept override {
    const std::uint64_t call = slot.number, went_on = slot.tally.load(std::memory_order_relaxed) / one_went_on;
    order_slot::destroy(&slot);
    if (!home.run_.life.is_stopping()) home.post_settled(call, went_on, item::done);
  }
};

// Each instance that finishes has a position of its own.
class hosted_home::over_finishing final : public listener {
 public:
  using listener::listener;
  void is_over(order_slot& slot) noexcept override {
    const std::uint64_t number = slot.number;
    order_slot::destroy(&slot);
    if (home.run_.life.is_stopping()) return;
    std::uint64_t call;
    {
      const lock_guard lock(home.mutex_);
      const auto at = home.positions_.find(number);
      call = at->second;
      home.positions_.erase(at);
    }
    home.post_settled(number, 0, item::done);
    home.finished_one(call);
  }

  order_slot* another(order_slot& slot) override {
    order_slot* const made = order_slot::make(*this, nullptr);
    std::uint64_t call;
    {
      const lock_guard lock(home.mutex_);
      // `slot` is that of the call, or one within.
      const auto at = home.positions_.find(slot.number);
      call = at == home.positions_.end() ? slot.number : at->second;
      made->number = ++home.opened_ | remote::opened_there;
      home.positions_[made->number] = call;
      ending& e = home.finishing_.at(call);
      ++e.left;
      e.found_some = true;
    }
    remote::rank_message_writer p(static_cast<std::uint32_t>(topic::opened), home.cut_, home.number_);
    p.add(call, made->number);
    home.ranks_.send(home.rank, std::move(p));
    return made;
  }
};

// Handles of labels may outlive the home.
class hosted_home::released_labels final : public remote::release_listener {
 public:
  explicit released_labels(hosted_home& of) : home_(&of) {}
  void released(std::uint64_t call) noexcept override {
    const lock_guard lock(mutex_);
    if (home_ && !home_->run_.life.is_stopping()) home_->post_settled(0, call, item::released);
  }
  void close() {
    const lock_guard lock(mutex_);
    home_ = nullptr;
  }

 private:
  WEIR_LOCK(handles) mutex_;
  hosted_home* home_ WEIR_GUARDED_BY(mutex_);
};

hosted_home::hosted_home(run_environment& run, remote::session& ranks, std::uint32_t cut, int r, std::uint32_t number)
    : rank(r),
      credit(ranks.limits()),
      owed(ranks.limits()),
      run_(run),
      ranks_(ranks),
      cut_(cut),
      number_(number),
      before_(ranks.plan().before_for(cut, r)),
      next_(ranks.plan().next_for(cut, r)),
      calls_(std::make_unique<over_calls>(*this)),
      finishings_(std::make_unique<over_finishing>(*this)),
      labels_(std::make_shared<released_labels>(*this)) {}

hosted_home::~hosted_home() { labels_->close(); }

hosted_home& hosted_home::of(const order_slot& position) {
  return static_cast<const listener&>(position.listener()).home;
}

int hosted_home::sender() const {
  return before_ < 0 ? rank : ranks_.plan().cuts()[static_cast<std::size_t>(before_)].fars.front();
}

int hosted_home::gives_to() const {
  return gives_home() ? rank : ranks_.plan().cuts()[static_cast<std::size_t>(next_)].fars.front();
}

remote::kept_handle hosted_home::handle(std::uint64_t call) const { return {is_on_route() ? nullptr : labels_, call}; }

order_slot* hosted_home::position(std::uint64_t call) {
  order_slot* const made = order_slot::make(*calls_, nullptr);
  made->number = call;
  return made;
}

// The last record takes the call along, unless subcalls went on or an error went home. Then this rank reports that the
// call is over here, after its earlier messages.
bool hosted_home::is_last(const order_slot& position) const noexcept {
  return &position.listener() == calls_.get() && position.is_held_once() &&
         (gives_home() || position.tally.load(std::memory_order_relaxed) == 0);
}

void hosted_home::goes_on(order_slot& position) noexcept {
  position.tally.fetch_add(one_went_on, std::memory_order_relaxed);
}

void hosted_home::finish(std::uint64_t call, scope& in) {
  {
    const lock_guard lock(mutex_);
    if (!finishing_.try_emplace(call, ending{1, false}).second) remote::refuse_index("new call", call);
  }
  order_slot* const base = order_slot::make(*finishings_, nullptr);  // those of the instances are made of it
  base->number = call;
  endings::finish_next(in, base, 0);
  order_slot::destroy(base);
  finished_one(call);
}

// The last says that all have, and whether there may be more.
void hosted_home::finished_one(std::uint64_t call) noexcept {
  bool found_some;
  {
    const lock_guard lock(mutex_);
    const auto at = finishing_.find(call);
    if (--at->second.left > 0) return;
    found_some = at->second.found_some;
    finishing_.erase(at);
  }
  post_settled(call, 0, static_cast<std::uint8_t>(item::done | (found_some ? item::more : 0)));
}

remote::rank_message_writer hosted_home::result_message(topic home, topic route) const {
  if (gives_home()) return {static_cast<std::uint32_t>(home), cut_, number_};
  remote::rank_message_writer p(static_cast<std::uint32_t>(route), static_cast<std::uint32_t>(next_), number_);
  p.add(static_cast<std::uint64_t>(rank), 0);
  return p;
}

void hosted_home::tell_credit(bool asked) {
  const bool to_home = before_ < 0;
  remote::rank_message_writer p(static_cast<std::uint32_t>(to_home ? topic::calls_credit : topic::forwards_credit),
                                to_home ? cut_ : static_cast<std::uint32_t>(before_), number_);
  if (!to_home) p.add(static_cast<std::uint64_t>(rank), 0);
  write_credit(p, owed, asked);
  ranks_.send(sender(), std::move(p));
  owed.told();
}

void hosted_home::post_settled(std::uint64_t call, std::uint64_t second, std::uint8_t what) noexcept {
  try {
    remote::rank_message_writer p(static_cast<std::uint32_t>(topic::part_over), cut_, number_);
    p.add(call, second, what);
    ranks_.send(rank, std::move(p));
  } catch (const std::bad_alloc&) {
    if (what & item::done) run_.out_of_memory();  // else labels are kept for longer
  }
}

bool hosted_home::take_failure(const failure& f, const record_body& r, std::uint64_t call) noexcept {
  try {
    const remote::packing how = ranks_.packs().pack_result(*r.shape);
    const std::uint64_t labels_of = how.kept < 0 ? 0 : word_as<remote::kept_handle>(r.slots()[how.kept]).call();
    remote::rank_message_writer p(static_cast<std::uint32_t>(topic::failed), cut_, number_);
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
    ranks_.send(rank, std::move(p));
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
  return true;
}

}  // namespace weir::detail
