#pragma once

#include <span>
#include <vector>

#include "runtime/stages/box_stage.hpp"

namespace weir::detail {

// A box that keeps a value on each thread that runs it (each_lane()).
class lane_stage final : public box_stage {
 public:
  using box_stage::box_stage;
  stage* step(record_body*& r, context& c) override;
  stage* step_all(std::span<record_body*>& batch, context& c) noexcept override { return stage::step_all(batch, c); }
  bool remember(const shape*, bool, std::vector<cached_call>&) noexcept override { return false; }
};

}  // namespace weir::detail
