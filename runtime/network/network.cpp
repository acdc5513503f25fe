#include "runtime/network/network.hpp"

#include "runtime/record/errors.hpp"
#include "runtime/network/node.hpp"

namespace weir {
namespace detail {

constinit const std::vector<std::vector<const label_info*>> gives_variants<>::variants;

std::vector<const label_info*> list_of(const char* const* names, label_sorts sorts) {
  std::vector<const label_info*> labels(sorts.count);
  for (std::size_t i = 0; i < sorts.count; ++i) labels[i] = intern(names[i], sorts.of[i]);
  return labels;
}

weir::signature box_spec::signature() const {
  const variant_type in(takes);
  weir::signature::rule r{in, {}, false, initialiser};
  for (const auto& v : variants) {
    const variant_type given(v);
    r.out.push_back({given, in.without(given), weir::signature::riding::no_binding_tags, false});
  }
  return {{std::move(r)}};
}

bool box_spec::same_box(const box_spec& other) const {
  return name == other.name && takes == other.takes && variants == other.variants && code == other.code &&
         identity == other.identity && predict == other.predict && degree == other.degree &&
         min_cores == other.min_cores && max_cores == other.max_cores && max_width == other.max_width &&
         blocking == other.blocking && sequential == other.sequential && initialiser == other.initialiser;
}

}  // namespace detail

network::network(std::shared_ptr<const detail::node> root) : root_{std::move(root)} {
  detail::check_variants(*this->root());
}
network::network(const network&) = default;
network::network(network&&) noexcept = default;
network& network::operator=(const network&) = default;
network& network::operator=(network&&) noexcept = default;
network::~network() = default;

network network::as(const std::string& name) const {
  if (name.empty()) throw type_error("as: a group needs a name, got an empty one");
  return network(std::make_shared<detail::named_node>(name, *this, false));
}

network network::declared(const std::string& name, const std::vector<const detail::label_info*>& in,
                          const std::vector<std::vector<const detail::label_info*>>& out) const {
  if (name.empty()) throw type_error("as: a group needs a name, got an empty one");
  weir::signature::rule r{variant_type(in), {}, false, false};
  for (const auto& v : out) r.out.push_back({variant_type(v), {}, weir::signature::riding::no_binding_tags, false});
  auto group = std::make_shared<detail::named_node>(name, *this, true);
  std::vector<weir::signature::rule> rules{detail::check_declared(r, signature(), name)};
  for (const weir::signature::rule& own : signature().rules)
    if (own.at_start) rules.push_back(own);
  group->type.rules = std::move(rules);
  return network(std::move(group));
}

const signature& network::signature() const { return root()->type; }

}  // namespace weir
