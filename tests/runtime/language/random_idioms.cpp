#include "tests/runtime/language/random_language.hpp"
#include "tests/runtime/run/making_plans.hpp"

// The idioms of the language, which small draws would rarely produce.
namespace weir::testing::language {

// Joins the k-th record of one kind with the k-th of another.
plan_ptr language_maker::pairs(const types& in, const wish& w) {
  const std::vector<std::string> tags = among(all_tags, common(in));
  if (tags.empty()) return nullptr;
  const std::string n = any(tags);
  const term even = made(term::equal, {remainder(n, 2), constant(0)});
  plan cell;
  cell.what = plan::sync;
  cell.patterns = {{{"<p>"}, {}}, {{"<q>"}, {}}};
  return in_series(
      {filter_of({n}, {{even, {{computed("<p>", value_of(n))}}}, {{}, {{computed("<q>", value_of(n))}}}}),
       made_of(plan::star, make(cell), {{{"<p>", "<q>"}, {}}}, w.wanted != order::none || one_in(2)),
       filter_of({"<p>", "<q>"}, {{{}, {{computed(n, made(term::minus, {value_of("<p>"), value_of("<q>")}))}}}})});
}

// A state that goes from depth to depth and takes in an input at each. With several states, the order decides which is
// first.
plan_ptr language_maker::a_state(const types& in, const wish& w) {
  const label_set known = common(in);
  const std::vector<std::string> tags = among(all_tags, known);
  if (tags.empty()) return nullptr;
  const std::string n = any(tags);
  const bool is_one = w.unique && w.free && w.wanted == order::none && known.count(number_label) && one_in(2);
  plan cell;
  cell.what = plan::sync;
  cell.patterns = {{{"<st>"}, {}}, {{"<in>"}, {}}};
  plan step;
  step.what = plan::choice;
  step.ordered = !is_one;
  step.parts = {bypass_plan(), box_plan(box_kind::stepping, {"<st>", "<in>", "<out>"}, 0)};
  for (const plan_ptr& q : step.parts) {
    if (!can_be(q)) return nullptr;
    step.inputs.push_back(realiser_.inputs_of(q));
  }
  const bool is_ordered = !is_one && (w.wanted != order::none || one_in(2));
  const term is_state = is_one ? made(term::equal, {value_of(number_label), constant(0)})
                               : made(term::equal, {remainder(n, 5), constant(0)});
  label_set first{n};
  std::vector<output_item> state{computed("<st>", value_of(n))}, input{computed("<in>", value_of(n))};
  if (is_one) {
    first.insert(number_label);
    state.push_back(copied(number_label));
    input.push_back(copied(number_label));
  }
  return in_series({filter_of(first, {{is_state, {state}}, {{}, {input}}}),
                    made_of(plan::star, in_series({make(cell), make(step)}), {{{"<out>"}, {}}}, is_ordered),
                    filter_of({"<out>"}, {{{}, {{computed(n, value_of("<out>"))}}}})});
}

// Makes two records of one, which take different ways and meet again.
plan_ptr language_maker::a_join(const types& in, const wish& w) {
  const label_set known = common(in);
  const std::vector<std::string> tags = among(all_tags, known);
  if (tags.empty() || !known.count(number_label)) return nullptr;
  const std::string n = any(tags);
  plan ways;
  ways.what = plan::choice;
  ways.ordered = one_in(3);
  ways.parts = {box_plan(box_kind::computing, {"<p>", "<p>"}, up_to(2)),
                box_plan(one_in(5) ? box_kind::picky : box_kind::computing, {"<q>", "<q>"}, up_to(1))};
  for (const plan_ptr& q : ways.parts) {
    if (!can_be(q)) return nullptr;
    ways.inputs.push_back(realiser_.inputs_of(q));
  }
  plan cell;
  cell.what = plan::sync;
  cell.patterns = {{{"<p>"}, {}}, {{"<q>"}, {}}};
  plan each;
  each.what = plan::split;
  each.by = number_label;
  each.parts = {made_of(plan::star, make(cell), {{{"<p>", "<q>"}, {}}}, one_in(3))};
  const plan_ptr all = in_series(
      {filter_of({n}, {{{}, {{computed("<p>", value_of(n))}, {computed("<q>", value_of(n))}}}}), make(ways), make(each),
       filter_of({"<p>", "<q>"}, {{{}, {{computed(n, made(term::minus, {value_of("<p>"), value_of("<q>")}))}}}})});
  if (w.wanted == order::none && !one_in(3)) return all;
  plan o = *all;
  o.ordered = true;
  return make(std::move(o));
}

// Records with a binding tag mixed with others, and a choice that tells them apart.
plan_ptr language_maker::marks(const types& in, const wish& w) {
  const std::vector<std::string> tags = among(all_tags, common(in));
  if (tags.empty()) return nullptr;
  const std::string n = any(tags);
  std::string other = any(all_tags);
  while (other == n) other = any(all_tags);
  const auto told_apart = [&](std::vector<plan_ptr> parts) -> plan_ptr {
    plan p;
    p.what = plan::choice;
    p.ordered = w.wanted != order::none || one_in(3);
    p.parts = std::move(parts);
    for (const plan_ptr& q : p.parts) {
      if (!can_be(q)) return nullptr;
      p.inputs.push_back(realiser_.inputs_of(q));
    }
    return make(std::move(p));
  };
  std::vector<plan_ptr> all;
  if (one_in(2)) {
    all.push_back(box_plan(box_kind::marking, {n, mark_label}, up_to(2)));
  } else {
    std::vector<plain_clause> clauses(2);
    clauses[0].guard = condition({n}, 1, false);
    clauses[0].records = {{copied(n), computed(mark_label, value_of(n))}};
    clauses[1].records = {{copied(n)}};
    all.push_back(filter_of({n}, std::move(clauses)));
  }
  if (one_in(2)) all.push_back(told_apart({box_plan(box_kind::computing, {n, n}, 0), bypass_plan()}));
  const plan_ptr off = box_plan(box_kind::unmarking, {n, mark_label, other}, up_to(2));
  const plan_ptr plain = one_in(2) ? bypass_plan() : box_plan(box_kind::computing, {n, n}, 0);
  all.push_back(one_in(2) ? told_apart({off, plain}) : told_apart({plain, off}));
  for (const plan_ptr& p : all)
    if (!p) return nullptr;
  return in_series(all);
}

}  // namespace weir::testing::language
