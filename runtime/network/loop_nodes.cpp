#include "runtime/network/loop_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/network/notation_text.hpp"
#include "runtime/network/typing.hpp"

namespace weir::detail {
namespace {

bool matches_surely(const pattern& p, const variant_type& have) { return !p.guard() && takes(p.labels(), false, have); }

void check_growth(std::size_t variants, const node& n) {
  if (variants > most_variants)
    throw type_error(n.name() + ": more than " + std::to_string(most_variants) +
                     " variants go round in it; close its body with .as(name, takes(..), gives(..))");
}

// The variants that enter the body of a star or feedback, each with the outcome that led to it.
struct rounds {
  std::vector<variant_type> variants;
  std::vector<signature::outcome> by;

  void meet(const variant_type& v, const signature::outcome& o, const node& n) {
    for (std::size_t i = 0; i < variants.size(); ++i)
      if (variants[i] == v && by[i].maybe <= o.maybe && by[i].consumed == o.consumed && by[i].inherited == o.inherited)
        return;
    variants.push_back(v);
    by.push_back(o);
    check_growth(variants.size(), n);
  }
};

}  // namespace

// ---- star ----

star_node::star_node(network b, pattern_list e) : body(std::move(b)), exits(std::move(e)) {
  take_in(body);
  std::vector<signature::rule> inputs;
  for (const pattern& p : exits.patterns()) inputs.push_back({p.labels(), {}, false, false});
  // Never open: a record with a binding tag that no exit names would not leave.
  for (const signature::rule& r : body.signature().rules) inputs.push_back({r.in, {}, false, r.at_start});
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
    throw type_error(name() + ": nothing that goes into it ever leaves\n  its body is " + cut_text(body.signature()) +
                     "\n  it leaves at " + to_string(exits));
  type.rules = std::move(useful);
  forget();  // answers from before it had its rules
}

void star_node::write(notation_text& to) const {
  body.root()->write_within(to, binding::closed);
  to.add("*" + to_string(exits));
}

std::vector<const label_info*> star_node::labels() const { return labels_of(exits.patterns()); }

type_transfer star_node::answer(const variant_type& have) const {
  bool ends = false;
  return go_round(have, ends);
}

type_transfer star_node::go_round(const variant_type& have, bool& ends) const {
  type_transfer answer{true, {}, {}};
  std::vector<type_mismatch> to_leave;          // labels with which a record would leave, if it inherited them
  std::vector<signature::outcome> may_have_it;  // outcomes that leave if another record brings those labels
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
    type_transfer r = transfer_behind(*body.root(), by, arriving);
    if (!r.matches && (may_leave || by.maybe)) continue;  // a guard decides, or the variant may never occur
    if (!r.matches) {
      for (const pattern& p : exits.patterns()) {
        r.mismatches.push_back(mismatch_of(*this, p.labels(), false, v));
        r.mismatches.back().at_exit = true;
      }
      return {false, {}, as_met_inside(std::move(r.mismatches), by)};
    }
    ends = ends || r.out.empty();
    for (const pattern& p : exits.patterns()) {
      if (may_leave) break;
      type_mismatch lacks = mismatch_of(*this, p.labels(), false, v);
      lacks.at_exit = true;
      if (by.inherited == signature::inherits::other_record)
        add(may_have_it, {p.labels(), by.consumed.without(p.labels()), by.inherited, true});
      else if (reaches_in(lacks, by) && !matches_surely(p, have.with(lacks.missing)))  // else it would never enter
        to_leave.push_back(std::move(lacks));
    }
    for (const signature::outcome& o : r.out) {
      const signature::outcome so_far = then(by, o);
      going.meet(after(have, so_far), so_far, *this);
    }
  }
  if (answer.out.empty()) answer.out = std::move(may_have_it);
  if (!answer.out.empty() || ends) return answer;
  // Nothing leaves as it is, but something would with further inherited labels. These are the labels of an input
  // variant that is known to leave. While the first such variant is sought, they are those of an exit.
  type_transfer refused;
  for (const signature::rule& r : type.rules)
    if (!r.at_start && !r.out.empty()) refused.mismatches.push_back(mismatch_of(*this, r.in, r.open, have));
  if (refused.mismatches.empty()) refused.mismatches = std::move(to_leave);
  return refused.mismatches.empty() ? answer : refused;
}

// ---- feedback ----

feedback_node::feedback_node(network b, pattern_list p) : body(std::move(b)), back(std::move(p)) {
  take_in(body);
  type = rules_from(body.signature().rules, *this);
}

void feedback_node::write(notation_text& to) const {
  body.root()->write_within(to, binding::closed);
  to.add("\\" + to_string(back));
}

std::vector<const label_info*> feedback_node::labels() const { return labels_of(back.patterns()); }

type_transfer feedback_node::answer(const variant_type& have) const {
  type_transfer answer{true, {}, {}};
  rounds going;
  going.meet(have, unchanged(), *this);
  for (std::size_t i = 0; i < going.variants.size(); ++i) {
    const variant_type v = going.variants[i];
    const signature::outcome by = going.by[i];
    variant_type arriving = v;
    type_transfer r = transfer_behind(*body.root(), by, arriving);
    if (!r.matches && by.maybe) continue;
    if (!r.matches) return {false, {}, as_met_inside(std::move(r.mismatches), by)};
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

}  // namespace weir::detail
