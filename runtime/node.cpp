#include "runtime/node.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/errors.hpp"

namespace weir::detail {
namespace {

std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns) {
  std::vector<const label_info*> all;
  for (const pattern& p : patterns) all.insert(all.end(), p.labels().labels().begin(), p.labels().labels().end());
  return all;
}

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

std::vector<signature::rule> inputs_of(const network& n) { return n.signature().rules; }

bool matches_surely(const pattern& p, const variant_type& have) { return !p.guard() && takes(p.labels(), false, have); }
bool may_match(const pattern& p, const variant_type& have) { return takes(p.labels(), false, have); }

void check_growth(std::size_t variants, const node& n) {
  if (variants > most_variants)
    throw type_error(n.name() + ": more than " + std::to_string(most_variants) +
                     " variants go round in it; close its body with .as(name, takes(..), gives(..))");
}

// The variants that go round in a star or a feedback, each with how it came about.
struct rounds {
  std::vector<variant_type> variants;
  std::vector<signature::outcome> by;

  void meet(const variant_type& v, const signature::outcome& o, const node& n) {
    for (std::size_t i = 0; i < variants.size(); ++i)
      if (variants[i] == v && by[i].maybe <= o.maybe && by[i].gone == o.gone && by[i].rides == o.rides) return;
    variants.push_back(v);
    by.push_back(o);
    check_growth(variants.size(), n);
  }
};

// What a want inside, in a record that came about by `o`, is to the record that came in.
bool reaches_in(const want& w, const signature::outcome& o) {
  if (w.unexpected || o.rides == signature::riding::anothers) return false;
  return !w.unreachable && std::none_of(w.missing.labels().begin(), w.missing.labels().end(), [&](const label_info* l) {
    return o.gone.find(l->key) || (l->kind == label_kind::binding_tag && o.rides != signature::riding::everything);
  });
}

// The same for what keeps a record from going on inside: those that can be helped from outside come first.
std::vector<want> as_met_inside(std::vector<want> wants, const signature::outcome& o) {
  for (want& w : wants) w.unreachable = !reaches_in(w, o);
  std::stable_partition(wants.begin(), wants.end(), [](const want& w) { return !w.unreachable; });
  return wants;
}

}  // namespace

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

// ---- star ----

star_node::star_node(network b, pattern_list e) : body(std::move(b)), exits(std::move(e)) {
  std::vector<signature::rule> inputs;
  for (const pattern& p : exits.patterns()) inputs.push_back({p.labels(), {}, false, false});
  for (const signature::rule& r : inputs_of(body)) inputs.push_back(r);
  type = rules_from(inputs, *this);
  const auto may_leave_at_once = [&](const signature::rule& r) {
    return std::any_of(exits.patterns().begin(), exits.patterns().end(),
                       [&](const pattern& p) { return may_match(p, r.in); });
  };
  const auto goes_round_for_ever = [&](const signature::rule& r) {
    bool ends = false;
    return !r.at_start && r.out.empty() && !may_leave_at_once(r) && (go_round(r.in, ends), !ends);
  };
  std::vector<signature::rule> useful;
  std::remove_copy_if(type.rules.begin(), type.rules.end(), std::back_inserter(useful), goes_round_for_ever);
  if (useful.size() < type.rules.size() && std::all_of(useful.begin(), useful.end(), may_leave_at_once))
    throw type_error(name() + ": nothing that goes into it ever leaves\n  its body is " + to_string(body.signature()) +
                     "\n  it leaves at " + to_string(exits));
  type.rules = std::move(useful);
}

std::string star_node::exit_notation() const { return to_string(exits); }

std::vector<const label_info*> star_node::labels() const { return labels_of(exits.patterns()); }

response star_node::respond(const variant_type& have) const {
  bool ends = false;
  return go_round(have, ends);
}

