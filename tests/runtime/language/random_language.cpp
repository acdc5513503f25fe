#include "tests/runtime/language/random_language.hpp"

#include <algorithm>
#include <optional>

#include "tests/runtime/run/making_plans.hpp"

// Random chains, and whole networks with their inputs and results.
namespace weir::testing::language {
namespace {

constexpr int deepest = 6;

// A fold that gives the same for its input in any order.
bool brings_into_order(const plan& p) { return p.what == plan::fold && !knows_order(p.kept.kind); }

}  // namespace

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
  const auto closed = [&]() -> plan_ptr {  // the source at the head of a network, which has no sender
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
