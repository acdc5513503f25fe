#include "runtime/placed/call_link.hpp"

#include <algorithm>

namespace weir::detail {

call_link::call_link(run_environment& of, remote::session& among, std::size_t number, const std::string& path)
    : run(of),
      ranks(among),
      number_(static_cast<std::uint32_t>(number)),
      cut_(among.plan().cuts()[number]),
      moves_(among.limits().reassigns && cut_.is_movable()),
      path_(path.substr(0, path.size() - cut_.parts.front().at.size())) {
  const auto add = [&](int rank, std::size_t gives) {
    fars_.try_emplace(rank, ranks.limits()).first->second.gives = static_cast<std::uint32_t>(gives);
  };
  for (const int rank : cut_.fars)
    if (rank != ranks.rank()) add(rank, number);
  for (int cut = static_cast<int>(number); cut >= 0;
       cut = ranks.plan().next_for(static_cast<std::size_t>(cut), ranks.rank()))
    route_.push_back(static_cast<std::size_t>(cut));
  if (is_route()) add(ranks.plan().cuts()[route_.back()].fars.front(), route_.back());
}

std::string call_link::name() const {
  std::string all = cut_.name;
  for (std::size_t i = 1; i < route_.size(); ++i) all += ", " + ranks.plan().cuts()[route_[i]].name;
  return all;
}

std::optional<std::int64_t> call_link::value_of(const record_body& r) const {
  const int slot = r.shape->find(cut_.by->key);
  if (slot < 0) return std::nullopt;
  return static_cast<std::int64_t>(r.slots()[slot]);
}

std::vector<int> call_link::far_ranks() const {
  std::vector<int> all;
  for (const auto& [rank, there] : fars_) all.push_back(rank);
  return all;
}

call_link::far& call_link::far_at(int rank) {
  const auto at = fars_.find(rank);
  if (at == fars_.end()) remote::refuse_index("cut of rank", static_cast<std::uint64_t>(rank));
  return at->second;
}

bool call_link::lacks_credit() const {
  return std::ranges::any_of(fars_, [](const auto& one) { return one.second.credit.holds_up(); });
}

std::vector<int> call_link::without_credit() const {
  std::vector<int> lacking;
  for (const auto& [rank, there] : fars_)
    if (there.credit.holds_up()) lacking.push_back(rank);
  return lacking;
}

}  // namespace weir::detail
