#pragma once

#include "runtime/engine/entity.hpp"
#include "runtime/entities/box_entity.hpp"
#include "runtime/entities/lane_entity.hpp"

namespace weir::detail {

// A box with a second implementation on a device. Its thread holds no cores: the record waits until a lane of the
// box's cores or a slot of the device runs it (device_choice). Base: the box as it is on cores.
template <class Base>
class device_entity final : public Base {
 public:
  using Base::Base;
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override { return entity::step_all(batch, c); }
  bool remember(const shape*, bool, std::vector<cached_call>&) noexcept override { return false; }

 private:
  class one_record;
};

extern template class device_entity<box_entity>;
extern template class device_entity<lane_entity>;

}  // namespace weir::detail
