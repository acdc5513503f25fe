#include "tests/runtime/language/random_language.hpp"

#include "tests/runtime/run/making_plans.hpp"

// Random choices, splits, stars and feedbacks.
namespace weir::testing::language {

plan_ptr language_maker::a_choice(const types& in, const wish& w) {
  plan p;
  p.what = plan::choice;
  p.ordered = w.wanted != order::none || one_in(3);
  p.named = one_in(6);
  const int count = 2 + up_to(2);
  for (int i = 0; i < count; ++i) {
    const types one{any(in)};
    wish alone = w;
    alone.depth = 2;
    if (i + 1 == count && one_in(3))
      p.parts.push_back(bypass_plan());
    else if (w.depth >= 3 && one_in(6))
      p.parts.push_back(a_choice(one, alone));
    else
      p.parts.push_back(leaf(one, w));
    if (!p.parts.back() || !can_be(p.parts.back())) return nullptr;
    p.inputs.push_back(realiser_.inputs_of(p.parts.back()));
  }
  std::vector<types> routed(p.parts.size());
  for (const label_set& v : in) {
    const int to = route(p, v);
    if (to < 0) return nullptr;
    routed[static_cast<std::size_t>(to)].insert(v);
  }
  std::size_t spine = 0;
  for (std::size_t i = 0, met = 0; i < routed.size(); ++i)
    if (!routed[i].empty() && one_in(static_cast<int>(++met))) spine = i;
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    if (routed[i].empty() || p.parts[i]->what == plan::bypass) continue;
    if (i != spine && one_in(2)) continue;
    if (i == spine && w.depth <= 2 && one_in(3)) continue;
    wish rest = w;
    rest.depth = i == spine ? w.depth - 1 : w.depth > 2 ? 1 + up_to(1) : 1;
    if (w.wanted != order::sequence) rest.wanted = one_in(4) ? order::sequence : order::none;
    rest.state = w.state && order_of(*p.parts[i]) == order::sequence;
    rest.unique = w.unique && is_single(*p.parts[i]);
    rest.free = w.free && !p.ordered;
    const types now = flow(*p.parts[i], routed[i]);
    if (now.empty()) continue;
    plan_ptr more = chain(now, rest, 1 + up_to(1));
    if (!more) return nullptr;
    std::vector<plan_ptr> parts;
    parts.push_back(p.parts[i]);
    if (more->what == plan::serial && !more->ordered)
      parts.insert(parts.end(), more->parts.begin(), more->parts.end());
    else
      parts.push_back(more);
    p.parts[i] = in_series(parts);
    if (!can_be(p.parts[i])) return nullptr;
    p.inputs[i] = realiser_.inputs_of(p.parts[i]);
  }
  return make(std::move(p));
}

// The end of a branch of a split.
std::vector<plain_pattern> language_maker::ends_of_branches(const std::vector<std::string>& tags) {
  std::vector<plain_pattern> all;
  for (int i = 1 + (one_in(4) ? 1 : 0); i > 0; --i) {
    const std::string tag = any(tags);
    all.push_back(
        {{tag},
         one_in(3) ? condition({tag}, 1, one_in(3)) : made(term::equal, {remainder(tag, 2 + up_to(4)), constant(0)})});
  }
  return all;
}

plan_ptr language_maker::a_split(const types& in, const wish& w) {
  const label_set known = common(in);
  const std::vector<std::string> tags = among(all_tags, known);
  std::vector<plan_ptr> parts;
  types now = in;
  plan p;
  p.what = plan::split;
  p.ordered = w.wanted != order::none || one_in(3);
  if (known.count(number_label) && one_in(6)) {
    p.by = number_label;
  } else if (tags.empty()) {
    return nullptr;
  } else {
    p.by = any(tags);
    if (one_in(2)) {
      parts.push_back(
          filter_of({p.by}, {{{}, {{computed(p.by, made(term::rest, {value_of(p.by), constant(3 + up_to(3))}))}}}}));
      now = flow(*parts[0], now);
    }
  }
  wish inner = w;
  inner.depth = w.depth - 1;
  inner.free = w.free && !p.ordered;
  inner.many = true;
  if (w.wanted != order::sequence) inner.wanted = one_in(4) ? order::sequence : order::none;
  p.parts = {chain(now, inner, 1 + up_to(1))};
  if (!p.parts[0]) return nullptr;
  if (w.state && !tags.empty() && one_in(2)) p.patterns = ends_of_branches(tags);
  if (one_in(p.patterns.empty() ? 8 : 2)) p.parts[0] = with_fold(p.parts[0], now, inner);
  if (w.single && !is_single(p)) return nullptr;
  p.indexed = p.patterns.empty() && names_ % 2 == 0;  // not drawn, so that the seeds keep their networks
  parts.push_back(make(std::move(p)));
  return in_series(parts);
}

