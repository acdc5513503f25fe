#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/entities/box_entity.hpp"
#include "runtime/entities/end_gate.hpp"
#include "runtime/network/nodes.hpp"
#include "runtime/streams/scope.hpp"

namespace weir::detail {

class fold_entity;
class order_exit_entity;

// An element that acts at the end of its input, in each scope: a fold, or a part on another rank with folds in it.
class finishing {
 public:
  virtual std::int64_t place() const = 0;  // in the order of the stream

  // Whether it has something to do at the end of its input.
  virtual bool finishes() const = 0;

  // The state of an instance that is to finish: one that has begun, or in the outermost scope one that never finished.
  // False: there is none. REQUIRES, for this and the next two: no record is in the scope, and none comes meanwhile.
  virtual bool is_to_finish(scope& in) const = 0;
  virtual std::uint64_t made_as(scope& in) const = 0;  // a number that grows from one state of it to the next

  // Lets the instance finish. `at` is the position of its outputs in the first `outer` of the ordered networks around
  // it; in those within that they come last. Takes over the reference to it. Throws std::bad_alloc.
  virtual void finish(scope& in, order_slot* at, std::size_t outer) = 0;

  // The instance is dropped with its scope.
  virtual void leave_behind(scope&) noexcept {}

 protected:
  ~finishing() = default;
};

// The state of a fold in one scope.
class fold_state final : public entity_state {
 public:
  explicit fold_state(const keeping& of) : of_(of) {}
  ~fold_state() override {
    if (has_begun()) of_.end(value());
  }
  bool forget(run_environment&, const error_site&) override { return false; }

  // The user's value, made when first needed. Throws what its maker throws.
  void* value() {
    if (!has_begun()) value_.store(of_.make(of_.maker.get()), std::memory_order_relaxed);
    return value_.load(std::memory_order_relaxed);
  }
  bool has_begun() const { return value_.load(std::memory_order_relaxed) != nullptr; }

  std::uint64_t made_as = 0;  // a number that grows from one state of the fold to the next
  // Where records of one state may be taken by several threads: how many were taken, and how many are through. A record
  // is run when as many are through as were taken before it.
  std::uint64_t taken = 0;  // under the region's lock
  threads::atomic<std::uint64_t> through{0};

  // Any thread: fetches the value, if there is one, for value().
  void prefetch() const { __builtin_prefetch(value_.load(std::memory_order_relaxed), 1); }

 private:
  const keeping& of_;
  std::atomic<void*> value_{nullptr};  // written by the thread whose turn it is; others only prefetch by it
};

// The end handler of a fold, as an entity of its own. A record that arrives here carries the state of one instance; see
// ending_of().
class fold_end_entity final : public box_entity {
 public:
  using box_entity::box_entity;
  entity* step(record_body*& r, context& c) override;
  int max_width() const override { return component.spec->max_width; }
  bool emits() const override { return true; }
  bool is_always_head() const override { return true; }
  void make_region(std::size_t capacity) override;
  void fail(failure_kind kind, record_body* r, std::string_view cause) noexcept override;

  // Lets a state finish, in this scope and at this position. Takes over the reference to the position, and counts the
  // scope. A null state is one to be made. Throws std::bad_alloc.
  void finish(std::unique_ptr<fold_state> state, scope& in, order_slot* at);

  fold_entity* fold = nullptr;

 private:
  const std::unique_ptr<const box_plan> plan_{plan_without_input(*component.spec)};
};

// A fold at its place.
//
// Outside of loops and within a split, records of different branches may be in it at the same time. Then it numbers the
// records of each state as they are taken, and each waits for the one before it. Elsewhere one is in it at a time.
//
// Where branches end it takes nothing new while its end has many states to finish.
class fold_entity final : public box_entity, public finishing {
 public:
  // e: null where nothing acts at the end. within: the ordered networks it is in, from the outermost on.
  fold_entity(run_environment& run, std::string path, component_state& c, fold_end_entity* e, std::size_t state_index,
              const surroundings& around, std::vector<order_exit_entity*> within);
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override;
  int max_width() const override { return has_branches_ ? component.widest : 1; }
  int max_width_inline() const override { return 1; }
  bool is_always_head() const override { return gate || box_entity::is_always_head(); }
  void make_region(std::size_t capacity) override;

  // finishing
  std::int64_t place() const override { return static_cast<std::int64_t>(index); }
  bool finishes() const override { return end != nullptr; }
  bool is_to_finish(scope& in) const override;
  std::uint64_t made_as(scope& in) const override;
  void finish(scope& in, order_slot* at, std::size_t outer) override;
  void leave_behind(scope& in) noexcept override {
    if (has_begun(in)) finished();
  }

  std::uint64_t ended() const override { return absorbed.get(); }

  bool has_begun(scope& in) const;  // REQUIRES: as is_to_finish()
  void finished() { finished_.fetch_add(1, std::memory_order_relaxed); }
  // States that have begun and not finished; and says that one will not.
  std::uint64_t unfinished() const {
    const std::uint64_t finished = finished_.load(std::memory_order_relaxed);
    return begun_.load(std::memory_order_relaxed) - finished;
  }

  fold_end_entity* const end;
  std::optional<end_gate> gate;  // where branches end

 private:
  class turn;
  void number(std::span<record_body* const> records, std::uint64_t* into) noexcept;
  void prefetch(std::span<record_body* const> records) const noexcept;
  fold_state& state_in(scope& in);
  fold_state& make_state(std::unique_ptr<entity_state>& to);
  bool begin(fold_state& state, record_body* r, context& c) noexcept;
  entity* step_in(scope& in, record_body*& r, context& c, const box_plan& plan);

  const std::size_t state_index_;
  const bool has_branches_;
  const std::vector<order_exit_entity*> within_;
  bool finished_outermost_ = false;
  std::uint64_t made_ = 0;           // states so far; by the region's one thread, or under its lock
  threads::atomic<int> waiting_{0};  // records that wait for another of their state
  threads::atomic<std::uint64_t> begun_{0}, finished_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
