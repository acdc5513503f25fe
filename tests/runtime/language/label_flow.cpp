#include "tests/runtime/language/label_flow.hpp"

#include <algorithm>

namespace weir::testing::language {
namespace {

// More would not find more errors and would be slower.
constexpr std::size_t most_types = 24;

label_set with(const label_set& made, const label_set& from, const label_set& named) {
  label_set all = made;
  for (const std::string& l : from)
    if (!is_binding(l) && !named.count(l)) all.insert(l);
  return all;
}

void flow(const plan& p, const label_set& v, types& out) {
  const auto all = [&](const types& more) { out.insert(more.begin(), more.end()); };
  switch (p.what) {
    case plan::box: {
      const label_set takes = taken(p.basis);
      if (!fits(takes, v)) throw does_not_fit{};
      for (const label_set& g : given(p.basis)) out.insert(with(g, v, takes));
      break;
    }
    case plan::fold:
      if (!fits(taken(p.kept), v)) throw does_not_fit{};
      out.insert(given(p.kept));
      break;
    case plan::filter:
      if (!fits(p.pattern, v)) throw does_not_fit{};
      for (const plain_clause& c : p.clauses)
        for (const auto& items : c.records) {
          label_set g;
          for (const output_item& i : items) g.insert(i.label);
          out.insert(with(g, v, p.pattern));
        }
      break;
    case plan::sync: {
      out.insert(v);
      if (!fits(p.patterns[0].labels, v)) break;
      label_set merged = v;
      for (const plain_pattern& q : p.patterns) merged.insert(q.labels.begin(), q.labels.end());
      out.insert(merged);
      break;
    }
    case plan::bypass:
      out.insert(v);
      break;
    case plan::source:
      break;
    case plan::serial: {
      types now{v};
      for (const plan_ptr& q : p.parts) now = flow(*q, now);
      all(now);
      break;
    }
    case plan::choice: {
      const int to = route(p, v);
      if (to < 0) throw does_not_fit{};
      all(flow(*p.parts[static_cast<std::size_t>(to)], {v}));
      break;
    }
    case plan::split:
      if (!v.count(p.by)) throw does_not_fit{};
      [[fallthrough]];
    case plan::observed:
      all(flow(*p.parts[0], {v}));
      break;
    case plan::star:
    case plan::feedback: {
      // A star tests its exits at the input, a feedback at the output; both repeat until no new type appears.
      const bool is_star = p.what == plan::star;
      types seen, next{v};
      const auto ask = [&](const label_set& one, types& on) {
        bool may = false, must = false;
        for (const plain_pattern& q : p.patterns)
          if (fits(q.labels, one)) may = true, must = must || !q.guard;
        if (is_star ? may : !must) out.insert(one);
        if (is_star ? !must : may) on.insert(one);
      };
      if (is_star) {
        types on;
        ask(v, on);
        next = on;
      }
      while (!next.empty()) {
        types on;
        for (const label_set& one : flow(*p.parts[0], next)) ask(one, on);
        seen.insert(next.begin(), next.end());
        next.clear();
        for (const label_set& one : on)
          if (!seen.count(one)) next.insert(one);
        if (seen.size() > most_types) throw does_not_fit{};
      }
      break;
    }
  }
}

}  // namespace

int route(const plan& choice, const label_set& v) {
  int best = -1, most = -1;
  for (std::size_t i = 0; i < choice.inputs.size(); ++i)
    for (const input_variant& in : choice.inputs[i]) {
      const bool taken = in.open ? std::includes(v.begin(), v.end(), in.labels.begin(), in.labels.end(), label_order{})
                                 : fits(in.labels, v);
      if (taken && static_cast<int>(in.labels.size()) > most)
        most = static_cast<int>(in.labels.size()), best = static_cast<int>(i);
    }
  return best;
}

types flow(const plan& p, const types& in) {
  types out;
  for (const label_set& v : in) flow(p, v, out);
  if (out.size() > most_types) throw does_not_fit{};
  return out;
}

}  // namespace weir::testing::language
