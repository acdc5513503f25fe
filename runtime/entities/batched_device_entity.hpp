#pragma once

#include <cstddef>
#include <span>

#include "runtime/entities/batched_entity.hpp"

namespace weir::detail {

// A box whose invocations take several records, with a second implementation on a device. Its thread holds no cores:
// the batch waits until a lane of the box's cores or a slot of the device runs it (device_choice). Where its size is
// learnt, the side is chosen together with the size.
class batched_device_entity final : public batched_entity {
 public:
  using batched_entity::batched_entity;

 private:
  class batch;
  void run_members(std::span<const batch_member> members, const predictor_values_read& values, context& c,
                   batch_results& out) noexcept override;
  intake::batch_size next_size(std::size_t waiting) const noexcept override;
};

}  // namespace weir::detail
