#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir::rivals {

// The move of one core to the slowest component, by measured loads.
struct one_core_move {
  static constexpr int group = -1;  // the shared group
  static constexpr int idle = -2;   // an idle core, without owner

  int giver = idle;
  int receiver = group;
  bool operator==(const one_core_move&) const = default;
};

// The next move to the slowest: an idle core, or else one of the component that would take least after giving it. That
// must be less than the slowest takes now. Nothing if the slowest may have no more cores or no component can give one.
// Moves in `refused` are skipped. A group on an owner's core neither gives nor receives: its owner does.
std::optional<one_core_move> next_move(const core_counts& counts, const system_view& view,
                                       const std::vector<double>& load, const std::vector<one_core_move>& refused = {});

// The counts after it.
core_counts after(const one_core_move& move, core_counts counts, const system_view& view);

}  // namespace weir::rivals
