#include "runtime/snet/field_types.hpp"

#include <string>

namespace weir::detail::snet {

field_types::field_types(const module& of, const names& named, const registry& known, fault_list& faults)
    : names_(named), registry_(known), faults_(faults) {
  if (of.alone) visit(*of.alone);
  if (named.top) use(*named.top);
  while (!waiting_.empty()) {
    const definition* const d = waiting_.back();
    waiting_.pop_back();
    visit(*d);
  }
}

void field_types::use(const definition& d) {
  if (used_.insert(&d).second) waiting_.push_back(&d);
}

void field_types::expect(const signature& all, std::string_view by, offset place) {
  for (const signature::rule& r : all.rules) {
    for (const label_info* l : r.in.labels()) expect(l->name, *l, by, place);
    for (const signature::outcome& o : r.out)
      for (const label_info* l : o.produced.labels()) expect(l->name, *l, by, place);
  }
}

const value_type* field_types::of(std::string_view field) const {
  const auto found = fields_.find(field);
  const value_type* const type = found == fields_.end() ? nullptr : groups_[first_of(found->second)].type;
  return type ? type : type_of<opaque>();
}

std::unordered_map<std::string_view, const value_type*> field_types::all() const {
  std::unordered_map<std::string_view, const value_type*> found;
  for (const auto& [name, i] : fields_)
    if (const value_type* type = groups_[first_of(i)].type) found.emplace(name, type);
  return found;
}

std::size_t field_types::at(std::string_view field) {
  const auto [found, fresh] = fields_.try_emplace(field, groups_.size());
  if (fresh) groups_.push_back({groups_.size()});
  return found->second;
}

std::size_t field_types::first_of(std::size_t i) const {
  while (groups_[i].joined_to != i) i = groups_[i].joined_to = groups_[groups_[i].joined_to].joined_to;
  return i;
}

void field_types::expect(std::string_view field, const label_info& label, std::string_view by, offset place) {
  if (label.kind != label_kind::field || label.type == type_of<opaque>()) return;
  group& g = groups_[first_of(at(field))];
  if (!g.type) {
    g.type = label.type;
    g.by = by;
  } else if (g.type != label.type) {
    faults_.add(place, "field " + shown(field) + " has two types: " + type_name(*g.type) + " in " + shown(g.by) + ", " +
                           type_name(*label.type) + " in " + shown(by));
  }
}

void field_types::join(std::string_view a, std::string_view b, offset place) {
  std::size_t x = first_of(at(a)), y = first_of(at(b));
  if (x == y) return;
  if (y < x) std::swap(x, y);
  group &first = groups_[x], &second = groups_[y];
  if (first.type && second.type && first.type != second.type)
    return faults_.add(place, "field " + shown(a) + " cannot have the value of " + shown(b) + ": one is " +
                                  type_name(*first.type) + " in " + shown(first.by) + ", the other " +
                                  type_name(*second.type) + " in " + shown(second.by));
  if (!first.type) first.type = second.type, first.by = second.by;
  second.joined_to = x;
}

void field_types::visit(const net_syntax& n) {
  for (const net_syntax& part : n.parts) visit(part);
  if (n.what == net_syntax::filter) {
    for (const clause_syntax& c : n.of->clauses)
      for (const output_syntax& o : c.outputs)
        for (const item_syntax& i : o.items)
          if (i.from) join(i.to.name, i.from->text, i.to.place);
  }
  if (n.what != net_syntax::name) return;
  const meaning& m = names_.meanings.at(&n);
  if (m.defined) use(*m.defined);
  if (m.registered) expect(m.registered->signature(), n.called, n.place);
}

void field_types::visit(const definition& d) {
  if (d.connects) visit(*d.connects);
  if (d.connects || d.is_broken || d.what == definition::type) return;
  if (const network* registered = registry_.find(d.name.text))
    expect(registered->signature(), d.name.text, d.name.place);
}

}  // namespace weir::detail::snet
