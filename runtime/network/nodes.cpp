#include "runtime/network/nodes.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/record/errors.hpp"

namespace weir::detail {
namespace {

// The most chains as right sides of `>>`, each within the one before, that serial_node::answer() recurses into. It
// takes deeper ones apart. `net = net >> net` in a loop, whose halves are shared, never gets deeper, since it would
// exceed most_entities.
constexpr std::uint32_t most_chains_inside = 24;
static_assert(std::uint64_t{1} << most_chains_inside >= most_entities);

}  // namespace

std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns) {
  std::vector<const label_info*> all;
  for (const pattern& p : patterns) all.insert(all.end(), p.labels().labels().begin(), p.labels().labels().end());
  return all;
}

bool may_match(const pattern& p, const variant_type& have) { return takes(p.labels(), false, have); }

// ---- box, filter, bypass ----

box_node::box_node(std::shared_ptr<const box_spec> s) : spec(std::move(s)) { type = spec->signature(); }

std::vector<const label_info*> box_node::labels() const {
  std::vector<const label_info*> all = spec->takes;
  for (const auto& v : spec->variants) all.insert(all.end(), v.begin(), v.end());
  return all;
}

type_transfer box_node::answer(const variant_type& have) const { return transfer_by(type.rules, *this, have); }

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

std::vector<const label_info*> filter_node::labels() const {
  std::vector<const label_info*> all = spec->takes;
  for (const filter_clause& clause : spec->clauses)
    for (const filter_output& output : clause.outputs)
      for (const filter_item& item : output.items) all.push_back(item.label);
  return all;
}

type_transfer filter_node::answer(const variant_type& have) const { return transfer_by(type.rules, *this, have); }

bypass_node::bypass_node() { type.rules.push_back({{}, {unchanged()}, true, false}); }

// ---- chain and choice ----

void row_node::take_in_row(const network& part) {
  const row_node* const row = row_in(part);
  take_in(part, row);
  elements += row ? row->elements : 1;
}

const row_node* row_node::row_in(const network& part) const {
  if (binds() == binding::serial) return as<serial_node>(part);
  return as<choice_node>(part);
}

// Destroys the parts one by one, since by default the destructors of nested rows would recurse.
row_node::~row_node() {
  std::vector<network> open = std::move(parts);
  while (!open.empty()) {
    const network last = std::move(open.back());
    open.pop_back();
    if (last.is_moved_from() || last.root().use_count() > 1) continue;
    const row_node* row = as<serial_node>(last);
    if (!row) row = as<choice_node>(last);
    if (row) {
      auto& mine = const_cast<row_node&>(*row).parts;  // `last` is the only holder
      open.insert(open.end(), std::make_move_iterator(mine.begin()), std::make_move_iterator(mine.end()));
      mine.clear();
    }
  }
}

std::vector<network> row_node::flat() const {
  std::vector<network> all;
  all.reserve(elements);
  each([&](const network& n) {
    all.push_back(n);
    return true;
  });
  return all;
}

const node& row_node::end(bool last) const {
  const row_node* at = this;
  for (;;) {
    const network& next = last ? at->parts.back() : at->parts.front();
    const row_node* const deeper = row_in(next);
    if (!deeper) return *next.root();
    at = deeper;
  }
}

// ---- chain ----

serial_node::serial_node(const network& left, const network& right) : row_node({left, right}) {
  take_in_row(left);
  take_in_row(right);
  if (row_in(right)) chains_inside = std::max(chains_inside, right.root()->chains_inside + 1);
  type = compose(left, *right.root());
}

