#pragma once

#include <weir/scheduler/policies/policy.hpp>

namespace weir::rivals {

// A rule whose answers come into force whatever they are expected to gain, as those of a scaler that acts on queues.
// For that each answer costs half as much as any other allotment.
class followed_rule : public allocation_rule {
 public:
  assessment assess(const system_view& view, const allotment& given) const override;
  bool adapts() const override { return true; }
};

}  // namespace weir::rivals