// Gives each record a counter. With folds in the loop it drops the fields, which these could not give back.
plan_ptr language_maker::entry_of_loop(const label_set& known, const std::string& from, const std::string& counter,
                                       bool folds) {
  label_set pattern{from};
  for (const auto* fields : {&all_numbers, &all_texts})
    for (const std::string& l : among(*fields, known))
      if (folds) pattern.insert(l);
  return filter_of(pattern, {{{}, {{copied(from), computed(counter, remainder(from, 2 + up_to(3)))}}}});
}

// The body of a star or feedback: counts down, first or last, does something, and makes consumed tags again.
plan_ptr language_maker::body_of_loop(const types& in, const wish& w, const std::string& counter, bool folds) {
  const plan_ptr down =
      filter_of({counter}, {{{}, {{computed(counter, made(term::minus, {value_of(counter), constant(1)}))}}}});
  plan_ptr work = chain(in, w, 1 + up_to(1));
  if (!work) return nullptr;
  if (folds) work = with_fold(work, in, w);
  std::vector<plan_ptr> parts{work};
  parts.insert(one_in(2) ? parts.begin() : parts.end(), down);
  const label_set before = common(in), after = common(flow(*work, in));
  std::vector<output_item> lost;
  for (const std::string& l : before)
    if (is_tag(l) && l != number_label && !after.count(l)) lost.push_back(computed(l, constant(small())));
  if (!lost.empty()) parts.push_back(filter_of({}, {{{}, {lost}}}));
  return in_series(parts);
}

std::optional<language_maker::loop_start> language_maker::start_of_loop(const types& in, const wish& w) {
  const label_set known = common(in);
  const std::vector<std::string> tags = among(all_tags, known);
  if (tags.empty() || has_binding(*in.begin())) return {};
  loop_start made{"<i" + std::to_string(w.level) + ">", any(tags), one_in(4), nullptr};
  made.entry = entry_of_loop(known, made.from, made.counter, made.folds);
  return made;
}

language_maker::wish language_maker::within_loop(const wish& w) {
  wish inner = w;
  --inner.depth;
  ++inner.level;
  inner.loops = true;
  return inner;
}

plan_ptr language_maker::a_star(const types& in, const wish& w) {
  const std::optional<loop_start> start = start_of_loop(in, w);
  if (!start) return nullptr;
  const auto& [counter, from, folds, entry] = *start;
  std::vector<plain_pattern> exits{{{counter}, made(term::at_most, {value_of(counter), constant(0)})}};
  if (one_in(4)) exits.push_back({{from}, condition({from}, 1, false)});
  if (one_in(6)) exits.push_back({{counter, from}, condition({counter, from}, 1, false)});
  wish inner = within_loop(w);
  inner.single = w.single || w.wanted == order::sequence || one_in(2);
  inner.unique = w.unique && inner.single;
  inner.state = w.state && one_in(2);
  inner.wanted = inner.state ? order::sequence : order::none;
  const bool is_ordered = w.wanted != order::none || one_in(3);
  inner.free = w.free && !is_ordered;
  const types now = flow(*entry, in);
  plan_ptr body = body_of_loop(now, inner, counter, folds);
  if (!body) return nullptr;
  return in_series({entry, made_of(plan::star, body, exits, is_ordered)});
}

plan_ptr language_maker::a_feedback(const types& in, const wish& w) {
  const std::optional<loop_start> start = start_of_loop(in, w);
  if (!start) return nullptr;
  const auto& [counter, from, folds, entry] = *start;
  std::vector<plain_pattern> back{{{counter}, made(term::greater, {value_of(counter), constant(0)})}};
  wish inner = within_loop(w);
  inner.single = w.single || w.wanted == order::sequence || one_in(2);
  inner.state = inner.unique = false;
  inner.wanted = order::none;
  const bool is_ordered = w.wanted != order::none || one_in(3);
  inner.free = w.free && !is_ordered;
  const types now = flow(*entry, in);
  plan_ptr body = body_of_loop(now, inner, counter, folds);
  if (!body) return nullptr;
  return in_series({entry, made_of(plan::feedback, body, back, is_ordered)});
}

}  // namespace weir::testing::language
