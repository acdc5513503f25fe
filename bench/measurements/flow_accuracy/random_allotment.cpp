#include "bench/measurements/flow_accuracy/random_allotment.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace weir::flow_accuracy {

allotment random_allotment(std::size_t components, int cores, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(generator() % bound); };
  const std::size_t all = static_cast<std::size_t>(cores);
  const std::size_t owners = below(std::min(components, all) + 1);
  std::vector<std::size_t> order(components);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < owners; ++i) std::swap(order[i], order[i + below(components - i)]);

  std::vector<std::vector<int>> own(components);
  std::vector<int> shared;
  const bool has_members = owners < components;
  for (std::size_t core = 0; core < all; ++core) {
    const int number = static_cast<int>(core);
    if (core < owners) {
      own[order[core]].push_back(number);
    } else if (has_members && (core == owners || owners == 0 || below(2) == 0)) {
      shared.push_back(number);
    } else {
      own[order[below(owners)]].push_back(number);
    }
  }
  if (has_members && shared.empty()) shared.push_back(own[order[below(owners)]].front());

  allotment result;
  for (const auto& cores_of : own)
    result.components.push_back({core_set(cores_of), std::max(1, static_cast<int>(cores_of.size()))});
  result.shared = core_set(shared);
  return result;
}

allotment all_on_one_core(std::size_t components) { return {std::vector<share>(components), core_set{0}}; }

allotment one_core_each(std::size_t components) {
  allotment result;
  for (std::size_t i = 0; i < components; ++i) result.components.push_back({core_set{static_cast<int>(i)}, 1});
  return result;
}

}  // namespace weir::flow_accuracy
