#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <weir/record/errors.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/context.hpp"
#include "runtime/engine/entity.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/box_plan.hpp"
#include "runtime/entities/component_state.hpp"
#include "runtime/machine/arena.hpp"
#include "runtime/machine/lane_usage.hpp"

// Classes of one invocation of a box: its timing, and the box's emitter.
namespace weir::detail {

// An invocation as it is timed.
struct invocation_timing {
  static constexpr double shortest = 1e-9;  // a clock may not tell the two ends of an invocation apart

  double start = 0;  // when it was the box's turn
  double seconds = 0;
  double elsewhere = 0;  // in boxes downstream and waiting, inside emit
  int cores = 1, first_core = 0;
  bool well = false;  // it did not throw
  std::optional<lane_usage> usage;
  at_work::invocation seen;  // of this invocation, for the watchdog; once it began, the one before it
  at_work* doing = nullptr;

  // Before it begins: it is on this worker's lease. `reads_usage`: still, for the cores that it has there.
  void set_place(const run_environment& run, const worker& by, bool reads_usage) {
    cores = seen.cores = by.lease->granted.size();
    first_core = by.lease->first_core();
    if (!reads_usage)
      usage.reset();
    else if (usage)
      usage.emplace(run.platform, by.arena ? by.arena->clocks() : nullptr, usage->reads_delays());
  }
  void began(const run_life& run) {
    if (usage) usage->begin();
    start = run.now();
    seen.since = start;
    seen = doing->begin(seen);
  }
  void ended(const run_life& run, bool was_well) {
    doing->end(seen);
    seconds = std::max(run.now() - start, shortest);
    if (usage) usage->end();
    well = was_well;
  }
};

// Around a timed call: see invoke().
struct timed_call {
  kept_floats& floats;
  const run_life& life;
  invocation_timing& timing;

  void enter() const { timing.began(life); }
  void leave(bool well) const {
    timing.ended(life, well);
    floats.keep();
  }
};

// Where an invocation emits to.
class box_emission final : public emission {
 public:
  // at: the box's place; given: counts its outputs; timed: null where the invocation is not.
  box_emission(entity& at, const component_state& of, record_counter& given, context& c, const box_plan& plan,
               const record_body& input, invocation_timing* timed)
      : place_(at),
        component_(of),
        given_(given),
        context_(c),
        plan_(plan),
        input_(input),
        timed_(timed),
        tied_(c.by, of.spec->code->takes_grant),
        initialises_(of.spec->initialiser),
        gathers_(of.limits_concurrency() || of.batches) {}

  record_body* build(const labelled_word* words, std::size_t count) override {
    for (const box_plan::variant& v : plan_.variants)
      if (is_in_order_of(v, words, count))  // as most boxes emit
        return derived_from(input_, v, context_.by.spare, [words](std::size_t i) { return words[i].word; });
    return build_from_any_order(words, count);
  }

  [[gnu::noinline]] record_body* build_from_any_order(const labelled_word* words, std::size_t count) const {
    std::array<slot_word, max_given> given;
    for (const box_plan::variant& v : plan_.variants)
      if (is_of(v, words, count, given.data()))
        return derived_from(input_, v, context_.by.spare, [&given](std::size_t i) { return given[i]; });
    throw type_error(undeclared(*component_.spec, words, count));
  }

  static bool is_in_order_of(const box_plan::variant& v, const labelled_word* words, std::size_t count) {
    const box_plan::variant::given_label* const labels = v.labels.data();
    if (v.labels.size() != count) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (words[i].key != labels[i].key || words[i].type != labels[i].type) return false;
    return true;
  }

  // Whether these are the labels of a variant; then `given` gets their words in the variant's order.
  static bool is_of(const box_plan::variant& v, const labelled_word* words, std::size_t count, slot_word* given) {
    if (v.labels.size() != count) return false;
    const auto is = [&](std::size_t w, const box_plan::variant::given_label& l) {
      if (words[w].key != l.key) return false;
      return words[w].type == l.type || (words[w].type && known_type(*words[w].type) == l.type);
    };
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t w = 0;
      while (w < count && !is(w, v.labels[i])) ++w;
      if (w == count) return false;
      given[i] = words[w].word;
    }
    return true;
  }

  void deliver(record_body* body) override {
    if (initialises_) return let_in(body);
    if (is_to_be_sent(body)) send(body);
  }

  emitter& open() override {
    if (!emitter_) emitter_ = &context_.by.emitting.begin(*this);
    return *emitter_;
  }
  std::stop_token stop() const override { return context_.by.lease->granted.stop(); }

  bool has_emitted() const { return emitted_ > 0; }
  bool has_sent() const { return emitted_ > gathered_.size(); }

