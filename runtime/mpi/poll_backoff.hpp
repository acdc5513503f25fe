#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace weir::detail::mpi {

// How long the communicator's thread polls after the last message: longer than a batch takes to be worked on and
// answered, much shorter than users would notice as load. While parts are under way, MPI moves them only when it is
// polled.
inline constexpr std::chrono::microseconds spins{50}, spins_for_parts{5000};
// Then it sleeps for a quarter of the idle time, up to `long_backoff`. After a tenth of a second it sleeps for a
// hundredth of that time, since the wake-ups themselves would be most of the load.
inline constexpr std::chrono::microseconds first_backoff{20}, long_backoff{1000}, longest_backoff{4000};

// How long to sleep after an idle time; nothing: polls on. Pure.
inline std::optional<std::chrono::microseconds> backoff_after(std::chrono::microseconds idle, bool has_parts) {
  if (idle < (has_parts ? spins_for_parts : spins)) return std::nullopt;
  const auto most = has_parts ? long_backoff : std::clamp(idle / 100, long_backoff, longest_backoff);
  return std::clamp(idle / 4, first_backoff, most);
}

}  // namespace weir::detail::mpi
