#include "scheduler/simulate/record_routes.hpp"

#include <cmath>

#include "scheduler/view/counter_random.hpp"

namespace weir::simulation {
namespace {

// Purposes of random numbers: the key of a record that continues, the choice of a link, the fraction of a copy.
constexpr std::uint64_t for_hop = 1000, for_choice = 1'000'000, for_copies = 2'000'000;

}  // namespace

record_routes::record_routes(const scenario& of, std::uint64_t seed)
    : scenario_(of), seed_(mix(seed)), links_(of.all_links()), from_(of.components.size()) {
  for (std::size_t k = 0; k < links_.size(); ++k)
    if (links_[k].from >= 0) from_[static_cast<std::size_t>(links_[k].from)].push_back(k);
  for (std::size_t j = 0; j < of.phase_starts.size(); ++j) {
    records_.emplace_back();
    for (const link& l : of.links_in(j)) records_[j].push_back(l.records);
  }
}

std::uint64_t record_routes::first_key(std::uint64_t record) const { return mix(seed_, record); }

std::uint64_t record_routes::key_on(std::size_t link, std::uint64_t key, int copy) const {
  return mix(key, for_hop + link + links_.size() * 8 * static_cast<std::uint64_t>(copy));
}

std::uint64_t record_routes::joined_key(std::size_t component, std::uint32_t record) const {
  return mix(first_key(record), for_hop + links_.size() + component);
}

int record_routes::copies_on(std::size_t link, const token& what) const {
  const std::vector<double>& records = records_[what.phase];
  const auto component = static_cast<std::size_t>(links_[link].from);
  if (scenario_.components[component].chooses) {
    const std::vector<std::size_t>& all = from_[component];
    double u = uniform(mix(what.key, for_choice));
    for (const std::size_t other : all) {
      if (u < records[other] || other == all.back()) return other == link ? 1 : 0;
      u -= records[other];
    }
  }
  const double mean = records[link], whole = std::floor(mean);
  if (mean == whole) return static_cast<int>(whole);
  return static_cast<int>(whole) + (uniform(mix(what.key, for_copies + link)) < mean - whole ? 1 : 0);
}

}  // namespace weir::simulation
