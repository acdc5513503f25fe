#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// A record in the network, or one of several that it became. Its random numbers follow from `key`, which follows from
// the path that it took. So they are the same in every run of a scenario and seed.
struct token {
  std::uint64_t key = 0;
  double since = 0;  // when it came to its present queue
  std::uint32_t record = 0, phase = 0;
};

// The keys of records, and the links that they take. Both depend on the scenario, the seed and the record alone. Any
// thread may call it.
class record_routes {
 public:
  // Refers to the scenario, which must outlive it.
  record_routes(const scenario& of, std::uint64_t seed);

  const std::vector<link>& links() const { return links_; }

  std::uint64_t first_key(std::uint64_t record) const;  // of a record at the source
  // The key that a record of this key has on a link. `copy`: 1 and more of several; 0: from a source of several links.
  std::uint64_t key_on(std::size_t link, std::uint64_t key, int copy) const;
  std::uint64_t joined_key(std::size_t component, std::uint32_t record) const;

  // The copies that an invocation for the record sends on a link of its component.
  int copies_on(std::size_t link, const token& what) const;

 private:
  const scenario& scenario_;
  std::uint64_t seed_;
  std::vector<link> links_;
  std::vector<std::vector<std::size_t>> from_;  // links by component
  std::vector<std::vector<double>> records_;    // on each link for each invocation, by phase
};

}  // namespace weir::simulation
