#include "runtime/machine/watched_quota.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weir::detail {

watched_quota::watched_quota(platform& p)
    : platform_(p), usable_(p.cores()->all()), quota_(p.quota()), most_(fed(quota_, usable_)) {}

int watched_quota::fed(const std::optional<double>& quota, const core_set& usable) {
  const int all = usable.size();
  return quota && *quota < all ? std::max(1, static_cast<int>(*quota)) : all;
}

bool watched_quota::sample() {
  core_set usable = platform_.usable_here();
  if (usable.empty()) usable = usable_;
  const std::optional<double> quota = platform_.quota();
  if (usable == usable_ && quota == quota_) return false;
  most_ = fed(quota, usable);
  usable_ = std::move(usable);
  quota_ = quota;
  return true;
}

// The topology has the words: the last of its notes.
std::string watched_quota::note() const {
  if (!quota_) return {};
  const std::vector<std::string> notes = platform_.cores()->within_quota(*quota_).notes();
  return notes.size() > platform_.cores()->notes().size() ? notes.back() : std::string();
}

}  // namespace weir::detail
