#include "tests/runtime/language/oracle.hpp"

#include <algorithm>

#include "tests/runtime/language/oracle_state.hpp"

namespace weir::testing::language {
namespace {

std::int64_t integer(const plain_record& r, const std::string& label) { return std::get<std::int64_t>(r.at(label)); }

// Flow inheritance: `made`, plus the labels of `from` that are neither in `named` nor made. Binding tags never inherit.
plain_record with_inherited(plain_record made, const plain_record& from, const label_set& named) {
  for (const auto& [label, v] : from)
    if (!is_binding(label) && !named.count(label) && !made.count(label)) made[label] = v;
  return made;
}

}  // namespace

oracle::oracle(plan_ptr p, std::int64_t most_steps)
    : plan_(std::move(p)), root_(std::make_unique<place>()), steps_left_(most_steps) {}
oracle::~oracle() = default;

std::vector<group> oracle::push(const plain_record& in) { return run(*plan_, *root_, in); }

std::vector<group> oracle::start() {
  std::vector<group> out;
  start(*plan_, *root_, out);
  return out;
}

namespace {
bool starts(const plan& p) {
  return p.what == plan::source || (p.what == plan::serial && starts(*p.parts[0])) ||
         (p.what == plan::choice &&
          std::any_of(p.parts.begin(), p.parts.end(), [](const plan_ptr& q) { return starts(*q); }));
}
}  // namespace

// Initialisers are heads of chains and branches of choices, from the top down.
void oracle::start(const plan& p, place& at, std::vector<group>& out) {
  if (p.what == plan::source) {
    for (std::int64_t i = 0; i < p.basis.salt; ++i) out.push_back({{{p.basis.labels[0], i}}});
  } else if (p.what == plan::choice) {
    for (std::size_t i = 0; i < p.parts.size(); ++i)
      if (starts(*p.parts[i])) start(*p.parts[i], at.part(i), out);
  } else if (p.what == plan::serial) {
    std::vector<group> now;
    start(*p.parts[0], at.part(0), now);
    for (std::size_t i = 1; i < p.parts.size(); ++i) {
      std::vector<group> next;
      for (const group& g : now)
        for (const plain_record& r : g) append(next, run(*p.parts[i], at.part(i), r));
      now = std::move(next);
    }
    append(out, std::move(now));
  }
}

std::vector<group> oracle::run(const plan& p, place& at, const plain_record& r) {
  if (--steps_left_ < 0) throw too_much("more steps than a test may take");
  std::vector<group> out;
  const plan* taken_by = nullptr;  // the part of a choice
  try {
    switch (p.what) {
      case plan::box:
        return run_box(p.basis, r);
      case plan::filter:
        return run_filter(p, r);
      case plan::sync:
        return run_sync(p, at, r);
      case plan::bypass:
        return {{r}};
      case plan::source:
        return {};
      case plan::fold:
        return run_fold(p.kept, at, r);
      case plan::serial:
        out = run_serial(p, at, 0, {{r}});
        break;
      case plan::choice: {
        int best = -1, best_score = -1;
        const label_set there = labels_of(r);
        for (std::size_t i = 0; i < p.parts.size(); ++i)
          for (const input_variant& v : p.inputs[i]) {
            const bool taken =
                v.open ? std::includes(there.begin(), there.end(), v.labels.begin(), v.labels.end(), label_order{})
                       : fits(v.labels, there);
            const int score = static_cast<int>(v.labels.size());
            if (taken && score > best_score) best = static_cast<int>(i), best_score = score;
          }
        if (best < 0) throw record_ends("no branch");
        const auto i = static_cast<std::size_t>(best);
        taken_by = p.parts[i].get();
        out = run(*taken_by, at.part(i), r);
        break;
      }
      case plan::star:
        run_star(p, at, 0, r, out);
        break;
      case plan::split:
        out = run_split(p, at, r);
        break;
      case plan::feedback:
        run_feedback(p, at, r, out);
        break;
      case plan::observed:
        out = run(*p.parts[0], at.part(0), r);
        observed_ += count_of(out);
        break;
    }
  } catch (const record_ends&) {
    ++failed_;
    return {};
  }
  return in_order(p, taken_by, std::move(out));
}

std::vector<group> oracle::run_box(const plain_box& b, const plain_record& r) {
  const auto& l = b.labels;
  const label_set takes = taken(b);
  if (!fits(takes, labels_of(r))) throw record_ends("no match");
  std::vector<plain_record> out;
  const auto emit = [&](plain_record made) { out.push_back(with_inherited(std::move(made), r, takes)); };
  const auto first = [&] { return integer(r, l[0]); };
  switch (b.kind) {
    case box_kind::constant:
      emit({{l[0], b.salt}});
      break;
    case box_kind::computing:
      emit({{l[1], mixed(first(), b.salt)}});
      break;
    case box_kind::mixing:
      emit({{l[2], mixed(first(), integer(r, l[1]))}, {l[3], mixed(integer(r, l[1]), b.salt)}});
      break;
    case box_kind::copying:
      for (std::int64_t i = 0; i < phase(first(), b.salt, 4); ++i) emit({{l[1], added(first(), i)}});
      break;
    case box_kind::deciding:
      if (phase(first(), b.salt, 3) != 1) emit({{l[0], first()}, {l[1], mixed(first(), b.salt)}});
      if (phase(first(), b.salt, 3) != 0) emit({{l[0], first() / 2}, {l[2], mixed(first(), 7)}});
      break;
    case box_kind::texting: {
      const std::string& text = std::get<std::string>(r.at(l[0]));
      emit({{l[1], shortened(text, b.salt)}, {l[2], length(text)}});
      break;
    }
    case box_kind::moving:
      emit({{l[0], shortened(std::get<std::string>(r.at(l[0])), b.salt)}});
      break;
    case box_kind::dropping:
      if (phase(first(), b.salt, 3)) emit({{l[0], mixed(first(), b.salt)}});
      break;
    case box_kind::picky:
      if (phase(first(), b.salt, 5) == 0)
        ++failed_;
      else
        emit({{l[0], mixed(first(), b.salt)}});
      break;
    case box_kind::half_way:
      emit({{l[0], mixed(first(), b.salt)}});
      if (phase(first(), b.salt, 5) == 0) ++failed_;
      break;
    case box_kind::straying:
      if (phase(first(), b.salt, 2)) emit({{l[0], mixed(first(), b.salt)}});
      if (phase(first(), b.salt, 5) == 0) ++failed_;
      break;
    case box_kind::marking:
      if (phase(first(), b.salt, 2))
        emit({{l[0], first()}, {l[1], b.salt}});
      else
        emit({{l[0], added(first(), 1)}});
      break;
    case box_kind::unmarking:
      emit({{l[0], first()}, {l[2], integer(r, l[1])}});
      break;
    case box_kind::stepping:
      emit({{l[0], mixed(first(), integer(r, l[1]))}});
      emit({{l[2], mixed(integer(r, l[1]), first())}});
      break;
    case box_kind::sinking:
      break;
  }
  return each_alone(std::move(out));
}

std::vector<group> oracle::run_filter(const plan& p, const plain_record& r) {
  if (!fits(p.pattern, labels_of(r))) throw record_ends("no match");
  if (p.clauses.empty()) return {};
  for (const plain_clause& c : p.clauses) {
    if (c.guard && !evaluate(*c.guard, r)) continue;
    std::vector<plain_record> out;
    for (const auto& items : c.records) {
      plain_record made;
      for (const output_item& i : items) {
        if (i.how == output_item::computed)
          made[i.label] = evaluate(i.value, r);
        else if (i.how == output_item::renamed)
          made[i.label] = r.at(i.from);
        else if (p.pattern.count(i.label))
          made[i.label] = r.at(i.label);
        else
          made[i.label] = std::int64_t{0};  // a new tag
      }
      out.push_back(with_inherited(std::move(made), r, p.pattern));
    }
    return each_alone(std::move(out));
  }
  throw record_ends("no guard is true");
}

std::vector<group> oracle::run_sync(const plan& p, place& at, const plain_record& r) {
  if (at.spent) return {{r}};
  at.slots.resize(p.patterns.size());
  bool filled = false;
  for (std::size_t i = 0; i < p.patterns.size(); ++i)
    if (!at.slots[i] && matches(p.patterns[i], r)) {
      at.slots[i] = r;
      filled = true;
    }
  if (!filled) return {{r}};
  if (!std::all_of(at.slots.begin(), at.slots.end(), [](const auto& s) { return s.has_value(); })) {
    ++at.kept;
    ++held_;
    return {};
  }
  plain_record merged = *at.slots[0];
  for (std::size_t i = 1; i < p.patterns.size(); ++i)
    for (const std::string& l : p.patterns[i].labels) merged[l] = at.slots[i]->at(l);
  held_ -= at.kept;
  at.spent = true;
  at.slots.clear();
  return {{merged}};
}

std::vector<group> oracle::run_fold(const plain_fold& f, place& at, const plain_record& r) {
  const label_set takes = taken(f);
  if (!fits(takes, labels_of(r))) throw record_ends("no match");
  const std::size_t count = f.labels.size() / 2;
  if (!at.state) {
    at.state = fold_state{++made_, f.salt, std::vector<std::int64_t>(count - 1, first_least)};
    if (at.has_finished) ++anew_;
  }
  ++folded_;
  fold_state& s = *at.state;
  if (f.kind == fold_kind::weighing || f.kind == fold_kind::lasting) {
    const std::int64_t t = integer(r, f.labels[1]);
    if (f.kind == fold_kind::weighing) {
      s.first = added(s.first, integer(r, f.labels[0]));
      s.others[0] = added(s.others[0], t);
    } else {
      s.text = std::get<std::string>(r.at(f.labels[0]));
      s.others[0] = mixed(added(s.others[0], t), f.salt);
    }
    return {};
  }
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(integer(r, f.labels[i]));
  for (std::size_t i = 1; i < count; ++i) s.others[i - 1] = std::min(s.others[i - 1], values[i]);
  switch (f.kind) {
    case fold_kind::least:
      s.first = std::min(s.first, values[0]);
      break;
    case fold_kind::gathering:
    case fold_kind::recalling:
      s.all.push_back(values);
      break;
    case fold_kind::chaining:
    case fold_kind::running:
    case fold_kind::telling:
      s.first = mixed(added(s.first, values[0]), f.salt);
      break;
    default:
      s.first = added(s.first, values[0]);
      break;
  }
  if (f.kind == fold_kind::picky && phase(values[0], f.salt, 5) == 0) ++failed_;
  if (!gives_for_each(f.kind)) return {};
  return {{as_given(f, s.first, s.others)}};
}

std::vector<group> oracle::run_serial(const plan& p, place& at, std::size_t from, std::vector<group> now) {
  for (std::size_t i = from; i < p.parts.size(); ++i) {
    std::vector<group> next;
    for (const group& g : now) {
      std::vector<group> caused;
      for (const plain_record& one : g) append(caused, run(*p.parts[i], at.part(i), one));
      append(next, g.size() > 1 ? all_together(std::move(caused)) : std::move(caused));
    }
    now = std::move(next);
  }
  return now;
}

void oracle::run_star(const plan& p, place& at, std::size_t depth, const plain_record& r, std::vector<group>& out) {
  for (const plain_pattern& exit : p.patterns)
    if (matches(exit, r)) {
      out.push_back({r});
      return;
    }
  for (const group& g : run(*p.parts[0], at.part(depth), r))
    for (const plain_record& one : g) run_star(p, at, depth + 1, one, out);
}

void oracle::run_feedback(const plan& p, place& at, const plain_record& r, std::vector<group>& out) {
  for (const group& g : run(*p.parts[0], at.part(0), r))
    for (const plain_record& one : g) come_out(p, at, one, out);
}

// A record that comes out of the body: back, or on.
void oracle::come_out(const plan& p, place& at, const plain_record& r, std::vector<group>& out) {
  if (std::any_of(p.patterns.begin(), p.patterns.end(), [&](const plain_pattern& q) { return matches(q, r); }))
    run_feedback(p, at, r, out);
  else
    out.push_back({r});
}

std::vector<group> oracle::run_split(const plan& p, place& at, const plain_record& r) {
  if (!r.count(p.by)) throw record_ends("no tag to split by");
  const std::int64_t value = integer(r, p.by);
  const bool ends =
      std::any_of(p.patterns.begin(), p.patterns.end(), [&](const plain_pattern& last) { return matches(last, r); });
  std::vector<group> out = run(*p.parts[0], at[value], r);
  if (ends) {
    append(out, finish_all(*p.parts[0], at[value], false));
    at.inner.erase(value);
    ++ended_;
  }
  return out;
}

}  // namespace weir::testing::language
