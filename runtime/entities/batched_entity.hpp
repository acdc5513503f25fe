#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/entities/batch_attempt.hpp"
#include "runtime/entities/batch_results.hpp"
#include "runtime/entities/lane_entity.hpp"

namespace weir::detail {

class end_gate;

// A box whose invocations take several records (box_without_batch::batched()). It heads a region, whose workers take as
// many of the records that wait as component_state::batches says. Where batches are fixed it takes them one at a time,
// as its gather_entity made them.
class batched_entity : public lane_entity {
 public:
  using lane_entity::lane_entity;
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override;
  bool is_always_head() const override { return true; }
  void make_region(std::size_t capacity) override;

  // Records of fixed batches that were taken, and these batches. Exact once the run is quiet.
  std::uint64_t records_taken() const { return records_taken_.load(std::memory_order_relaxed); }
  std::uint64_t batches_taken() const { return batches_taken_.load(std::memory_order_relaxed); }

  end_gate* gate = nullptr;  // of the gather_entity in front, where branches end

 protected:
  // Runs a batch on the cores of this thread. `values`: the mean of the members'.
  virtual void run_members(std::span<const batch_member> members, const predictor_values_read& values, context& c,
                           batch_results& out) noexcept;
  // The size of the next batch where it is learnt, for the region's intake.
  virtual intake::batch_size next_size(std::size_t waiting) const noexcept {
    return {component.batches->next(waiting)};
  }
  void add_results(batch_attempt& all, std::span<const batch_member> members, batch_results& out) noexcept;
  void drop_all(std::span<const batch_member> members) noexcept;  // the run is stopping

 private:
  void run_alone(const batch_member& m, context& c, batch_results& out) noexcept;
  // One invocation for all. False: it threw, or could not begin, and the records are as they were.
  bool run_together(std::span<const batch_member> members, const predictor_values_read& values, context& c,
                    batch_results& out);
  void run(std::span<record_body* const> records, context& c, batch_results& out) noexcept;

  threads::atomic<std::uint64_t> records_taken_{0}, batches_taken_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
