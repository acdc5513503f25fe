#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/allotment.hpp>

namespace weir::flow_accuracy {

// A random mapping of components to cores, of the kind that an allotment can express. Any number of components own a
// core. Each further core becomes a lane of an owner or goes to the shared group, with equal chances. All other
// components are in that group, which gets the first further core. If there is none, it is on an owner's core.
//
// Follows from the seed alone. REQUIRES: components and cores are at least 1.
allotment random_allotment(std::size_t components, int cores, std::uint64_t seed);

// All components on the first core. For measuring costs on real cores, so that another core is left for the sender.
allotment all_on_one_core(std::size_t components);

// One core for each component.
allotment one_core_each(std::size_t components);

// A rule that always returns its given allotment.
class as_mapped final : public allocation_rule {
 public:
  explicit as_mapped(allotment given) : given_(std::move(given)) {}
  std::string name() const override { return "as mapped"; }
  allotment decide(const system_view&) const override { return given_; }

 private:
  allotment given_;
};

}  // namespace weir::flow_accuracy
