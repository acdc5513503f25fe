#include <weir/network/combinators.hpp>

#include <algorithm>
#include <optional>

#include <weir/record/errors.hpp>
#include "runtime/network/nodes.hpp"

namespace weir {
namespace {

// The box, if this network is an initialiser, perhaps in groups, order or observers; else null.
const detail::box_node* bare_source(const network& n) {
  const detail::node* at = n.root().get();
  while (const auto* wrapped = dynamic_cast<const detail::wrapped_node*>(at)) at = wrapped->inner.root().get();
  const auto* box = dynamic_cast<const detail::box_node*>(at);
  return box && box->spec->initialiser ? box : nullptr;
}

// `where`: "a star", ..; `inside`: what the user has to write in place of `net`.
void refuse_source(const network& there, const std::string& where, const std::string& inside) {
  const detail::box_node* const source = bare_source(there);
  const std::string what = source ? "the initialiser " + source->spec->name + " stands in " + where
                                  : "an initialiser stands in " + where + ", in " + there.root()->name();
  throw type_error(what +
                   ": it fires once, at the start, and is legal only at the head of a network and as a branch of a "
                   "choice; write source >> net, or (source | bypass()) >> net" +
                   inside);
}

void check_body(const network& body, const std::string& what) {
  if (body.root()->has_source()) refuse_source(body, "a " + what, ", with the " + what + " in net");
}

// Whether a network is a split by this tag, perhaps in groups, order, observers or placements by it.
bool splits_by(const detail::node* net, const detail::label_info* by) {
  while (const auto* wrapped = dynamic_cast<const detail::wrapped_node*>(net)) {
    const auto* placed = dynamic_cast<const detail::placed_node*>(net);
    if (placed && !(placed->by && placed->by->key == by->key)) return false;
    net = wrapped->inner.root().get();
  }
  const auto* split = dynamic_cast<const detail::split_node*>(net);
  return split && split->by->key == by->key;
}

template <class Node, class... A>
network made(A&&... a) {
  return network(std::make_shared<Node>(std::forward<A>(a)...));
}

network placed_by(const network& net, const detail::label_info* by) {
  if (splits_by(net.root().get(), by)) return made<detail::placed_node>(net, 0, by);
  check_body(net, "placement by a tag");
  return made<detail::placed_node>(made<detail::split_node>(net, by, std::nullopt), 0, by);
}

}  // namespace

namespace detail {

network make_source(const network& box) {
  auto spec = std::make_shared<box_spec>(spec_of(box));
  spec->initialiser = true;
  return make_box(std::move(spec));
}

network make_filter(std::shared_ptr<const filter_spec> spec) { return made<filter_node>(std::move(spec)); }
const filter_spec& filter_spec_of(const network& filter) {
  return *dynamic_cast<const filter_node&>(*filter.root()).spec;
}

}  // namespace detail

network operator>>(const network& left, const network& right) {
  if (right.root()->is_closed()) refuse_source(right, "the right side of >>, where no record reaches it", "");
  return made<detail::serial_node>(left, right);
}

network operator|(const network& left, const network& right) {
  return made<detail::choice_node>(std::vector<network>{left, right});
}

network choice(const std::vector<network>& branches) {
  if (branches.empty()) throw type_error("choice: it needs at least one branch, got none");
  return branches.size() == 1 ? branches.front() : made<detail::choice_node>(branches);
}

network star(const network& body, const pattern_list& exits) {
  check_body(body, "star");
  return made<detail::star_node>(body, exits);
}

split_network split(const network& body, const tag& by) {
  check_body(body, "split");
  return split_network{made<detail::split_node>(body, by.info(), std::nullopt)};
}
split_network split(const network& body, const btag& by) {
  check_body(body, "split");
  return split_network{made<detail::split_node>(body, by.info(), std::nullopt)};
}

network split_network::until(const pattern_list& last) const {
  const auto& split = *detail::as<detail::split_node>(*this);
  return made<detail::split_node>(split.body, split.by, last);
}

network feedback(const network& body, const pattern_list& back) {
  check_body(body, "feedback");
  return made<detail::feedback_node>(body, back);
}

network sync(std::vector<pattern> patterns) { return made<detail::sync_node>(std::move(patterns)); }
network sync(const pattern& a, const pattern& b) { return sync(std::vector<pattern>{a, b}); }
network sync(const pattern& a, const pattern& b, const pattern& c) { return sync(std::vector<pattern>{a, b, c}); }
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d) {
  return sync(std::vector<pattern>{a, b, c, d});
}
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e) {
  return sync(std::vector<pattern>{a, b, c, d, e});
}
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e,
             const pattern& f) {
  return sync(std::vector<pattern>{a, b, c, d, e, f});
}
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e, const pattern& f,
             const pattern& g) {
  return sync(std::vector<pattern>{a, b, c, d, e, f, g});
}
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e, const pattern& f,
             const pattern& g, const pattern& h) {
  return sync(std::vector<pattern>{a, b, c, d, e, f, g, h});
}

network bypass() { return made<detail::bypass_node>(); }

network ordered(const network& net) { return made<detail::ordered_node>(net); }

network at(const network& net, int node) { return made<detail::placed_node>(net, node, nullptr); }
network at(const network& net, const tag& node) { return placed_by(net, node.info()); }
network at(const network& net, const btag& node) { return placed_by(net, node.info()); }

network observe(const network& net, held_function<void(const record&, std::string_view path)> see) {
  if (!see) throw type_error("observe: the function to call is empty, around " + net.root()->name());
  return made<detail::observed_node>(net, std::move(see));
}

}  // namespace weir
