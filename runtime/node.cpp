#include "runtime/node.hpp"

#include <algorithm>

#include "runtime/errors.hpp"

namespace weir::detail {
namespace {

// How a message calls one side of a `>>`: a long chain by its last (or first) element, which is what meets the other.
std::string meeting_name(const network& n, bool at_its_end) {
  const auto* at = dynamic_cast<const serial_node*>(n.root().get());
  if (!at) return n.root()->name();
  for (;;) {
    const network& next = at_its_end ? at->right : at->left;
    const auto* deeper = dynamic_cast<const serial_node*>(next.root().get());
    if (!deeper) return next.root()->name();
    at = deeper;
  }
}

}  // namespace

std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns) {
  std::vector<const label_info*> all;
  for (const pattern& p : patterns) all.insert(all.end(), p.labels().labels().begin(), p.labels().labels().end());
  return all;
}

bool may_match(const pattern& p, const variant_type& have) { return takes(p.labels(), false, have); }

std::string node::name() const {
  constexpr std::size_t longest = 60;  // of a line of a message
  std::string text = notation();
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return binds() == binding::closed ? text : "(" + text + ")";
}

std::string inside(const node& n, node::binding least) {
  return n.binds() < least ? "(" + n.notation() + ")" : n.notation();
}

// ---- box, filter, bypass ----

box_node::box_node(std::shared_ptr<const box_spec> s) : spec(std::move(s)) { type = spec->signature(); }

std::vector<const label_info*> box_node::labels() const {
  std::vector<const label_info*> all = spec->takes;
  for (const auto& v : spec->variants) all.insert(all.end(), v.begin(), v.end());
  return all;
}

response box_node::respond(const variant_type& have) const { return respond_by(type.rules, *this, have); }

