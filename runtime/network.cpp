#include "runtime/network.hpp"

#include <algorithm>

#include "runtime/errors.hpp"
#include "runtime/node.hpp"

namespace weir {
namespace detail {
namespace {

// How a message calls one side of a `>>`: a long chain by its last (or first) element, which is what meets the other.
std::string meeting_name(const network& n, bool at_its_end) {
  const auto* chain = dynamic_cast<const serial_node*>(n.root().get());
  if (!chain) return n.root()->name();
  return meeting_name(at_its_end ? chain->right : chain->left, at_its_end);
}

}  // namespace

weir::signature box_spec::signature() const {
  weir::signature::rule r{variant_type(takes), {}, variant_type(takes)};
  for (const auto& v : variants) r.out.emplace_back(v);
  return {{std::move(r)}};
}

bool box_spec::same_box(const box_spec& other) const {
  return name == other.name && takes == other.takes && variants == other.variants && call == other.call &&
         identity == other.identity && predict == other.predict && degree == other.degree &&
         min_cores == other.min_cores && max_cores == other.max_cores && max_width == other.max_width &&
         sequential == other.sequential;
}

box_node::box_node(std::shared_ptr<const box_spec> s) : spec(std::move(s)) { type = spec->signature(); }

serial_node::serial_node(network l, network r) : left(std::move(l)), right(std::move(r)) {
  type = compose(left.signature(), meeting_name(left, true), right.signature(), meeting_name(right, false));
}

std::vector<network> serial_node::flat() const {
  std::vector<network> reversed;
  std::vector<network> open{left, right};  // a stack: deep chains must not recurse
  while (!open.empty()) {
    const network last = open.back();
    open.pop_back();
    if (const auto* chain = dynamic_cast<const serial_node*>(last.root().get())) {
      open.push_back(chain->left);
      open.push_back(chain->right);
    } else {
      reversed.push_back(last);
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::string serial_node::notation() const {
  std::string text;
  for (const network& n : flat()) text += (text.empty() ? "" : " .. ") + n.root()->notation();
  return text;
}

std::string serial_node::name() const { return "(" + notation() + ")"; }

named_node::named_node(std::string n, network i, weir::signature declared) : given(std::move(n)), inner(std::move(i)) {
  type = std::move(declared);
}

}  // namespace detail

network network::as(const std::string& name) const {
  if (name.empty()) throw type_error("as: a group needs a name, got an empty one");
  return network(std::make_shared<detail::named_node>(name, *this, signature()));
}

network network::declared(const std::string& name, const std::vector<const detail::label_info*>& in,
                          const std::vector<std::vector<const detail::label_info*>>& out) const {
  if (name.empty()) throw type_error("as: a group needs a name, got an empty one");
  weir::signature::rule r{variant_type(in), {}, signature().rules.front().named};
  for (const auto& v : out) r.out.emplace_back(v);
  const weir::signature authority{{std::move(r)}};
  detail::check_declared(authority, signature(), name);
  return network(std::make_shared<detail::named_node>(name, *this, authority));
}

const signature& network::signature() const { return root_->type; }

network operator>>(const network& left, const network& right) {
  return network(std::make_shared<detail::serial_node>(left, right));
}

std::string to_string(const network& n) { return n.root()->notation(); }

}  // namespace weir
