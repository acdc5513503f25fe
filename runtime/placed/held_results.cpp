#include "runtime/placed/held_results.hpp"

namespace weir::detail {

void held_results::hold(int from, std::uint64_t call, record_body* r, open_calls& calls) {
  open_call& of = calls.at(call);
  by_rank_[from].push_back({call, r});
  ++of.results;
}

std::vector<held_results::result> held_results::release(int from, open_calls& calls) {
  std::vector<result> out;
  std::deque<result>& held = by_rank_[from];
  for (; !held.empty() && calls.at(held.front().call).says_done; held.pop_front()) out.push_back(held.front());
  return out;
}

std::vector<record_body*> held_results::drop(int rank, open_calls& calls) {
  std::vector<record_body*> dropped;
  std::deque<result>& held = by_rank_[rank];
  dropped.reserve(held.size());
  for (const result& one : held) {
    calls.at(one.call).results = 0;
    dropped.push_back(one.what);
  }
  held.clear();
  return dropped;
}

bool held_results::drop_all() noexcept {
  bool dropped = false;
  for (auto& [rank, held] : by_rank_)
    for (const result& one : held) {
      drop_body(one.what);
      dropped = true;
    }
  by_rank_.clear();
  return dropped;
}

}  // namespace weir::detail
