#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace weir::detail {

// For calls that were divided along a route: by level, subcalls started minus subcalls finished. A finished subcall
// reports how many subcalls it started at the next level, so a call is complete when every level's balance is zero.
// Messages of different ranks overtake each other, so a balance may be negative meanwhile. The caller's lock guards it.
class route_counts {
 public:
  // A subcall has finished, and `started` subcalls began at the next level by it. Returns whether its call is complete,
  // which is forgotten then. Throws std::runtime_error for a number that no rank sends, and std::bad_alloc.
  bool finish_subcall(std::uint64_t subcall, std::uint64_t started);

  std::size_t calls() const { return balances_.size(); }
  void clear() { balances_.clear(); }

 private:
  std::map<std::uint64_t, std::vector<std::int64_t>> balances_;  // by call; the first level is the call itself
};

}  // namespace weir::detail
