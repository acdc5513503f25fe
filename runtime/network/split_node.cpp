#include "runtime/network/split_node.hpp"

#include <utility>

#include "runtime/network/notation_text.hpp"
#include "runtime/network/typing.hpp"

namespace weir::detail {

split_node::split_node(network b, const label_info* t, std::optional<pattern_list> l)
    : body(std::move(b)), by(t), last(std::move(l)) {
  take_in(body);
  std::vector<signature::rule> inputs = body.signature().rules;
  const variant_type tag(std::vector<const label_info*>{by});
  for (signature::rule& r : inputs) r.in = r.in.with(tag);
  type = rules_from(inputs, *this);
}

std::string split_node::of() const { return weir::to_string(*by) + (last ? " until " + to_string(*last) : ""); }

void split_node::write(notation_text& to) const {
  body.root()->write_within(to, binding::closed);
  to.add("!" + of());
}

std::vector<const label_info*> split_node::labels() const {
  std::vector<const label_info*> all{by};
  if (last)
    for (const label_info* l : labels_of(last->patterns())) all.push_back(l);
  return all;
}

type_transfer split_node::answer(const variant_type& have) const {
  if (have.find(by->key)) return body.root()->transfer(have);
  const variant_type tag(std::vector<const label_info*>{by});
  return {false, {}, {mismatch_of(*this, tag, true, have)}};
}

}  // namespace weir::detail
