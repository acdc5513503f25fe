#include <stdexcept>
#include <utility>

#include "tests/runtime/language/realised_parts.hpp"

// Expressions and patterns of the runtime from those of plans, and the filters that consist of them.
namespace weir::testing::language {

expression expression_of(const term& t) {
  const auto part = [&](std::size_t i) { return expression_of(t.parts[i]); };
  switch (t.what) {
    case term::number:
      return expression(t.value);
    case term::label:
      return is_binding(t.name) ? expression(binding_of(t.name)) : expression(tag_of(t.name));
    case term::negated:
      return -part(0);
    case term::opposite:
      return !part(0);
    case term::absolute:
      return weir::abs(part(0));
    case term::plus:
      return part(0) + part(1);
    case term::minus:
      return part(0) - part(1);
    case term::times:
      return part(0) * part(1);
    case term::over:
      return part(0) / part(1);
    case term::rest:
      return part(0) % part(1);
    case term::least:
      return weir::min(part(0), part(1));
    case term::most:
      return weir::max(part(0), part(1));
    case term::equal:
      return part(0) == part(1);
    case term::unequal:
      return part(0) != part(1);
    case term::less:
      return part(0) < part(1);
    case term::at_most:
      return part(0) <= part(1);
    case term::greater:
      return part(0) > part(1);
    case term::at_least:
      return part(0) >= part(1);
    case term::both:
      return part(0) && part(1);
    case term::either:
      return part(0) || part(1);
    case term::chosen:
      return choose(part(0), part(1), part(2));
  }
  throw std::logic_error("an unknown operation");
}

pattern pattern_of(const plain_pattern& p) {
  std::vector<detail::label_ref> l;
  for (const std::string& label : p.labels) l.push_back(ref_to(label));
  const auto made = [&]() -> pattern {
    switch (l.size()) {
      case 0:
        return pattern{};
      case 1:
        return pattern{l[0]};
      case 2:
        return pattern{l[0], l[1]};
      case 3:
        return pattern{l[0], l[1], l[2]};
      case 4:
        return pattern{l[0], l[1], l[2], l[3]};
      case 5:
        return pattern{l[0], l[1], l[2], l[3], l[4]};
      case 6:
        return pattern{l[0], l[1], l[2], l[3], l[4], l[5]};
      case 7:
        return pattern{l[0], l[1], l[2], l[3], l[4], l[5], l[6]};
      case 8:
        return pattern{l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]};
      default:
        throw std::logic_error("a pattern of too many labels");
    }
  };
  return p.guard ? made().where(expression_of(*p.guard)) : made();
}

pattern_list list_of(const std::vector<plain_pattern>& all) {
  pattern_list list = pattern_of(all.front());
  for (std::size_t i = 1; i < all.size(); ++i) list = list | pattern_of(all[i]);
  return list;
}

network filter_of(const plan& p) {
  detail::filter_spec spec;
  for (const std::string& l : p.pattern) spec.takes.push_back(info_of(l));
  for (const plain_clause& c : p.clauses) {
    detail::filter_clause clause;
    if (c.guard) clause.guard = expression_of(*c.guard);
    for (const auto& items : c.records) {
      detail::filter_output output;
      for (const output_item& i : items) {
        detail::filter_item item{info_of(i.label)};
        if (i.how == output_item::computed)
          item.value = expression_of(i.value);
        else if (i.how == output_item::renamed)
          item.from = info_of(i.from);
        else if (p.pattern.count(i.label))
          item.from = item.label;
        output.items.push_back(item);
      }
      clause.outputs.push_back(std::move(output));
    }
    spec.clauses.push_back(std::move(clause));
  }
  return filter_network(std::move(spec));
}

}  // namespace weir::testing::language