// Asks part by part. A part that is a chain answers as a whole if it remembers all the answers. It does so, too, if it
// is a right side with few `chains_inside`, since each chain that shares it then asks it once. Other chains are taken
// apart, since long ones must not recurse.
type_transfer serial_node::answer(const variant_type& have) const {
  std::vector<signature::outcome> now{unchanged()};
  std::optional<std::vector<type_mismatch>> first_mismatches;
  struct part {
    const network* net;
    bool is_left;
  };
  std::vector<part> open{{&parts[1], false}, {&parts[0], true}};
  while (!open.empty()) {
    const part next = open.back();
    open.pop_back();
    const node& one = *next.net->root();
    const auto known = [&](const signature::outcome& o) { return one.knows(after(have, o)); };
    if (const row_node* const chain = row_in(*next.net); chain &&
                                                         (next.is_left || chain->chains_inside > most_chains_inside) &&
                                                         !std::all_of(now.begin(), now.end(), known)) {
      open.insert(open.end(), {{&chain->parts[1], false}, {&chain->parts[0], true}});
      continue;
    }
    std::vector<signature::outcome> on;
    for (const signature::outcome& o : now) {
      variant_type arriving = after(have, o);
      type_transfer r = transfer_behind(one, o, arriving);
      if (!r.matches && o.maybe) continue;
      if (!r.matches) return {false, {}, as_met_inside(std::move(r.mismatches), o)};
      if (!first_mismatches) first_mismatches = std::move(r.mismatches);
      for (const signature::outcome& more : r.out) add(on, then(o, more));
    }
    if (!first_mismatches) first_mismatches.emplace();
    now = std::move(on);
  }
  return {true, std::move(now), std::move(*first_mismatches)};
}

// ---- choice ----

choice_node::choice_node(std::vector<network> branches) : row_node(std::move(branches)) {
  for (const network& part : parts) {
    take_in_row(part);
    if (row_in(part) && &part == &parts.front()) {  // a growing choice: its own rules differ from each other
      type = part.signature();
      continue;
    }
    // If two branches have the same input variant, the left one gets the record.
    for (const signature::rule& rule : part.signature().rules)
      if (rule.at_start || std::none_of(type.rules.begin(), type.rules.end(), [&](const signature::rule& mine) {
            return !mine.at_start && mine.in == rule.in && (mine.open || !rule.open);
          }))
        type.rules.push_back(rule);
    check_variants(*this);
  }
}

type_transfer choice_node::answer(const variant_type& have) const {
  const std::vector<network> branches = flat();
  const network* best_branch = nullptr;
  const signature::rule* best = nullptr;
  for (const network& b : branches) {
    const signature::rule* r = best_rule(b.signature().rules, have);
    if (r && (!best || r->in.size() > best->in.size())) best = r, best_branch = &b;
  }
  type_transfer answer;
  if (best_branch) answer = best_branch->root()->transfer(have);
  for (const network& b : branches)
    for (const signature::rule& r : b.signature().rules)
      if (!r.at_start && (!best || r.in.size() > best->in.size()))
        answer.mismatches.push_back(mismatch_of(*b.root(), r.in, r.open, have));
  return answer;
}

// ---- split ----

split_node::split_node(network b, const label_info* t, std::optional<pattern_list> l)
    : body(std::move(b)), by(t), last(std::move(l)) {
  take_in(body);
  std::vector<signature::rule> inputs = body.signature().rules;
  const variant_type tag(std::vector<const label_info*>{by});
  for (signature::rule& r : inputs) r.in = r.in.with(tag);
  type = rules_from(inputs, *this);
}

std::vector<const label_info*> split_node::labels() const {
  std::vector<const label_info*> all{by};
  if (last)
    for (const label_info* l : labels_of(last->patterns())) all.push_back(l);
  return all;
}

type_transfer split_node::answer(const variant_type& have) const {
  if (have.find(by->key)) return body.root()->transfer(have);
  const variant_type tag(std::vector<const label_info*>{by});
  return {false, {}, {mismatch_of(*this, tag, true, have)}};
}

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

// ---- wrapped ----

wrapped_node::wrapped_node(network i) : inner(std::move(i)) {
  take_in(inner);
  type = inner.signature();
}

node::binding ordered_node::binds() const {
  return dynamic_cast<const choice_node*>(inner.root().get()) ? binding::parallel : binding::closed;
}

type_transfer named_node::answer(const variant_type& have) const {
  return is_declared ? transfer_by(type.rules, *this, have) : wrapped_node::answer(have);
}

placed_node::placed_node(network i, int n, const label_info* b) : wrapped_node(std::move(i)), node_number(n), by(b) {}

type_transfer placed_node::answer(const variant_type& have) const {
  if (!by || have.find(by->key)) return inner.root()->transfer(have);
  return {false, {}, {mismatch_of(*this, variant_type(std::vector<const label_info*>{by}), true, have)}};
}

}  // namespace weir::detail
