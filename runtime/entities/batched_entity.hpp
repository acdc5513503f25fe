#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/entities/lane_entity.hpp"

namespace weir::detail {

// A box whose invocations take several records (box_without_batch::batched()). It heads a region, whose workers take as
// many of the records that wait as component_state::batches says. Where batches are fixed it takes them one at a time,
// as its gather_entity made them.
class batched_entity final : public lane_entity {
 public:
  using lane_entity::lane_entity;
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override;
  bool is_always_head() const override { return true; }
  void make_region(std::size_t capacity) override;

  // Records of fixed batches that were taken, and these batches. Exact once the run is quiet.
  std::uint64_t records_taken() const { return records_taken_.load(std::memory_order_relaxed); }
  std::uint64_t batches_taken() const { return batches_taken_.load(std::memory_order_relaxed); }

 private:
  // A record of a batch.
  struct member {
    record_body* record;
    const box_plan* plan;
  };
  class attempt;
  class results;
  void run_alone(record_body* r, context& c, results& out) noexcept;
  // One invocation for all. False: it threw, or could not begin, and the records are as they were.
  bool run_together(std::span<const member> members, const predictor_values_read& values, context& c, results& out);
  void run(std::span<record_body* const> records, context& c, results& out) noexcept;

  threads::atomic<std::uint64_t> records_taken_{0}, batches_taken_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
