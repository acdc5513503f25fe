#include "tests/runtime/language/random_language.hpp"

#include <algorithm>

#include "tests/runtime/run/making_plans.hpp"

// Random parts that contain no other networks: boxes, filters, synchrocells and folds.
namespace weir::testing::language {

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
    // Outside of splits a fold of one result would leave little for the networks behind.
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

}  // namespace weir::testing::language
