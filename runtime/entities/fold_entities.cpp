#include "runtime/entities/fold_entities.hpp"

#include <exception>
#include <limits>
#include <new>
#include <utility>

#include "runtime/entities/box_invocation.hpp"
#include "runtime/entities/order_entities.hpp"

namespace weir::detail {
namespace {

constexpr std::uint64_t not_numbered = std::numeric_limits<std::uint64_t>::max();  // there was no memory

// The field of the records that let a state finish.
using ending_state = std::unique_ptr<fold_state>;
const field<ending_state>& ending_label() {
  static const field<ending_state> label(end_of_input);
  return label;
}

}  // namespace

// ---- fold ----

inline fold_state& fold_entity::state_in(scope& in) {
  auto& state = in.state(state_index_);
  return state ? static_cast<fold_state&>(*state) : make_state(state);
}

// A record's turn at its state. The turn passes on when this ends, but not after a stop, which leaves records out.
class fold_entity::turn {
 public:
  turn(fold_entity& of, scope& in, const record_body& r, context& c, std::uint64_t number)
      : of_(of), in_(in), at_(r.order), context_(c), number_(number), state_(of.state_in(in)) {
    // The record may end before this, and its branch with it, or its input on another rank.
    in_.hold_with_outer();
    if (at_) at_->hold();
    const auto is_mine = [&] { return state_.through.load(std::memory_order_seq_cst) == number_; };
    if (!is_mine()) {
      of_.waiting_.fetch_add(1, std::memory_order_seq_cst);
      context_.wait_for_earlier(of_, r, is_mine);
      of_.waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    has_arrived_ = is_mine();
  }
  // Sequentially consistent, as the reads of a waiter: either it sees this, or it is seen and woken.
  ~turn() {
    if (has_arrived_) {
      state_.through.store(number_ + 1, std::memory_order_seq_cst);
      if (of_.waiting_.load(std::memory_order_seq_cst) > 0) context_.from.wake_turn_waiters();
    }
    in_.let_go_with_outer();
    if (at_) at_->let_go();  // the rank it is from may then ask the state to finish
  }
  turn(const turn&) = delete;
  bool has_arrived() const { return has_arrived_; }

 private:
  fold_entity& of_;
  scope& in_;
  order_slot* const at_;
  context& context_;
  const std::uint64_t number_;
  fold_state& state_;
  bool has_arrived_;
};

fold_entity::fold_entity(run_environment& run, std::string path, component_state& c, fold_end_entity* e,
                         std::size_t state_index, const surroundings& around, std::vector<order_exit_entity*> within)
    : box_entity(run, std::move(path), c),
      end(e),
      state_index_(state_index),
      has_branches_(around.in_split && !around.in_loop),
      within_(std::move(within)) {
  set_alone(!has_branches_);
  if (!end) return;
  end->fold = this;
  if (around.branches_end) gate.emplace(*this, *end);
}

void fold_entity::make_region(std::size_t capacity) {
  box_entity::make_region(capacity);
  if (gate) gate->set_in_front(run_.platform.has_threads());
  if (!has_branches_) return;
  own_region->in().set_numbering([](entity& head, std::span<record_body* const> records, std::uint64_t* into) noexcept {
    static_cast<fold_entity&>(head).number(records, into);
  });
}

// The states of different branches lie anywhere in memory, so those of all records are fetched together.
void fold_entity::prefetch(std::span<record_body* const> records) const noexcept {
  for (const record_body* const r : records) __builtin_prefetch(&run_.scope_of(*r), 1);
  for (const record_body* const r : records) __builtin_prefetch(run_.scope_of(*r).state(state_index_).get(), 1);
}

entity* fold_entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  if (&c.from != own_region.get()) {
    prefetch(batch);
    for (const record_body* const r : batch)
      if (const auto& state = run_.scope_of(*r).state(state_index_)) static_cast<const fold_state&>(*state).prefetch();
  }
  return entity::step_all(batch, c);
}

void fold_entity::number(std::span<record_body* const> records, std::uint64_t* into) noexcept {
  prefetch(records);
  for (record_body* const r : records) {
    try {
      fold_state& state = state_in(run_.scope_of(*r));
      *into = state.taken++;
      state.prefetch();
    } catch (const std::bad_alloc&) {
      *into = not_numbered;
    }
    ++into;
  }
}

[[gnu::noinline]] fold_state& fold_entity::make_state(std::unique_ptr<entity_state>& to) {
  auto made = std::make_unique<fold_state>(*component.spec->keeps);
  made->made_as = ++made_;
  fold_state& state = *made;
  to = std::move(made);
  return state;
}

inline entity* fold_entity::step_in(scope& in, record_body*& r, context& c, const box_plan& plan) {
  fold_state& state = state_in(in);
  if (!state.has_begun() && !begin(state, r, c)) [[unlikely]]
    return nullptr;
  return run_with(r, c, plan, state.value());
}

// False: the maker threw, and the record has failed.
[[gnu::noinline]] bool fold_entity::begin(fold_state& state, record_body* r, context& c) noexcept {
  c.by.doing.enter(*this);
  try {
    state.value();
  } catch (...) {
    run_.floats.keep();
    fail_with(r, std::current_exception());
    return false;
  }
  run_.floats.keep();
  c.by.doing.leave();
  begun_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

entity* fold_entity::step(record_body*& r, context& c) {
  scope& in = run_.scope_of(*r);
  const box_plan* const plan = component.plan_for(r->shape);
  if (!has_branches_ || &c.from != own_region.get()) return plan ? step_in(in, r, c, *plan) : no_match(r);
  const std::uint64_t number = *c.numbers++;
  if (number == not_numbered) throw std::bad_alloc();
  const turn mine(*this, in, *r, c, number);
  if (!mine.has_arrived()) {
    run_.errors.drop(1);
    drop_body(r);
    return nullptr;
  }
  return plan ? step_in(in, r, c, *plan) : no_match(r);
}

bool fold_entity::has_begun(scope& in) const {
  const auto& state = in.state(state_index_);
  return state && static_cast<const fold_state&>(*state).has_begun();
}

bool fold_entity::is_to_finish(scope& in) const { return (in.is_outermost() && !finished_outermost_) || has_begun(in); }

std::uint64_t fold_entity::made_as(scope& in) const {
  const auto& state = in.state(state_index_);
  return state ? static_cast<const fold_state&>(*state).made_as : 0;
}

void fold_entity::finish(scope& in, order_slot* at, std::size_t outer) {
  auto& held = in.state(state_index_);
  std::unique_ptr<fold_state> state(static_cast<fold_state*>(held.release()));
  if (in.is_outermost()) finished_outermost_ = true;
  if (!state || !state->has_begun()) begun_.fetch_add(1, std::memory_order_relaxed);
  try {
    for (std::size_t i = outer; i < within_.size(); ++i) at = within_[i]->open(at);
  } catch (...) {
    if (at) at->let_go();
    throw;
  }
  end->finish(std::move(state), in, at);
}

// ---- its end ----

void fold_end_entity::make_region(std::size_t capacity) {
  box_entity::make_region(capacity);
  own_region->add_unbounded(*this, *this, std::numeric_limits<std::size_t>::max());
  if (fold->gate) fold->gate->set_behind();
}

void fold_end_entity::finish(std::unique_ptr<fold_state> state, scope& in, order_slot* at) {
  record_body* body;
  try {
    if (!state) state = std::make_unique<fold_state>(*component.spec->keeps);
    body = std::move(record{ending_label() = ending_state(std::move(state))}).release();
  } catch (...) {
    if (at) at->let_go();
    throw;
  }
  body->order = at;
  if (in.parent()) {
    in.hold_with_outer();
    body->where = &in;
  }
  owned_body mine(body);
  own_region->unbounded()->push(&body, 1);
  mine.release();
}

void fold_end_entity::fail(failure_kind kind, record_body* r, std::string_view cause) noexcept {
  try {
    owned_body nothing{make_body(shape::empty())};  // the message shows no state
    move_context(*r, *nothing);
    drop_body(r);
    r = nothing.release();
  } catch (const std::bad_alloc&) {
  }
  fold->fail(kind, r, cause);
}

entity* fold_end_entity::step(record_body*& r, context& c) {
  fold_state& state = *word_as<ending_state>(r->slots()[0]);
  const int core = c.by.lease->first_core();  // it may end on another one
  invocation_timing t;
  t.doing = &c.by.doing;
  t.seen = {this, r, 1, c.by.lease->granted.size()};
  box_emission out(*this, component, given, c, *plan_, *r, &t);
  invocation i{r, nullptr, nullptr, 0, &c.by.lease->granted, &out};
  const bool ended_well = invoke(
      timed_call{run_.floats, run_.life, t},
      [&] {
        i.kept = state.value();
        component.spec->keeps->finish(component.spec->callable.get(), i);
      },
      [&] {
        fold->finished();
        out.send_gathered();
        fail_with(r, std::current_exception());
      },
      [&] { drop_body(r); });
  if (!ended_well) return nullptr;
  fold->finished();
  out.send_gathered();
  if (run_.trace.is_on())
    run_.trace.add([&]() -> trace_event {
      return {.kind = trace_kind::invocation,
              .start = t.start - run_.life.started_at(),
              .seconds = t.seconds,
              .core = core,
              .cores = c.by.lease->granted.size(),
              .width = c.from.limit(),
              .entity = name(),
              .path = path(*r),
              .detail = "end of input"};
    });
  drop_body(r);
  return nullptr;
}

}  // namespace weir::detail
