#pragma once

#include <string>

#include "bench/rivals/followed_rule.hpp"

namespace weir::rivals {

// The saturation-aware scheduler of Xenna (nvidia-cosmos/cosmos-xenna, pull request 52, June 2026, and its
// docs/scheduler/saturation-aware, notes 01 to 05), with a core for a worker:
//
// - The bottleneck is the deepest component that has records waiting while those behind it have none; if none has, the
//   slowest measured one.
// - It grows towards the rate of the second slowest; others keep up with the slowest, with a fifth to spare. Growth
//   takes idle cores, then those of components that have more than the slowest rate needs.
// - A component with fewer than 5 measured invocations grows by at most one core a cycle, and only with records
// waiting.
//   As long as there is one, others grow by at most 4.
// - A component with records waiting gives no core unless those behind it have some as well: without a ready worker,
//   as the notes have it.
//
// It starts with the least number of cores for each. Its answer is always followed.
//
// Left out: smoothing and confirmation over several cycles, stalled workers, memory, the placement on GPUs. The fifth
// is ours: the notes name no number. A value; a pure function of the view. With more components than cores all share
// them, and it starts anew when there are enough.
class saturation_aware : public followed_rule {
 public:
  std::string name() const override { return "Xenna's saturation-aware rule"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;
};

}  // namespace weir::rivals