response star_node::go_round(const variant_type& have, bool& ends) const {
  response answer{true, {}, {}};
  std::vector<want> to_leave;                   // what would let a record leave, if it rode along
  std::vector<signature::outcome> may_have_it;  // what leaves if another record brings that along
  rounds going;
  going.meet(have, unchanged(), *this);
  for (std::size_t i = 0; i < going.variants.size(); ++i) {
    const variant_type v = going.variants[i];
    const signature::outcome by = going.by[i];
    bool leaves = false, may_leave = false;
    for (const pattern& p : exits.patterns()) {
      may_leave = may_leave || may_match(p, v);
      leaves = leaves || matches_surely(p, v);
    }
    if (may_leave) add(answer.out, by);
    if (leaves) continue;
    variant_type arriving = v;
    response r = respond_behind(*body.root(), by, arriving);
    if (!r.matches && (may_leave || by.maybe)) continue;  // a guard decides, or it need never come
    if (!r.matches) {
      for (const pattern& p : exits.patterns()) {
        r.wants.push_back(what_lacks(*this, p.labels(), false, v));
        r.wants.back().at_exit = true;
      }
      return {false, {}, as_met_inside(std::move(r.wants), by)};
    }
    ends = ends || r.out.empty();
    for (const pattern& p : exits.patterns()) {
      if (may_leave) break;
      want lacks = what_lacks(*this, p.labels(), false, v);
      lacks.at_exit = true;
      if (by.rides == signature::riding::anothers)
        add(may_have_it, {p.labels(), by.gone.without(p.labels()), by.rides, true});
      else if (reaches_in(lacks, by) && !matches_surely(p, have.with(lacks.missing)))  // it would not even enter
        to_leave.push_back(std::move(lacks));
    }
    for (const signature::outcome& o : r.out) {
      const signature::outcome so_far = then(by, o);
      going.meet(after(have, so_far), so_far, *this);
    }
  }
  if (answer.out.empty()) answer.out = std::move(may_have_it);
  if (!answer.out.empty() || ends) return answer;
  // Nothing leaves as it is, but it would with labels that ride along: those of an input variant that is known to leave
  // or else, while the first is sought, those of an exit.
  response refused;
  for (const signature::rule& r : type.rules)
    if (!r.at_start && !r.out.empty()) refused.wants.push_back(what_lacks(*this, r.in, r.open, have));
  if (refused.wants.empty()) refused.wants = std::move(to_leave);
  return refused.wants.empty() ? answer : refused;
}

// ---- split ----

split_node::split_node(network b, const label_info* t) : body(std::move(b)), by(t) {
  std::vector<signature::rule> inputs = inputs_of(body);
  const variant_type tag(std::vector<const label_info*>{by});
  for (signature::rule& r : inputs) r.in = r.in.with(tag);
  type = rules_from(inputs, *this);
}

response split_node::respond(const variant_type& have) const {
  if (have.find(by->key)) return body.root()->respond(have);
  const variant_type tag(std::vector<const label_info*>{by});
  return {false, {}, {what_lacks(*this, tag, true, have)}};
}

// ---- feedback ----

feedback_node::feedback_node(network b, pattern_list p) : body(std::move(b)), back(std::move(p)) {
  type = rules_from(inputs_of(body), *this);
}

std::string feedback_node::notation() const { return inside(*body.root(), binding::closed) + "\\" + to_string(back); }

std::vector<const label_info*> feedback_node::labels() const { return labels_of(back.patterns()); }

response feedback_node::respond(const variant_type& have) const {
  response answer{true, {}, {}};
  rounds going;
  going.meet(have, unchanged(), *this);
  for (std::size_t i = 0; i < going.variants.size(); ++i) {
    const variant_type v = going.variants[i];
    const signature::outcome by = going.by[i];
    variant_type arriving = v;
    response r = respond_behind(*body.root(), by, arriving);
    if (!r.matches && by.maybe) continue;
    if (!r.matches) return {false, {}, as_met_inside(std::move(r.wants), by)};
    for (const signature::outcome& o : r.out) {
      const signature::outcome so_far = then(by, o);
      const variant_type u = after(have, so_far);
      bool returns = false, may_return = false;
      for (const pattern& p : back.patterns()) {
        may_return = may_return || may_match(p, u);
        returns = returns || matches_surely(p, u);
      }
      if (!returns) add(answer.out, so_far);
      if (may_return) going.meet(u, so_far, *this);
    }
  }
  return answer;
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
  std::vector<signature::rule> inputs = inputs_of(inner);
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
