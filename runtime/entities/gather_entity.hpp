#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/record/record.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/entities/carried_batch.hpp"
#include "runtime/entities/end_gate.hpp"
#include "runtime/entities/fold_entities.hpp"

namespace weir::detail {

class batched_entity;

// Gathers the records of each scope for a box of fixed batches (box_without_batch::batched(size, fixed_size)). It sends
// on one record for `size` of them, and for the rest at the end of the input. That record carries the others, and has
// the position of the last.
class gather_entity final : public entity, public finishing {
 public:
  // branches_end: of a split around it. within: the ordered networks it is in, from the outermost on.
  gather_entity(run_environment& run, std::string path, batched_entity& to, std::size_t state_index, bool branches_end,
                std::vector<order_exit_entity*> within);
  std::string name() const override;
  entity* step(record_body*& r, context& c) override;
  int max_width() const override { return 1; }
  bool is_always_head() const override { return gate_.has_value(); }
  void make_region(std::size_t capacity) override;
  // Records, and not the batches that they are in.
  std::uint64_t sent_to(const entity&, std::uint64_t) const override { return sent(); }
  flow_count passed_to(const entity&) const override { return {sent(), taken_.load(std::memory_order_relaxed)}; }

  // finishing
  std::int64_t place() const override { return static_cast<std::int64_t>(index); }
  bool finishes() const override { return true; }
  bool is_to_finish(scope& in) const override;
  std::uint64_t made_as(scope& in) const override;
  void finish(scope& in, order_slot* at, std::size_t outer) override;

  // In all scopes; exact once the run is quiet.
  std::size_t held() const { return held_.load(std::memory_order_relaxed); }  // records that wait for a full batch
  std::uint64_t records_dropped() const;                                      // gathered, and never taken
  std::uint64_t batches_dropped() const;                                      // their batches

 private:
  class gathered;
  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  gathered& state_in(scope& in);
  record_body* made_of(gathered& g, std::size_t held);

  batched_entity& to_;
  const std::size_t size_;
  const std::size_t state_index_;
  const std::vector<order_exit_entity*> within_;
  std::optional<end_gate> gate_;                                    // where branches end
  std::uint64_t made_ = 0;                                          // states that have begun; by one thread at a time
  threads::atomic<std::uint64_t> taken_{0}, sent_{0}, batches_{0};  // relaxed: numbers only
  threads::atomic<std::size_t> held_{0};
};

}  // namespace weir::detail
