#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/network/nodes.hpp"
#include "runtime/patterns/expression_node.hpp"
#include "tests/runtime/language/plan.hpp"

// A network without boxes as data, for the oracle.
namespace weir::testing::language {

inline label_set labels_of(std::span<const detail::label_info* const> labels) {
  label_set all;
  for (const auto* l : labels) all.insert(weir::to_string(*l));
  return all;
}

inline term term_of(const detail::expression_node& n) {
  using detail::operation;
  static const std::map<operation, term::operation> same{
      {operation::negate, term::negated},    {operation::invert, term::opposite},
      {operation::absolute, term::absolute}, {operation::add, term::plus},
      {operation::subtract, term::minus},    {operation::multiply, term::times},
      {operation::divide, term::over},       {operation::remainder, term::rest},
      {operation::minimum, term::least},     {operation::maximum, term::most},
      {operation::equal, term::equal},       {operation::not_equal, term::unequal},
      {operation::less, term::less},         {operation::less_equal, term::at_most},
      {operation::greater, term::greater},   {operation::greater_equal, term::at_least},
      {operation::both, term::both},         {operation::either, term::either},
      {operation::choose, term::chosen}};
  if (n.what == operation::constant) return constant(n.value);
  if (n.what == operation::variable) return value_of(weir::to_string(*n.label));
  std::vector<term> parts;
  for (const auto& o : n.operands)
    if (o) parts.push_back(term_of(*o));
  return made(same.at(n.what), std::move(parts));
}

inline plain_pattern pattern_of(const pattern& p) {
  plain_pattern plain{labels_of(p.labels().labels()), std::nullopt};
  if (p.guard()) plain.guard = term_of(*p.guard()->root());
  return plain;
}
inline std::vector<plain_pattern> patterns_of(const std::vector<pattern>& all) {
  std::vector<plain_pattern> plain;
  for (const pattern& p : all) plain.push_back(pattern_of(p));
  return plain;
}

inline std::vector<plain_clause> clauses_of(const detail::filter_spec& spec) {
  std::vector<plain_clause> all;
  for (const auto& c : spec.clauses) {
    plain_clause& clause = all.emplace_back();
    if (c.guard) clause.guard = term_of(*c.guard->root());
    for (const auto& o : c.outputs) {
      auto& items = clause.records.emplace_back();
      for (const auto& i : o.items) {
        output_item item{weir::to_string(*i.label)};
        if (i.value) item.how = output_item::computed, item.value = term_of(*i.value->root());
        if (i.from && i.from != i.label) item.how = output_item::renamed, item.from = weir::to_string(*i.from);
        items.push_back(std::move(item));
      }
    }
  }
  return all;
}

inline std::vector<input_variant> inputs_of(const network& branch) {
  std::vector<input_variant> all;
  for (const auto& r : branch.signature().rules) all.push_back({labels_of(r.in.labels()), r.open});
  return all;
}

inline plan_ptr plan_of(const network& net) {
  plan p;
  const auto within = [&](plan::form what, const network& body) {
    p.what = what;
    p.parts.push_back(plan_of(body));
  };
  visit(net, detail::overloads{
                 [&](const detail::bypass_node&) { p.what = plan::bypass; },
                 [&](const detail::filter_node& n) {
                   p.what = plan::filter;
                   p.pattern = labels_of(n.spec->takes);
                   p.clauses = clauses_of(*n.spec);
                 },
                 [&](const detail::sync_node& n) {
                   p.what = plan::sync;
                   p.patterns = patterns_of(n.patterns);
                 },
                 [&](const detail::serial_node& n) {
                   p.what = plan::serial;
                   for (const network& part : n.flat()) p.parts.push_back(plan_of(part));
                 },
                 [&](const detail::choice_node& n) {
                   p.what = plan::choice;
                   for (const network& part : n.flat()) {
                     p.parts.push_back(plan_of(part));
                     p.inputs.push_back(inputs_of(part));
                   }
                 },
                 [&](const detail::star_node& n) {
                   within(plan::star, n.body);
                   p.patterns = patterns_of(n.exits.patterns());
                 },
                 [&](const detail::feedback_node& n) {
                   within(plan::feedback, n.body);
                   p.patterns = patterns_of(n.back.patterns());
                 },
                 [&](const detail::split_node& n) {
                   within(plan::split, n.body);
                   p.by = weir::to_string(*n.by);
                 },
                 [&](const detail::ordered_node& n) {
                   p = *plan_of(n.inner);
                   p.ordered = true;
                 },
                 [&](const detail::wrapped_node& n) { p = *plan_of(n.inner); },
                 [&](const detail::node&) { throw std::invalid_argument("the oracle knows no boxes of texts"); },
             });
  return std::make_shared<const plan>(std::move(p));
}

}  // namespace weir::testing::language
