#include "runtime/placed/route_counts.hpp"

#include <algorithm>
#include <limits>

#include "runtime/remote/rank_message.hpp"

namespace weir::detail {

bool route_counts::finish_subcall(std::uint64_t subcall, std::uint64_t started) {
  const std::uint64_t call = remote::call_of(subcall);
  const auto level = static_cast<std::size_t>(remote::level_of(subcall));
  if (started > std::numeric_limits<std::uint32_t>::max()) remote::refuse_index("part of call", call);
  auto at = balances_.find(call);
  if (at == balances_.end()) {
    if (level == 0 && started == 0) return true;
    at = balances_.try_emplace(call, 1, 1).first;
  }
  std::vector<std::int64_t>& balance = at->second;
  if (balance.size() < level + 2) balance.resize(level + 2);
  --balance[level];
  balance[level + 1] += static_cast<std::int64_t>(started);
  if (std::ranges::any_of(balance, [](std::int64_t n) { return n != 0; })) return false;
  balances_.erase(at);
  return true;
}

}  // namespace weir::detail
