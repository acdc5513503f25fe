#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/engine/inlet_gate.hpp"
#include "runtime/streams/order.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class order_exit_entity;

// The entry of an ordered network: gives each record its position. Its region's gate holds records back while more
// outputs than a stream would hold wait at the exit. While the exit is fused, there are no positions: one region runs
// all of the network, one record after the other. The entry is fused only then, since there is nothing to hold back
// for.
class order_entry_entity final : public entity {
 public:
  order_entry_entity(run_environment& run, std::string path, order_exit_entity& exit)
      : entity(run, std::move(path)), exit_(exit) {}
  std::string name() const override { return "ordered"; }
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override;
  int max_width() const override { return 1; }
  void make_region(std::size_t capacity) override;

 private:
  order_exit_entity& exit_;
};

// The exit of an ordered network: outputs wait here for the end of all earlier positions. Outputs that may leave go
// into the unbounded inlet of this entity's region. An output that arrives in its turn waits for room there, as in
// front of a stream, since it waits for the entities behind alone. All others are taken.
class order_exit_entity final : public entity, public position_listener {
 public:
  order_exit_entity(run_environment& run, std::string path);
  std::string name() const override { return "ordered"; }
  entity* step(record_body*&, context&) override { return next; }
  channel& inlet() override { return sorting_; }
  int max_width() const override { return 1; }
  void make_region(std::size_t capacity) override;

  // Makes a new position, the last one. Takes over the reference to the outer one.
  order_slot* open(order_slot* outer);
  order_slot* before(order_slot& slot, order_slot* outer) override;

  // Whether the entry is to wait, since more outputs wait here than its stream holds, and than the least that is
  // admitted.
  bool holds_back();
  void set_least_admitted(std::size_t outputs);
  std::size_t waiting() const { return count_.load(std::memory_order_relaxed); }
  // Drops the waiting outputs; false when there were none. REQUIRES: no worker runs.
  bool drop_all() noexcept;

  order_entry_entity* entry = nullptr;

 private:
  // Sorts outputs in by their positions. Thread-safe.
  class sorter final : public channel {
   public:
    explicit sorter(order_exit_entity& of) : of_(of) {}
    std::size_t push(record_body* const* records, std::size_t count) override;
    bool has_room() const override { return of_.room() > 0; }
    schedulable* reader() override { return of_.own_region.get(); }

   private:
    order_exit_entity& of_;
  };

  bool is_above_capacity() const;
  std::size_t places() const;
  std::size_t room() const;
  void open_gate();  // when outputs have gone on
  std::size_t sort_in(record_body* const* records, std::size_t count);
  std::size_t leaving_at_once(record_body* const* records, std::size_t count) const;  // under mutex_
  static order_slot* go_out(record_body& r);
  static void come_back(record_body& r, order_slot& slot);
  void is_over(order_slot& slot) noexcept override;
  void after(order_slot* done, std::size_t left) noexcept;
  void end_over(order_slot& slot, order_slot*& done, std::size_t& left) noexcept;  // under mutex_, as those below
  void unlink(order_slot& slot) noexcept;
  void end(order_slot& slot, order_slot*& done) noexcept;
  void end_first_ones(order_slot*& done, std::size_t& left) noexcept;
  bool let_out(order_slot& slot, std::size_t& left) noexcept;

  sorter sorting_{*this};
  WEIR_LOCK(order) mutex_;
  order_slot* first_ = nullptr;  // its outputs may leave
  order_slot* last_ = nullptr;
  threads::atomic<std::size_t> count_{
      0};  // outputs that wait for their turn; relaxed: only adds to the number at the gate
  threads::atomic<std::size_t> least_admitted_{0};
  inlet_gate gate_;  // of the entry
};

}  // namespace weir::detail
