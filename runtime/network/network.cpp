#include "runtime/network/network.hpp"

#include <stdexcept>

namespace weir {
namespace detail {

constinit const std::vector<std::vector<const label_info*>> gives_variants<>::variants;

std::vector<const label_info*> list_of(const char* const* names, label_sorts sorts) {
  std::vector<const label_info*> labels(sorts.count);
  for (std::size_t i = 0; i < sorts.count; ++i) labels[i] = intern(names[i], sorts.of[i]);
  return labels;
}

void refuse_moved_network() {
  throw std::logic_error(
      "this network was moved from and holds nothing; copy a network that is used again, which is cheap");
}

}  // namespace detail

network::network(const network&) = default;
network::network(network&&) noexcept = default;
network& network::operator=(const network&) = default;
network& network::operator=(network&&) noexcept = default;
network::~network() = default;

}  // namespace weir
