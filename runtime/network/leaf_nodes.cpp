#include "runtime/network/leaf_nodes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/network/notation_text.hpp"

namespace weir::detail {

// ---- box ----

box_node::box_node(std::shared_ptr<const box_spec> s) : spec(std::move(s)) { type = spec->signature(); }

void box_node::write(notation_text& to) const { to.add(spec->name); }

std::vector<const label_info*> box_node::labels() const {
  std::vector<const label_info*> all = spec->takes;
  for (const auto& v : spec->variants) all.insert(all.end(), v.begin(), v.end());
  return all;
}

type_transfer box_node::answer(const variant_type& have) const { return transfer_by(type.rules, *this, have); }

// ---- filter ----

filter_node::filter_node(std::shared_ptr<const filter_spec> s) : spec(std::move(s)) {
  const variant_type pattern(spec->takes);
  signature::rule r{pattern, {}, false, false};
  for (const filter_clause& clause : spec->clauses)
    for (const filter_output& output : clause.outputs) {
      std::vector<const label_info*> given;
      for (const filter_item& item : output.items) given.push_back(item.label);
      const variant_type v(given);
      add(r.out, {v, pattern.without(v), signature::inherits::no_binding_tags, false});
      if (r.out.size() > most_variants) throw too_many_variants(filter_node::name());
    }
  type.rules.push_back(std::move(r));
}

void filter_node::write(notation_text& to) const { to.add(to_string(*spec)); }

std::vector<const label_info*> filter_node::labels() const {
  std::vector<const label_info*> all = spec->takes;
  for (const filter_clause& clause : spec->clauses)
    for (const filter_output& output : clause.outputs)
      for (const filter_item& item : output.items) all.push_back(item.label);
  return all;
}

type_transfer filter_node::answer(const variant_type& have) const { return transfer_by(type.rules, *this, have); }

// ---- bypass ----

bypass_node::bypass_node() { type.rules.push_back({{}, {unchanged()}, true, false}); }

void bypass_node::write(notation_text& to) const { to.add("[]"); }

// ---- synchrocell ----

sync_node::sync_node(std::vector<pattern> p) : patterns(std::move(p)) {
  if (patterns.size() < 2)
    throw type_error("sync: a synchrocell needs at least 2 patterns, got " + std::to_string(patterns.size()) +
                     (patterns.empty() ? "" : ": " + to_string(patterns.front())));
  if (patterns.size() > most_patterns)
    throw type_error("sync: a synchrocell has at most " + std::to_string(most_patterns) + " patterns, got " +
                     std::to_string(patterns.size()));
  check_fields();
  for (const pattern& one : patterns) {
    const type_transfer r = transfer(one.labels());
    type.rules.push_back({one.labels(), r.out, false, false});
    for (signature::outcome& o : type.rules.back().out) o.produced = after(one.labels(), o);
  }
  std::vector<signature::rule> once;
  for (const signature::rule& r : type.rules)
    if (std::none_of(once.begin(), once.end(), [&](const signature::rule& o) { return o.in == r.in; }))
      once.push_back(r);
  once.push_back({{}, {unchanged()}, true, false});  // a record that fills no slot passes, as through []
  type.rules = std::move(once);
}

void sync_node::check_fields() const {
  for (std::size_t i = 0; i < patterns.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (const label_info* l : patterns[i].labels().labels())
        if (const label_info* other = patterns[j].labels().find(l->key); other && !agree(other, l))
          throw type_error(name() + ": field '" + l->name + "' has two types\n  pattern " + std::to_string(j + 1) +
                           " has it as " + type_name(*other->type) + "\n  pattern " + std::to_string(i + 1) +
                           " has it as " + type_name(*l->type));
}

void sync_node::write(notation_text& to) const { to.add(notation_of_cell(patterns)); }

std::vector<const label_info*> sync_node::labels() const { return labels_of(patterns); }

type_transfer sync_node::answer(const variant_type& have) const {
  type_transfer answer{true, {}, {}};
  variant_type others, all;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    all = all.with(patterns[i].labels());
    if (i) others = others.with(patterns[i].labels());
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (!may_match(patterns[i], have)) {
      answer.mismatches.push_back(mismatch_of(*this, patterns[i].labels(), false, have));
    } else if (i == 0) {
      add(answer.out, {others, {}, signature::inherits::all, false});
    } else {
      add(answer.out, {all, {}, signature::inherits::other_record, false});
    }
  }
  // A record that matches a pattern passes only when the slots that it matches are full.
  signature::outcome passes = unchanged();
  passes.maybe = !answer.out.empty();
  answer.out.insert(answer.out.begin(), passes);
  return answer;
}

}  // namespace weir::detail
