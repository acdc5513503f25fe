#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/policies/policy.hpp"
#include "scheduler/view/allotment.hpp"

namespace weir::flow_accuracy {

// A random mapping of components to cores, of those that an allotment can say: any number of components own a core,
// each core beyond that is a further lane of an owner or goes to the shared group with equal chances, and all other
// components are in that group. When no core is left for it, it lies on an owner's core.
//
// Follows from the seed alone. REQUIRES: components and cores are at least 1.
allotment random_allotment(std::size_t components, int cores, std::uint64_t seed);

// All components on the first core: where costs are measured on real cores, so that another is left for who sends.
allotment all_on_one_core(std::size_t components);

// A core of its own for each.
allotment one_core_each(std::size_t components);

// The rule that says what it was given.
class as_mapped final : public allocation_rule {
 public:
  explicit as_mapped(allotment given) : given_(std::move(given)) {}
  std::string name() const override { return "as mapped"; }
  allotment decide(const system_view&) const override { return given_; }

 private:
  allotment given_;
};

}  // namespace weir::flow_accuracy
