#include "runtime/placed/finishing_calls.hpp"

#include "runtime/remote/rank_message.hpp"

namespace weir::detail {

void finishing_calls::end(std::uint64_t call, bool more) {
  const auto at = calls_.find(call);
  if (at == calls_.end()) return;
  if (more) *at->second.has_begun = true;
  calls_.erase(at);
}

std::size_t finishing_calls::outer_of(std::uint64_t call, int from, std::uint64_t position) const {
  const auto at = calls_.find(call);
  if (at == calls_.end() || !(position & remote::opened_there) || positions_.contains({from, position}))
    remote::refuse_index("position of call", call);
  return at->second.outer;
}

record_body* finishing_calls::kept_of(int from, std::uint64_t position) const {
  const auto at = positions_.find({from, position});
  if (at == positions_.end()) remote::refuse_index("position", position & ~remote::opened_there);
  return at->second;
}

record_body* finishing_calls::close(int from, std::uint64_t position) {
  record_body* const kept = kept_of(from, position);
  positions_.erase({from, position});
  return kept;
}

std::vector<record_body*> finishing_calls::take_all() {
  std::vector<record_body*> all;
  for (const auto& [name, kept] : positions_) all.push_back(kept);
  positions_.clear();
  calls_.clear();
  return all;
}

}  // namespace weir::detail
