#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "scheduler/place/placement.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir::rivals {

// One core from somebody to the slowest, by measured loads.
struct one_core_move {
  static constexpr int group = -1;  // the shared group
  static constexpr int idle = -2;   // nobody

  int giver = idle;
  int receiver = group;
  bool operator==(const one_core_move&) const = default;
};

// The next move: to the slowest a core that nobody owns, or else one of the component that would take least after it,
// if that is less than the slowest takes now. Nothing when the slowest may have no more, and nobody can give. Moves in
// `refused` are passed over. A group on an owner's core neither gives nor receives: its owner does.
std::optional<one_core_move> next_move(const core_counts& counts, const system_view& view,
                                       const std::vector<double>& load, const std::vector<one_core_move>& refused = {});

// The counts after it.
core_counts after(const one_core_move& move, core_counts counts, const system_view& view);

}  // namespace weir::rivals
