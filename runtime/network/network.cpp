#include <weir/network/network.hpp>

#include <memory>
#include <stdexcept>

#include <weir/network/box.hpp>
#include <weir/network/graph.hpp>
#include <weir/record/errors.hpp>
#include "runtime/network/declared.hpp"
#include "runtime/network/dot.hpp"
#include "runtime/network/notation.hpp"
#include "runtime/network/wrapping_nodes.hpp"

namespace weir {
namespace detail {

// Made before the static networks of users, and in no case by a constant: containers of _GLIBCXX_DEBUG have none.
[[gnu::init_priority(101)]] const std::vector<std::vector<const label_info*>> gives_variants<>::variants;

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

network::network(std::shared_ptr<const detail::node> root) : root_{std::move(root)} {
  detail::check_variants(*this->root());
}
network::network(const detail::written_box& box) : network(detail::make_box(box, nullptr)) {}
network::network(const detail::written_box& box, const std::vector<std::vector<const detail::label_info*>>& variants)
    : network(detail::make_box(box, &variants)) {}

network::network(const network&) = default;
network::network(network&&) noexcept = default;
network& network::operator=(const network&) = default;
network& network::operator=(network&&) noexcept = default;
network::~network() = default;

network network::as(const std::string& name) const {
  if (name.empty()) throw type_error("as: a group needs a name, got an empty one");
  return network(std::make_shared<detail::named_node>(name, *this, false));
}

network network::as(const std::string& name, const std::vector<signature_map>& maps) const {
  if (name.empty()) throw type_error("as: a group needs a name, got an empty one");
  if (maps.empty()) throw type_error("the signature declared for " + name + " is empty");
  auto group = std::make_shared<detail::named_node>(name, *this, true);
  group->type.rules = detail::check_declared(maps, *root(), name);
  return network(std::move(group));
}

const signature& network::signature() const { return root()->type; }

std::string network::dot() const { return detail::dot_of(graph_of(*this)); }

std::string to_string(const network& n) { return detail::notation_of(n); }

}  // namespace weir
