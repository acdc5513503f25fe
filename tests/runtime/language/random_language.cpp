#include "tests/runtime/language/random_language.hpp"

#include <algorithm>
#include <optional>

#include "tests/runtime/run/making_plans.hpp"

namespace weir::testing::language {
namespace {

constexpr int deepest = 6;

}  // namespace

// ---- small draws ----

const label_set& language_maker::any(const types& of) {
  return *std::next(of.begin(), up_to(static_cast<int>(of.size()) - 1));
}

label_set language_maker::some(const label_set& of, int most) {
  std::vector<std::string> data;
  for (const std::string& l : of)
    if (is_data(l)) data.push_back(l);
  std::shuffle(data.begin(), data.end(), random_);
  data.resize(std::min(data.size(), static_cast<std::size_t>(up_to(most))));
  return {data.begin(), data.end()};
}

term language_maker::number(const std::vector<std::string>& tags, int depth, bool may_divide) {
  if (depth == 0 || one_in(4)) {
    if (!tags.empty() && !one_in(4)) return value_of(any(tags));
    return one_in(30) ? constant((std::int64_t{1} << 62) + up_to(1000)) : constant(small());
  }
  const auto part = [&] { return number(tags, depth - 1, may_divide); };
  switch (up_to(may_divide ? 10 : 8)) {
    case 0:
      return made(term::negated, {part()});
    case 1:
      return made(term::absolute, {part()});
    case 2:
      return made(term::times, {part(), part()});
    case 3:
      return made(term::minus, {part(), part()});
    case 4:
      return made(term::least, {part(), part()});
    case 5:
      return made(term::most, {part(), part()});
    case 6:
      return made(term::chosen, {condition(tags, depth - 1, may_divide), part(), part()});
    case 7:
      return made(one_in(2) ? term::rest : term::over, {part(), constant(1 + up_to(6))});
    case 8:
      return made(term::plus, {part(), part()});
    default:
      return made(one_in(2) ? term::rest : term::over, {part(), part()});  // also for zero
  }
}

term language_maker::condition(const std::vector<std::string>& tags, int depth, bool may_divide) {
  static constexpr term::operation comparisons[] = {term::equal,   term::unequal, term::less,
                                                    term::at_most, term::greater, term::at_least};
  const auto part = [&] { return condition(tags, depth - 1, may_divide); };
  if (depth > 0 && one_in(4)) return made(one_in(2) ? term::both : term::either, {part(), part()});
  if (depth > 0 && one_in(6)) return made(term::opposite, {part()});
  if (tags.empty()) return made(comparisons[up_to(5)], {constant(small()), constant(small())});
  if (one_in(2)) {  // likely to differ between records
    return made(comparisons[up_to(5)], {remainder(any(tags), 2 + up_to(2)), constant(up_to(2))});
  }
  return made(comparisons[up_to(5)], {number(tags, depth, may_divide), number(tags, depth, may_divide)});
}

// ---- parts ----

bool language_maker::can_be(const plan_ptr& p) {
  try {
    realiser_.of(p);
    return true;
  } catch (const type_error&) {
    ++refused_;
    return false;
  }
}

plan_ptr language_maker::box_plan(box_kind kind, std::vector<std::string> labels, int width) {
  plan p;
  p.what = plan::box;
  p.basis = {"b" + std::to_string(++names_), kind, std::move(labels), up_to(40), width};
  plan_ptr made = make(std::move(p));
  made_boxes_.push_back(made);
  return made;
}

plan_ptr language_maker::a_box(const label_set& known, const wish& w) {
  if (!made_boxes_.empty() && one_in(8)) {  // a box that is also used elsewhere: both uses are one component
    const plan_ptr& again = made_boxes_[static_cast<std::size_t>(up_to(static_cast<int>(made_boxes_.size()) - 1))];
    const label_set takes = taken(again->basis);
    bool keeps = true;
    for (const std::string& l : takes)
      for (const label_set& g : given(again->basis)) keeps = keeps && (is_tag(l) || g.count(l));
    if (fits(takes, known) && (!w.single || is_single(*again)) && (!w.loops || keeps) &&
        again->basis.kind != box_kind::marking && again->basis.kind != box_kind::sinking &&
        std::all_of(takes.begin(), takes.end(), is_data))
      return again;
  }
  const std::vector<std::string> tags = among(all_tags, known), numbers = among(all_numbers, known),
                                 texts = among(all_texts, known);
  const int width = one_in(4) ? 1 : one_in(5) ? 2 + up_to(2) : 0;
  const auto other = [&](const std::string& than) {
    std::string l = any(all_tags);
    while (l == than) l = any(all_tags);
    return l;
  };
  for (int tries = 0; tries < 20; ++tries) {
    const box_kind kind = static_cast<box_kind>(up_to(static_cast<int>(box_kind::straying)));
    switch (kind) {
      case box_kind::constant:
        if (one_in(3)) return box_plan(kind, {any(all_tags)}, width);
        break;
      case box_kind::computing:
        if (!tags.empty()) return box_plan(kind, {any(tags), any(all_tags)}, width);
        break;
      case box_kind::mixing:
        if (!tags.empty() && !numbers.empty()) {
          const std::string from = any(numbers);
          return box_plan(kind, {from, any(tags), w.loops ? from : any(all_numbers), any(all_tags)}, width);
        }
        break;
      case box_kind::copying:
        if (!tags.empty() && !w.single && one_in(2)) return box_plan(kind, {any(tags), any(all_tags)}, width);
        break;
      case box_kind::deciding:
        if (!tags.empty() && !w.single) {
          const std::string from = any(tags);
          return box_plan(kind, {from, any(all_numbers), other(from)}, width);
        }
        break;
      case box_kind::texting:
        if (!texts.empty()) {
          const std::string from = any(texts);
          return box_plan(kind, {from, w.loops ? from : any(all_texts), any(all_tags)}, width);
        }
        break;
      case box_kind::moving:
        if (!texts.empty()) return box_plan(kind, {any(texts)}, width);
        break;
      case box_kind::dropping:
        if (!numbers.empty() && one_in(2)) return box_plan(kind, {any(numbers)}, width);
        break;
      case box_kind::picky:
      case box_kind::half_way:
      case box_kind::straying:
        if (!tags.empty() && one_in(5)) return box_plan(kind, {any(tags)}, width);
        break;
      default:
        break;
    }
  }
  return box_plan(box_kind::constant, {any(all_tags)}, width);
}

plan_ptr language_maker::a_filter(const label_set& known, const wish& w) {
  const label_set pattern = some(known, 3);
  const std::vector<std::string> tags = among(all_tags, pattern), numbers = among(all_numbers, pattern),
                                 texts = among(all_texts, pattern);
  std::vector<plain_clause> clauses;
  const int count = 1 + up_to(2);
  for (int i = 0; i < count; ++i) {
    plain_clause c;
    if (!tags.empty() && (i + 1 < count || one_in(7))) c.guard = condition(tags, 2, one_in(6));
    const int most = w.single ? 1 : 1 + (one_in(3) ? 1 : 0);
    const int records = one_in(8) ? 0 : most;
    for (int r = 0; r < records; ++r) {
      std::map<std::string, output_item, label_order> items;
      for (const std::string& l : pattern)
        if ((w.loops && !is_tag(l)) || one_in(2)) items[l] = copied(l);
      const auto add = [&](const output_item& item) {
        if (!(w.loops && !is_tag(item.label) && pattern.count(item.label))) items[item.label] = item;
      };
      if (!numbers.empty() && one_in(3)) add({any(all_numbers), output_item::renamed, any(numbers), {}});
      if (!texts.empty() && one_in(3)) add({any(all_texts), output_item::renamed, any(texts), {}});
      if (one_in(6)) add(copied(any(all_tags)));  // new, or from the pattern
      for (int e = up_to(2); e > 0; --e) add(computed(any(all_tags), number(tags, 2, r == 0 && one_in(6))));
      if (!tags.empty() && one_in(8)) add(computed(any(all_tags), condition(tags, 1, false)));
      std::vector<output_item> list;
      for (auto& [l, item] : items) list.push_back(item);
      c.records.push_back(list);
    }
    const bool last = !c.guard;
    clauses.push_back(std::move(c));
    if (last) break;
  }
  return filter_of(pattern, clauses);
}

plan_ptr language_maker::a_cell(const types& in, const wish& w) {
  plan p;
  p.what = plan::sync;
  const int count = one_in(4) ? 3 : one_in(10) ? 4 + up_to(4) : 2;
  for (int i = 0; i < count; ++i) {
    plain_pattern q;
    const label_set& v = any(in);
    for (int tries = 0; q.labels.empty() && tries < 5; ++tries) q.labels = some(v, 2);
    if (i == 0 && one_in(2)) q.labels.insert(all_tags[0]);
    if (!fits(q.labels, v)) q.labels.erase(all_tags[0]);
    const std::vector<std::string> tags = among(all_tags, q.labels);
    if (!tags.empty() && one_in(2)) q.guard = condition(tags, 1, false);
    for (const std::string& l : common(in))  // the counters of loops, or the record could not be known to leave them
      if (w.loops && l[1] == 'i' && l != number_label) q.labels.insert(l);
    p.patterns.push_back(std::move(q));
  }
  return make(std::move(p));
}

namespace {
std::vector<std::string> counters_in(const label_set& known) {
  std::vector<std::string> all;
  for (const std::string& l : known)
    if (is_tag(l) && l[1] == 'i' && l != number_label) all.push_back(l);
  return all;
}

// A fold that gives the same for its input in any order.
bool brings_into_order(const plan& p) { return p.what == plan::fold && !knows_order(p.kept.kind); }
}  // namespace

plan_ptr language_maker::a_fold(const types& in, const wish& w) {
  if (std::any_of(in.begin(), in.end(), has_binding)) return nullptr;
  if (w.many && !w.state && (!w.free || w.wanted != order::none)) return nullptr;
  const label_set known = common(in);
  const std::vector<std::string> counters = counters_in(known), numbers = among(all_numbers, known),
                                 texts = among(all_texts, known);
  std::vector<std::string> tags = among(all_tags, known);
  if (tags.empty() || (w.loops && counters.size() > 3)) return nullptr;
  const auto fits_here = [&](const plan& p) {
    return (w.state || !knows_order(p.kept.kind)) && (!w.single || is_single(p));
  };
  if (!made_folds_.empty() && !w.loops && one_in(6)) {  // one that is also used elsewhere
    const plan_ptr& again = made_folds_[static_cast<std::size_t>(up_to(static_cast<int>(made_folds_.size()) - 1))];
    if (fits_here(*again) && fits(taken(again->kept), known)) return again;
  }
  static const std::vector<fold_kind> kinds_of_one{fold_kind::summing, fold_kind::least,    fold_kind::picky,
                                                   fold_kind::weary,   fold_kind::chaining, fold_kind::weighing,
                                                   fold_kind::lasting, fold_kind::weighing, fold_kind::lasting},
      kinds_of_all{fold_kind::gathering, fold_kind::gathering, fold_kind::running, fold_kind::telling,
                   fold_kind::recalling};
  for (int tries = 0; tries < 20; ++tries) {
    // Outside of splits a fold of one result would leave little for what follows.
    const auto& kinds = one_in(w.many || w.loops ? 2 : 5) ? kinds_of_one : kinds_of_all;
    plan p;
    p.what = plan::fold;
    p.kept.kind = kinds[static_cast<std::size_t>(up_to(static_cast<int>(kinds.size()) - 1))];
    if (!fits_here(p)) continue;
    std::vector<std::string> takes, gives;
    if (p.kept.kind == fold_kind::weighing || p.kept.kind == fold_kind::lasting) {
      const auto& fields = p.kept.kind == fold_kind::weighing ? numbers : texts;
      if (w.loops || fields.empty()) continue;
      takes = {any(fields), any(tags)};
      gives = {any(p.kept.kind == fold_kind::weighing ? all_numbers : all_texts), any(all_tags)};
    } else {
      std::shuffle(tags.begin(), tags.end(), random_);
      takes = tags;
      takes.resize(std::min(tags.size(), static_cast<std::size_t>(w.loops ? 1 : 1 + up_to(3))));
      if (w.loops) takes.insert(takes.end(), counters.begin(), counters.end());
      gives = takes;
      if (!w.loops && one_in(2)) {
        gives = all_tags;
        std::shuffle(gives.begin(), gives.end(), random_);
        gives.resize(takes.size());
      }
    }
    p.kept.name = "f" + std::to_string(++names_);
    p.kept.labels = takes;
    p.kept.labels.insert(p.kept.labels.end(), gives.begin(), gives.end());
    p.kept.salt = up_to(40);
    p.kept.width = one_in(4) ? 1 : one_in(5) ? 2 + up_to(2) : 0;
    plan_ptr made = make(std::move(p));
    if (!w.loops) made_folds_.push_back(made);
    return made;
  }
  return nullptr;
}

// A network, and a fold behind it if one can be there.
plan_ptr language_maker::with_fold(const plan_ptr& p, const types& in, const wish& w) {
  wish behind = w;
  behind.state = w.state && order_of(*p) == order::sequence;
  const types out = flow(*p, in);
  if (out.empty()) return p;
  const plan_ptr fold = a_fold(out, behind);
  if (!fold) return p;
  const plan_ptr both = in_series({p, fold});
  return can_be(both) ? both : p;
}

plan_ptr language_maker::leaf(const types& in, const wish& w) {
  if (std::any_of(in.begin(), in.end(), has_binding)) return w.state && one_in(3) ? a_cell(in, w) : bypass_plan();
  const label_set known = common(in);
  if (one_in(8))
    if (plan_ptr fold = a_fold(in, w)) return fold;
  if (w.state && one_in(4)) return a_cell(in, w);
  if (one_in(12)) return bypass_plan();
  return one_in(3) ? a_filter(known, w) : a_box(known, w);
}

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

// What ends a branch of a split.
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

plan_ptr language_maker::a_star(const types& in, const wish& w) {
  const label_set known = common(in);
  const std::vector<std::string> tags = among(all_tags, known);
  const std::string counter = "<i" + std::to_string(w.level) + ">";
  if (tags.empty() || has_binding(*in.begin())) return nullptr;
  const std::string from = any(tags);
  const bool folds = one_in(4);
  const plan_ptr entry = entry_of_loop(known, from, counter, folds);
  std::vector<plain_pattern> exits{{{counter}, made(term::at_most, {value_of(counter), constant(0)})}};
  if (one_in(4)) exits.push_back({{from}, condition({from}, 1, false)});
  if (one_in(6)) exits.push_back({{counter, from}, condition({counter, from}, 1, false)});
  wish inner = w;
  inner.depth = w.depth - 1;
  ++inner.level;
  inner.loops = true;
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
  const label_set known = common(in);
  const std::vector<std::string> tags = among(all_tags, known);
  const std::string counter = "<i" + std::to_string(w.level) + ">";
  if (tags.empty() || has_binding(*in.begin())) return nullptr;
  const std::string from = any(tags);
  const bool folds = one_in(4);
  const plan_ptr entry = entry_of_loop(known, from, counter, folds);
  std::vector<plain_pattern> back{{{counter}, made(term::greater, {value_of(counter), constant(0)})}};
  wish inner = w;
  inner.depth = w.depth - 1;
  ++inner.level;
  inner.loops = true;
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

// ---- chains ----

plan_ptr language_maker::part(const types& in, const wish& w) {
  if (w.depth == 1) return leaf(in, w);
  if (w.depth <= 3 && !w.loops && one_in(3)) {
    switch (up_to(3)) {
      case 0:
        if (w.state) return pairs(in, w);
        break;
      case 1:
        if (w.state && !w.single) return a_state(in, w);
        break;
      case 2:
        if (w.unique) return a_join(in, w);
        break;
      default:
        break;
    }
  }
  if (w.depth <= 2 && one_in(5)) return marks(in, w);
  switch (up_to(11)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return a_choice(in, w);
    case 4:
    case 5:
    case 6:
      return a_split(in, w);
    case 7:
    case 8:
      return a_star(in, w);
    case 9:
    case 10:
      return w.wanted == order::sequence && w.state ? a_star(in, w) : a_feedback(in, w);
    default: {
      if (!one_in(2)) return a_choice(in, w);
      const plan_ptr inner = part(in, w);
      return inner ? made_of(plan::observed, inner, {}, false) : nullptr;
    }
  }
}

plan_ptr language_maker::chain(const types& in, const wish& w, int parts) {
  wish now_wanted = w;
  const bool wrapped = w.wanted == order::groups ? one_in(2) : w.wanted == order::none && one_in(8);
  if (wrapped) now_wanted.wanted = order::none, now_wanted.free = false;
  const int spine = up_to(parts - 1);
  types now = in;
  std::vector<plan_ptr> made;
  for (int i = 0; i < parts; ++i) {
    wish next = now_wanted;
    next.depth = i == spine ? w.depth : std::min(w.depth, 1 + up_to(1));
    for (const plan_ptr& p : made) {
      next.state = (next.state && order_of(*p) == order::sequence) || (!w.many && brings_into_order(*p));
      next.unique = next.unique && is_single(*p);
    }
    for (int tries = 0; tries < 12; ++tries) {
      if (tries > 6) next.depth = std::max(1, next.depth - 1);
      try {
        const plan_ptr p = part(now, next);
        if (!p || (next.single && !is_single(*p)) || order_of(*p) > next.wanted) continue;
        types out = flow(*p, now);
        if (out.empty() || !can_be(p)) continue;
        std::vector<plan_ptr> longer = made;
        if (p->what == plan::serial && !p->ordered)
          longer.insert(longer.end(), p->parts.begin(), p->parts.end());
        else
          longer.push_back(p);
        if (!can_be(in_series(longer))) continue;
        made = longer;
        now = out;
        break;
      } catch (const does_not_fit&) {
      }
    }
  }
  if (made.empty()) return nullptr;
  plan_ptr all = in_series(made);
  if (wrapped || (made.size() > 1 && one_in(12))) {
    plan p = *all;
    if (wrapped) p.ordered = true;
    p.named = p.named || p.what == plan::serial;
    p.placed = one_in(2);
    all = make(std::move(p));
  }
  return all;
}

// ---- networks ----

specimen account_of(const plan_ptr& p, const network& net, std::vector<plain_record> inputs) {
  specimen s{p, net, std::move(inputs), {}, 0, order_of(*p)};
  oracle o(p);
  s.expected = o.start();
  for (const plain_record& r : s.inputs)
    for (group& g : o.push(r)) s.expected.push_back(std::move(g));
  for (const group& g : s.expected) s.before_end += g.size();
  for (group& g : o.finish()) s.expected.push_back(std::move(g));
  if (s.known_order == order::none) {
    group all;
    for (group& g : s.expected) all.insert(all.end(), g.begin(), g.end());
    s.expected = {std::move(all)};
  }
  s.failed = o.failed(), s.held = o.held(), s.observed = o.observed();
  s.folded = o.folded(), s.finished = o.finished(), s.anew = o.anew(), s.ended = o.ended();
  return s;
}

std::vector<plain_record> language_maker::some_inputs(const network& net, const types& in) {
  std::vector<plain_record> inputs;
  const int count = one_in(3) ? 60 + up_to(140) : 8 + up_to(24);  // enough to fill streams
  for (int i = 0; i < count; ++i) {
    plain_record r;
    label_set labels;
    for (const std::string& l : any(in)) {
      labels.insert(l);
      if (l == number_label)
        r[l] = std::int64_t{i};
      else if (l[0] == 's')
        r[l] = "a text that is longer than any buffer within it: " + std::to_string(up_to(99));
      else
        r[l] = is_tag(l) ? small() : std::int64_t{up_to(200)};
    }
    for (const auto& rule : net.signature().rules) {  // otherwise send refuses it, correctly
      label_set needs;
      for (const auto* l : rule.in.labels()) needs.insert(weir::to_string(*l));
      if (!rule.at_start && fits(needs, labels)) {
        inputs.push_back(r);
        break;
      }
    }
  }
  return inputs;
}

plan_ptr language_maker::with_source(const types& in, const wish& w) {
  plan first;
  first.what = plan::source;
  first.basis = {"source", box_kind::constant, {"<n>"}, one_in(2) ? up_to(5) : 10 + up_to(30), 0};
  const auto closed = [&]() -> plan_ptr {  // the source at the head of a network, which nobody sends to
    wish rest = w;
    rest.unique = false;
    plan_ptr more = chain({{"<n>"}}, rest, 2);
    return more ? in_series({make(first), more}) : nullptr;
  };
  const int form = up_to(3);
  if (form == 3) return closed();
  plan p;
  p.what = plan::choice;
  if (form == 2) {
    p.parts = {make(first), chain(in, w, 2)};
    if (!p.parts[1]) return nullptr;
  } else if (form == 1) {
    p.parts = {closed(), bypass_plan()};
    if (!p.parts[0]) return nullptr;
  } else {
    p.parts = {make(first), bypass_plan()};
  }
  for (const plan_ptr& q : p.parts) {
    if (!can_be(q)) return nullptr;
    p.inputs.push_back(realiser_.inputs_of(q));
  }
  if (form != 0) return make(std::move(p));
  types now = in;
  now.insert({"<n>"});
  wish rest = w;
  rest.state = rest.unique = false;
  plan_ptr more = chain(now, rest, 2);
  if (!more) return nullptr;
  return in_series({make(std::move(p)), more});
}

specimen language_maker::draw(language_statistics& statistics) {
  for (int attempt = 0;; ++attempt) {
    realiser_ = {};
    made_boxes_.clear();
    made_folds_.clear();
    types in;
    for (int i = 2 + up_to(2); i > 0; --i) {
      label_set v{"a", "<n>", "<k>", number_label};
      for (const char* const l : {"b", "c", "s", "s2", "<t>", "<x>", "<a>"})
        if (one_in(2)) v.insert(l);
      in.insert(v);
    }
    wish w;
    w.depth = std::vector<int>{2, 3, 4, 4, 5, 5, 6, 6, 6, 6}[static_cast<std::size_t>(up_to(9))];
    w.wanted = static_cast<order>(up_to(2));
    plan_ptr p;
    try {
      p = w.wanted == order::none && one_in(5) ? with_source(in, w) : chain(in, w, 1 + up_to(2));
    } catch (const does_not_fit&) {
    }
    statistics.refused += std::exchange(refused_, 0);
    if (!p || !can_be(p) || depth_of(*p) > deepest) continue;
    try {
      const network net = realiser_.of(p);
      std::vector<plain_record> inputs = some_inputs(net, in);
      std::optional<specimen> drawn;
      while (!drawn) {
        try {
          drawn.emplace(account_of(p, net, inputs));
        } catch (const too_much&) {
          if (inputs.size() < 8) throw;
          inputs.resize(inputs.size() / 2);
        }
      }
      specimen& s = *drawn;
      s.seen = realiser_.observed();
      std::size_t results = 0;
      for (const group& g : s.expected) results += g.size();
      if (attempt < 20 && results + static_cast<std::size_t>(s.folded) / 2 < s.inputs.size() / 2 + 1) {
        ++statistics.dull;
        continue;
      }
      statistics.add(*p);
      statistics.records += static_cast<std::int64_t>(s.inputs.size());
      statistics.results += static_cast<std::int64_t>(results);
      statistics.failed += s.failed;
      statistics.held += s.held;
      statistics.folded += s.folded;
      statistics.finished += s.finished;
      statistics.anew += s.anew;
      statistics.ended += s.ended;
      return s;
    } catch (const too_much&) {
      ++statistics.too_much;
    }
  }
}

}  // namespace weir::testing::language