filter_node::filter_node(std::shared_ptr<const filter_spec> s) : spec(std::move(s)) {
  const variant_type pattern(spec->takes);
  signature::rule r{pattern, {}, false, false};
  for (const filter_clause& clause : spec->clauses)
    for (const filter_output& output : clause.outputs) {
      std::vector<const label_info*> given;
      for (const filter_item& item : output.items) given.push_back(item.label);
      const variant_type v(given);
      add(r.out, {v, pattern.without(v), signature::riding::no_binding_tags, false});
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

response filter_node::respond(const variant_type& have) const { return respond_by(type.rules, *this, have); }

bypass_node::bypass_node() { type.rules.push_back({{}, {unchanged()}, true, false}); }

// ---- serial ----

serial_node::serial_node(network l, network r) : left(std::move(l)), right(std::move(r)) {
  type = compose(left, meeting_name(left, true), *right.root(), meeting_name(right, false));
}

// A long chain is taken down link by link: each would else end within the end of the one behind it.
serial_node::~serial_node() {
  std::vector<network> open;
  open.push_back(std::move(left));
  open.push_back(std::move(right));
  while (!open.empty()) {
    const network last = std::move(open.back());
    open.pop_back();
    if (!last.root() || last.root().use_count() > 1) continue;
    if (const auto* chain = dynamic_cast<const serial_node*>(last.root().get())) {
      auto& mine = const_cast<serial_node&>(*chain);  // nobody else holds it
      open.push_back(std::move(mine.left));
      open.push_back(std::move(mine.right));
    }
  }
}

std::vector<network> serial_node::flat() const {
  std::vector<network> reversed;
  std::vector<network> open{left, right};  // a stack: deep chains must not recurse
  while (!open.empty()) {
    const network last = open.back();
    open.pop_back();
    if (const auto* chain = dynamic_cast<const serial_node*>(last.root().get())) {
      open.push_back(chain->left);
      open.push_back(chain->right);
    } else {
      reversed.push_back(last);
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::string serial_node::notation() const {
  std::string text;
  for (const network& n : flat()) text += (text.empty() ? "" : " .. ") + inside(*n.root(), binding::serial);
  return text;
}

std::string serial_node::name() const {
  const std::vector<network> parts = flat();
  constexpr std::size_t shown = 6;  // of a line of a message
  if (parts.size() <= shown) return node::name();
  return "(" + parts.front().root()->name() + " .. " + std::to_string(parts.size() - 2) + " more .. " +
         parts.back().root()->name() + ")";
}

response serial_node::respond(const variant_type& have) const {
  // Known since it was made: so a chain that is built from its end takes linear time, too.
  for (const signature::rule& r : type.rules)
    if (!r.at_start && r.in == have) {
      response known{true, r.out, {}};
      for (const signature::rule& more : type.rules)
        if (!more.at_start && more.in.size() > have.size() && have.without(more.in).empty())
          known.wants.push_back(what_lacks(*this, more.in, more.open, have));
      return known;
    }
  std::vector<signature::outcome> now{unchanged()};
  response answer{true, {}, {}};
  bool is_first = true;
  for (const network& part : flat()) {
    std::vector<signature::outcome> next;
    for (const signature::outcome& o : now) {
      variant_type arriving = after(have, o);
      response r = respond_behind(*part.root(), o, arriving);
      if (!r.matches && o.maybe) continue;
      if (!r.matches) return {false, {}, as_met_inside(std::move(r.wants), o)};
      if (is_first) answer.wants = std::move(r.wants);
      for (const signature::outcome& more : r.out) add(next, then(o, more));
    }
    now = std::move(next);
    is_first = false;
  }
  answer.out = std::move(now);
  return answer;
}

bool serial_node::is_open() const {
  return std::any_of(type.rules.begin(), type.rules.end(), [](const signature::rule& r) { return r.open; });
}

// ---- choice ----

choice_node::choice_node(const std::vector<network>& parts) {
  for (const network& part : parts) {
    const auto* group = dynamic_cast<const choice_node*>(part.root().get());
    if (group && branches.empty()) {  // a choice that grows: its rules are known to differ
      branches = group->branches;
      type = group->type;
      continue;
    }
    if (group)
      branches.insert(branches.end(), group->branches.begin(), group->branches.end());
    else
      branches.push_back(part);
    // Of two equal input variants the left one's branch gets the record.
    for (const signature::rule& rule : part.signature().rules)
      if (rule.at_start || std::none_of(type.rules.begin(), type.rules.end(), [&](const signature::rule& mine) {
            return !mine.at_start && mine.in == rule.in && (mine.open || !rule.open);
          }))
        type.rules.push_back(rule);
  }
}

std::string choice_node::joined(const std::string& separator) const {
  std::string text;
  for (const network& b : branches) text += (text.empty() ? "" : separator) + inside(*b.root(), binding::serial);
  return text;
}

response choice_node::respond(const variant_type& have) const {
  const network* best_branch = nullptr;
  const signature::rule* best = nullptr;
  for (const network& b : branches) {
    const signature::rule* r = best_rule(b.signature().rules, have);
    if (r && (!best || r->in.size() > best->in.size())) best = r, best_branch = &b;
  }
  response answer;
  if (best_branch) answer = best_branch->root()->respond(have);
  for (const network& b : branches)
    for (const signature::rule& r : b.signature().rules)
      if (!r.at_start && (!best || r.in.size() > best->in.size()))
        answer.wants.push_back(what_lacks(*b.root(), r.in, r.open, have));
  return answer;
}

bool choice_node::is_open() const {
  return std::any_of(branches.begin(), branches.end(), [](const network& b) { return b.root()->is_open(); });
}

// ---- split ----

split_node::split_node(network b, const label_info* t) : body(std::move(b)), by(t) {
  std::vector<signature::rule> inputs = body.signature().rules;
  const variant_type tag(std::vector<const label_info*>{by});
  for (signature::rule& r : inputs) r.in = r.in.with(tag);
  type = rules_from(inputs, *this);
}

response split_node::respond(const variant_type& have) const {
  if (have.find(by->key)) return body.root()->respond(have);
  const variant_type tag(std::vector<const label_info*>{by});
  return {false, {}, {what_lacks(*this, tag, true, have)}};
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
    const response r = respond(one.labels());
    type.rules.push_back({one.labels(), r.out, false, false});
    for (signature::outcome& o : type.rules.back().out) o.given = after(one.labels(), o);
  }
  std::vector<signature::rule> once;
  for (const signature::rule& r : type.rules)
    if (std::none_of(once.begin(), once.end(), [&](const signature::rule& o) { return o.in == r.in; }))
      once.push_back(r);
  type.rules = std::move(once);
}

void sync_node::check_fields() const {
  for (std::size_t i = 0; i < patterns.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (const label_info* l : patterns[i].labels().labels())
        if (const label_info* other = patterns[j].labels().find(l->key); other && other != l)
          throw type_error(name() + ": field '" + l->name + "' has two types\n  pattern " + std::to_string(j + 1) +
                           " has it as " + type_name(*other->type->type) + "\n  pattern " + std::to_string(i + 1) +
                           " has it as " + type_name(*l->type->type));
}

std::string sync_node::notation() const {
  std::string text;
  for (const pattern& p : patterns) text += (text.empty() ? "" : ", ") + to_string(p);
  return "[|" + text + "|]";
}

std::vector<const label_info*> sync_node::labels() const { return labels_of(patterns); }

response sync_node::respond(const variant_type& have) const {
  response answer{true, {}, {}};
  variant_type others, all;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    all = all.with(patterns[i].labels());
    if (i) others = others.with(patterns[i].labels());
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (!may_match(patterns[i], have)) {
      answer.wants.push_back(what_lacks(*this, patterns[i].labels(), false, have));
    } else if (i == 0) {
      add(answer.out, {others, {}, signature::riding::everything, false});
    } else {
      add(answer.out, {all, {}, signature::riding::anothers, false});
    }
  }
  // What matches passes only once its slot is full.
  signature::outcome passes = unchanged();
  passes.maybe = !answer.out.empty();
  answer.out.insert(answer.out.begin(), passes);
  return answer;
}

// ---- wrapped ----

wrapped_node::wrapped_node(network i) : inner(std::move(i)) { type = inner.signature(); }

std::string ordered_node::notation() const {
  const node* n = inner.root().get();
  if (const auto* choice = dynamic_cast<const choice_node*>(n)) return choice->joined(" || ");
  if (const auto* star = dynamic_cast<const star_node*>(n))
    return inside(*star->body.root(), binding::closed) + "**" + star->exit_notation();
  if (const auto* split = dynamic_cast<const split_node*>(n))
    return inside(*split->body.root(), binding::closed) + "!!" + weir::to_string(*split->by);
  return "ordered(" + n->notation() + ")";
}

node::binding ordered_node::binds() const {
  return dynamic_cast<const choice_node*>(inner.root().get()) ? binding::parallel : binding::closed;
}

response named_node::respond(const variant_type& have) const {
  return is_declared ? respond_by(type.rules, *this, have) : wrapped_node::respond(have);
}

placed_node::placed_node(network i, int n, const label_info* b) : wrapped_node(std::move(i)), node_number(n), by(b) {
  if (!by) return;
  const variant_type tag(std::vector<const label_info*>{by});
  std::vector<signature::rule> inputs = inner.signature().rules;
  for (signature::rule& r : inputs)
    if (!r.at_start) r.in = r.in.with(tag);
  type = rules_from(inputs, *this);
}

std::string placed_node::notation() const {
  const std::string text = inside(*inner.root(), binding::closed);
  return by ? text + "!@" + weir::to_string(*by) : text + "@" + std::to_string(node_number);
}

response placed_node::respond(const variant_type& have) const {
  if (!by || have.find(by->key)) return inner.root()->respond(have);
  return {false, {}, {what_lacks(*this, variant_type(std::vector<const label_info*>{by}), true, have)}};
}

}  // namespace weir::detail