  // After the invocation: sends on the records that were kept back. A box behind may wait for the same resource, or
  // be the same component at another place (component_state::limits_concurrency). Or it waits for an invocation that
  // waits for this thread.
  void send_gathered() {
    if (!gathered_.empty()) [[unlikely]]
      send_all_gathered();
  }
  [[gnu::always_inline]] ~box_emission() {
    if (uncounted_ > 0) given_.add(uncounted_);
    if (emitter_) context_.by.emitting.end(*emitter_);
    if (!gathered_.empty()) [[unlikely]]
      drop_gathered();
  }

 private:
  // False: it was gathered, or sent with care.
  [[gnu::always_inline]] bool is_to_be_sent(record_body* body) {
    // A stop leaves no gap: records that an earlier input was to emit may be missing.
    if (context_.run.life.is_stopping()) [[unlikely]]
      refuse(body);
    if (gathers_ || component_.lends()) {
      gather(body);
      return false;
    }
    if (is_sampled() || context_.run.floats.changed_before()) [[unlikely]] {
      send_with_care(body);
      return false;
    }
    return true;
  }

  [[gnu::noinline]] void send_all_gathered() {
    for (record_body* body : gathered_) {
      count_given();
      context_.send_on(place_.next, body);
    }
    gathered_.clear();
  }
  [[gnu::noinline]] void drop_gathered() noexcept {
    for (record_body* body : gathered_) drop_body(body);
  }
  [[noreturn, gnu::noinline]] static void refuse(record_body* body) {
    drop_body(body);
    throw stopped{};
  }

  // Where the time in boxes downstream, or the floating-point state, is to be looked at.
  [[gnu::noinline]] void send_with_care(record_body* body) {
    const bool is_read = is_sampled();
    const std::uint64_t before_it = emitted_;
    const double before = is_read ? context_.run.life.now() : 0;
    if (!context_.run.floats.differs(is_read)) [[likely]] {
      send_any(body);
    } else {
      const float_state::scope as_started(context_.run.floats.state());  // not as this box has set it
      send_any(body);
    }
    if (is_read) timed_->elsewhere += (context_.run.life.now() - before) * (before_it < all_of_first ? 1 : one_in);
  }

  [[gnu::always_inline]] void send(record_body* body) {
    count_given();
    ++emitted_;  // also when what follows throws
    context_.send_on(place_.next, body);
    pass_on();
    context_.by.doing.goes_on(place_);
  }
  void send_any(record_body* body) { initialises_ ? send_new(body) : send(body); }

  // Most records leave nothing to pass on.
  void pass_on() {
    if (context_.run.life.is_stopping() || !context_.out.empty()) [[unlikely]]
      context_.pass_on(place_, input_);
  }

  // Two clock reads a record cost more than a short record does. So of many records, one in 64 stands for all.
  static constexpr std::uint64_t all_of_first = 64, one_in = 64;
  bool is_sampled() const { return timed_ && (emitted_ < all_of_first || emitted_ % one_in == 0); }

  // By an initialiser. One function for all of a record's way: a source of short boxes goes by nothing else.
  [[gnu::noinline]] void let_in(record_body* body) {
    if (is_to_be_sent(body)) send_new(body);
  }

  // One test decides for most records, also whether there is a limit in flight: then all are wanted.
  [[gnu::always_inline]] void send_new(record_body* body) {
    given_.add();  // each: the invocation may last long, and the scheduler asks meanwhile how many there are
    const std::uint64_t before_it = emitted_++;
    if (context_.run.latency.wants(before_it)) [[unlikely]] {
      context_.let_in(place_, body, input_);
      context_.run.latency.follow_if_wanted(*body, before_it, context_.run.in_flight);
    }
    context_.send_on(place_.next, body);
    pass_on();
    context_.between_records(place_, input_);
    context_.by.doing.goes_on(place_);
  }

  // An untimed invocation counts several at a time, since the counter may be atomic. Others may last long, and the
  // scheduler asks meanwhile how many records they give.
  [[gnu::always_inline]] void count_given() {
    constexpr std::uint64_t several = 64;
    if (++uncounted_ < several && !timed_) return;
    given_.add(std::exchange(uncounted_, 0));
  }

  [[gnu::noinline]] void gather(record_body* body) {
    try {
      gathered_.push_back(body);
    } catch (...) {
      drop_body(body);
      throw;
    }
    ++emitted_;
  }

  entity& place_;
  const component_state& component_;
  record_counter& given_;
  context& context_;
  const box_plan& plan_;
  const record_body& input_;
  invocation_timing* timed_;
  const tied_to_lease tied_;
  const bool initialises_;
  const bool gathers_;
  std::uint64_t emitted_ = 0, uncounted_ = 0;
  emitter* emitter_ = nullptr;  // null: the box takes none
  std::vector<record_body*> gathered_;
};

}  // namespace weir::detail
