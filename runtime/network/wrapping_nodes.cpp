#include "runtime/network/wrapping_nodes.hpp"

#include "runtime/network/loop_nodes.hpp"
#include "runtime/network/notation_text.hpp"
#include "runtime/network/row_nodes.hpp"
#include "runtime/network/split_node.hpp"
#include "runtime/network/typing.hpp"

namespace weir::detail {

wrapped_node::wrapped_node(network i) : inner(std::move(i)) {
  take_in(inner);
  type = inner.signature();
}

void ordered_node::write(notation_text& to) const {
  if (const auto* choice = as<choice_node>(inner)) {
    choice->write_joined(to, " || ");
  } else if (const auto* star = as<star_node>(inner)) {
    star->body.root()->write_within(to, binding::closed);
    to.add("**" + to_string(star->exits));
  } else if (const auto* split = as<split_node>(inner)) {
    split->body.root()->write_within(to, binding::closed);
    to.add("!!" + split->of());
  } else if (const auto* placed = as<placed_node>(inner); placed && placed->by) {
    placed->write_with(to, "!!@");
  } else {
    to.add("ordered(");
    inner.root()->write(to);
    to.add(")");
  }
}

node::binding ordered_node::binds() const {
  return dynamic_cast<const choice_node*>(inner.root().get()) ? binding::parallel : binding::closed;
}

void named_node::write(notation_text& to) const { to.add(to.name_of(*this, given)); }

type_transfer named_node::answer(const variant_type& have) const {
  return is_declared ? transfer_by(type.rules, *this, have) : wrapped_node::answer(have);
}

placed_node::placed_node(network i, int n, const label_info* b) : wrapped_node(std::move(i)), node_number(n), by(b) {}

void placed_node::write_with(notation_text& to, std::string_view by_tag) const {
  const auto* const split = by ? as<split_node>(inner) : nullptr;
  (split && !split->last ? split->body : inner).root()->write_within(to, binding::closed);
  to.add(by ? std::string(by_tag) + weir::to_string(*by) : "@" + std::to_string(node_number));
}

type_transfer placed_node::answer(const variant_type& have) const {
  if (!by || have.find(by->key)) return inner.root()->transfer(have);
  return {false, {}, {mismatch_of(*this, variant_type(std::vector<const label_info*>{by}), true, have)}};
}

}  // namespace weir::detail
