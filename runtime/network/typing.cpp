#include "runtime/network/typing.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <weir/network/network.hpp>
#include <weir/record/errors.hpp>
#include "runtime/network/node.hpp"
#include "runtime/record/cut_text.hpp"

namespace weir::detail {
namespace {

using inherits = signature::inherits;

// Whether no label of the input gets through by being inherited.
bool cuts_off(const signature::outcome& o) {
  return o.inherited == inherits::other_record || o.inherited == inherits::none;
}

bool has_binding(const variant_type& v) {
  return !v.empty() && is_binding(v.labels().back());  // sorted by kind, binding tags last
}

variant_type inherited_by(const variant_type& v, const signature::outcome& o) {
  if (cuts_off(o) || v.empty()) return {};
  variant_type rest = v.without(o.consumed).without(o.produced);
  if (o.inherited == inherits::all || !has_binding(rest)) return rest;
  std::vector<const label_info*> kept;
  for (const label_info* l : rest.labels())
    if (!is_binding(l)) kept.push_back(l);
  return variant_type(std::move(kept));
}

}  // namespace

variant_type after(const variant_type& v, const signature::outcome& o) { return o.produced.with(inherited_by(v, o)); }

signature::outcome then(const signature::outcome& first, const signature::outcome& second) {
  signature::outcome both;
  both.produced = after(first.produced, second);
  both.consumed = first.consumed.with(second.consumed).without(both.produced);
  both.inherited = cuts_off(second) ? second.inherited : std::max(first.inherited, second.inherited);
  both.maybe = first.maybe || second.maybe;
  return both;
}

void add(std::vector<signature::outcome>& to, const signature::outcome& o) {
  for (signature::outcome& known : to) {
    signature::outcome same = known;
    same.maybe = o.maybe;
    if (same != o) continue;
    known.maybe = known.maybe && o.maybe;
    return;
  }
  to.push_back(o);
}

bool reaches_in(const type_mismatch& m, const signature::outcome& o) {
  if (m.unexpected || cuts_off(o)) return false;
  return !m.unreachable && std::none_of(m.missing.labels().begin(), m.missing.labels().end(), [&](const label_info* l) {
    return o.consumed.find(l->key) || (is_binding(l) && o.inherited != signature::inherits::all);
  });
}

std::vector<type_mismatch> as_met_inside(std::vector<type_mismatch> mismatches, const signature::outcome& o) {
  for (type_mismatch& m : mismatches) m.unreachable = !reaches_in(m, o);
  std::stable_partition(mismatches.begin(), mismatches.end(), [](const type_mismatch& m) { return !m.unreachable; });
  return mismatches;
}

// Searches for labels of the other record that make the node take it: the labels that a rule lacks, then the labels
// that a rule behind it lacks. `left` bounds the search, since each branch of a choice may lack others. Without success
// it gives the refusal that is farthest inside, if there is one way only.
static type_transfer transfer_with_more(const node& n, variant_type& have, type_transfer refused, int& left) {
  std::optional<type_transfer> farthest;
  int ways = 0;
  for (const type_mismatch& m : refused.mismatches) {
    if (m.unexpected || m.unreachable || has_binding(m.missing)) continue;
    variant_type more = have.with(m.missing);
    if (more.size() == have.size()) continue;  // consumed on the way
    if (left-- <= 0) break;
    ++ways;
    type_transfer there = n.transfer(more);
    if (!there.matches) there = transfer_with_more(n, more, std::move(there), left);
    if (there.matches) {
      have = std::move(more);
      return there;
    }
    farthest = std::move(there);
  }
  return ways == 1 ? std::move(*farthest) : std::move(refused);
}

std::string cut_text(const signature& s) { return cut_text(weir::to_string(s), most_of_exception); }

type_transfer transfer_behind(const node& n, const signature::outcome& o, variant_type& have) {
  type_transfer answer = n.transfer(have);
  if (answer.matches || o.inherited != inherits::other_record) return answer;
  int left = 100;
  return transfer_with_more(n, have, std::move(answer), left);
}

bool takes(const variant_type& in, bool open, const variant_type& have) {
  for (const label_info* need : in.labels()) {
    const label_info* has = have.find(need->key);
    if (!has) return false;
    if (!agree(has, need)) throw two_types{has, need};
  }
  if (open) return true;
  for (const label_info* has : have.labels())
    if (is_binding(has) && !in.find(has->key)) return false;
  return true;
}

std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns) {
  std::vector<const label_info*> all;
  for (const pattern& p : patterns) all.insert(all.end(), p.labels().labels().begin(), p.labels().labels().end());
  return all;
}

bool may_match(const pattern& p, const variant_type& have) { return takes(p.labels(), false, have); }

type_mismatch mismatch_of(const node& who, const variant_type& in, bool open, const variant_type& have) {
  type_mismatch m{&who, in, in.without(have), have, nullptr, false, false};
  for (const label_info* has : have.labels())
    if (is_binding(has) && !open && !in.find(has->key)) m.unexpected = has;
  return m;
}

const signature::rule* best_rule(const std::vector<signature::rule>& rules, const variant_type& have) {
  const signature::rule* best = nullptr;
  for (const auto& r : rules)
    if (!r.at_start && (!best || r.in.size() > best->in.size()) && takes(r.in, r.open, have)) best = &r;
  return best;
}

type_transfer transfer_by(const std::vector<signature::rule>& rules, const node& who, const variant_type& have) {
  type_transfer answer;
  const signature::rule* best = best_rule(rules, have);
  if (best) answer.out = best->out;
  answer.matches = best != nullptr;
  for (const auto& r : rules)
    if (!r.at_start && (!best || r.in.size() > best->in.size()))
      answer.mismatches.push_back(mismatch_of(who, r.in, r.open, have));
  return answer;
}

namespace {

// Finds the rules that one rule of the left becomes in `left >> right`. It searches for the labels to demand of the
// input, so that the right takes every outcome of the rule.
class extension {
 public:
  // `left` is a rule of the left network. If that is null, `left` is an input variant of the right one.
  extension(const signature::rule& left, const network* left_network, const node& right,
            std::vector<signature::rule>& into)
      : left_(left), left_network_(left_network), right_(right), into_(into) {}

  // `open`: whether the rules are, as far as the left side alone is concerned.
  void run(bool open) {
    open_ = open;
    extend({}, true);
    if (!found_ && refusal_) throw *refusal_;
  }

 private:
  // The most demands to try that only refine a rule found before. They make the type more exact, but a chain of choices
  // has very many of them.
  static constexpr int most_refinements = 16;

  struct failure {
    const signature::outcome* o;
    variant_type have;
    std::vector<type_mismatch> mismatches;
  };

  // The names of both sides for messages, made only when there is a message.
  std::string left_name() const { return left_network_ ? left_network_->root()->end_name(true) : "the input"; }
  std::string right_name() const { return left_network_ ? right_.end_name(false) : right_.name(); }

  void extend(const variant_type& demands, bool needed) {
    if (demands.empty() ? std::exchange(tried_none_, true)
                        : std::find(tried_.begin(), tried_.end(), demands) != tried_.end())
      return;
    if (!demands.empty()) tried_.push_back(demands);
    if (tried_.size() + tried_none_ > most_variants)
      throw type_error(left_name() + " >> " + right_name() + ": more than " + std::to_string(most_variants) +
                       " input variants; close a part with .as(name, takes(..), gives(..))");
    if (is_taken_by_another(demands)) return;
    signature::rule whole{left_.in.with(demands), {}, open_, left_.at_start};
    whole.out.reserve(left_.out.size());
    if (!left_network_ && !demands.empty()) whole.open = false;  // the entity that takes them may be closed
    std::vector<variant_type> refinements;
    bool any_taken = false;
    for (const signature::outcome& o : left_.out) {
      variant_type have = o.produced.with(inherited_by(demands, o));
      type_transfer answer = ask(o, have);
      std::vector<variant_type> possible;
      for (const type_mismatch& m : answer.mismatches)
        if (can_be_inherited(m, o)) possible.push_back(demands.with(m.missing));
      if (!answer.matches) {
        if (possible.empty() && needed && !refusal_) refuse(o, have, answer.mismatches);
        if (o.maybe) continue;  // if the record ever comes here, it ends with no_match
        for (const variant_type& d : possible) extend(d, needed);
        return;
      }
      any_taken = true;
      if (left_network_ && whole.open) {
        const signature::rule* by = best_rule(right_.type.rules, have);
        whole.open = by && by->open;
      }
      refinements.insert(refinements.end(), possible.begin(), possible.end());
      signature::outcome so_far = o;
      so_far.produced = have;
      for (const signature::outcome& r : answer.out) add(whole.out, then(so_far, r));
    }
    if (!any_taken) return;
    found_ = true;
    into_.push_back(std::move(whole));
    for (const variant_type& d : refinements)
      if (refined_++ < most_refinements && into_.size() < most_variants) extend(d, false);
  }

  // With these further labels another rule of the left takes the record, and that rule has an extension of its own.
  bool is_taken_by_another(const variant_type& demands) const {
    if (!left_network_ || left_.at_start) return false;
    const auto& rules = left_network_->signature().rules;
    if (rules.size() == 1) return false;
    const variant_type all = left_.in.with(demands);
    return std::any_of(rules.begin(), rules.end(), [&](const signature::rule& r) {
      return !r.at_start && r.in.size() > left_.in.size() && left_.in.without(r.in).empty() &&
             r.in.without(all).empty();
    });
  }

  type_transfer ask(const signature::outcome& o, variant_type& have) {
    try {
      return transfer_behind(right_, o, have);
    } catch (const two_types& t) {
      if (!left_network_)
        throw type_error(right_name() + ": field '" + t.has->name + "' has two types\n  what goes round has it as " +
                         type_name(*t.has->type) + "\n  it is taken as " + type_name(*t.takes->type));
      throw type_error(left_name() + " >> " + right_name() + ": field '" + t.has->name + "' has two types\n  " +
                       left_name() + " gives it as " + type_name(*t.has->type) + "\n  " + right_name() +
                       " takes it as " + type_name(*t.takes->type));
    }
  }

  bool can_be_inherited(const type_mismatch& m, const signature::outcome& o) const {
    if (m.unexpected || m.unreachable || left_.at_start || cuts_off(o)) return false;
    return std::none_of(m.missing.labels().begin(), m.missing.labels().end(), [&](const label_info* l) {
      return (is_binding(l) && o.inherited != inherits::all) || o.consumed.find(l->key);
    });
  }

  // The last part of the left that consumes this label, and its signature.
  std::string who_used_up(const label_info& label, const variant_type& given) const {
    std::string who = left_name(), is = to_string(left_.in) + " -> " + to_string(given);
    const std::vector<network> parts = left_network_ ? left_network_->root()->chain() : std::vector<network>{};
    const auto by = std::find_if(parts.rbegin(), parts.rend(), [&](const network& part) {
      const auto& rules = part.signature().rules;
      return std::any_of(rules.begin(), rules.end(), [&](const signature::rule& r) {
        return std::any_of(r.out.begin(), r.out.end(),
                           [&](const signature::outcome& o) { return o.consumed.find(label.key) != nullptr; });
      });
    });
    if (by != parts.rend()) who = by->root()->name(), is = cut_text(by->signature());
    return who + " takes and does not give back\n  " + who + " is " + is;
  }

  std::string name_of(const node& who) const { return &who == &right_ ? right_name() : who.name(); }

  // The input variants that the record might match, a line each.
  std::string takers(const std::vector<type_mismatch>& mismatches) const {
    constexpr std::size_t shown = 4;  // a message is a few lines
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, mismatches.size()); ++i)
      text += "\n  " + (mismatches[i].at_exit ? "it leaves at " : name_of(*mismatches[i].who) + " takes ") +
              to_string(mismatches[i].takes);
    return text + (mismatches.size() > shown ? "\n  and " + std::to_string(mismatches.size() - shown) + " more" : "");
  }

  // The refusal if a label was consumed inside the right side, so that a record stops there.
  type_error stuck_inside(const std::vector<type_mismatch>& mismatches) const {
    const type_mismatch& m = mismatches.front();
    const bool in_star =
        std::any_of(mismatches.begin(), mismatches.end(), [](const type_mismatch& each) { return each.at_exit; });
    std::string text = right_name() + ": what ";
    if (in_star)
      text += "comes round is " + to_string(m.arriving) + ": it does not leave, and " + name_of(*m.who) +
              " does not take it again";
    else
      text += "arrives at " + name_of(*m.who) + " is " + to_string(m.arriving) + ", which it does not take";
    text += takers(mismatches);
    std::string lacks;
    for (const label_info* need : m.missing.labels()) lacks += (lacks.empty() ? "" : ", ") + weir::to_string(*need);
    if (m.unexpected)
      text += "\n  the binding tag " + weir::to_string(*m.unexpected) + " is not taken";
    else if (!lacks.empty())
      text += "\n  used up on the way: " + lacks;
    return type_error(text);
  }

  void refuse(const signature::outcome& o, const variant_type& have, const std::vector<type_mismatch>& mismatches) {
    const std::string both = left_name() + " >> " + right_name() + ": ";
    const std::string gives = "\n  " + left_name() + " gives " + to_string(have);
    if (mismatches.empty()) {
      refusal_ = type_error(both + right_name() + " takes nothing" + gives);
      return;
    }
    const type_mismatch& m = mismatches.front();
    if (m.unreachable) {
      refusal_ = stuck_inside(mismatches);
      return;
    }
    const std::string who = name_of(*m.who), taken = takers(mismatches);
    if (m.unexpected) {
      refusal_ = type_error(both + left_name() + " gives the binding tag " + weir::to_string(*m.unexpected) +
                            ", which " + who + " does not take" + gives + taken);
      return;
    }
    for (const label_info* need : m.missing.labels()) {
      const std::string needs = both + who + " needs ";
      if (o.consumed.find(need->key))
        refusal_ = type_error(needs + weir::to_string(*need) + ", which " + who_used_up(*need, have) + taken);
      else if (o.inherited == inherits::none)
        refusal_ =
            type_error(needs + weir::to_string(*need) + ", and what a fold gives inherits nothing" + gives + taken);
      else if (is_binding(need) && o.inherited != inherits::all)
        refusal_ = type_error(needs + "the binding tag " + weir::to_string(*need) + ", which is never inherited" +
                              gives + taken);
      else if (left_.at_start)
        refusal_ = type_error(needs + weir::to_string(*need) + ", and an initialiser's record inherits nothing" +
                              gives + taken);
      else if (o.inherited == inherits::other_record)
        refusal_ =
            type_error(needs + weir::to_string(*need) + ", which does not get through " + left_name() + gives + taken);
      else
        continue;
      return;
    }
    refusal_ = type_error(both + who + " does not take what " + left_name() + " gives" + gives + taken);
  }

  const signature::rule& left_;
  const network* left_network_;  // null: left_ is an input variant of the right side
  const node& right_;
  std::vector<signature::rule>& into_;
  bool open_ = false;
  bool found_ = false;
  int refined_ = 0;
  std::vector<variant_type> tried_;
  bool tried_none_ = false;  // without demands, as most chains are
  std::optional<type_error> refusal_;
};

// Merges rules with the same input.
void merge_rules(std::vector<signature::rule>& rules) {
  if (rules.size() < 2) return;
  std::vector<signature::rule> merged;
  for (auto& r : rules) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const signature::rule& m) {
      return m.in == r.in && m.at_start == r.at_start && m.open == r.open;
    });
    if (same == merged.end())
      merged.push_back(std::move(r));
    else
      for (const auto& o : r.out) add(same->out, o);
  }
  rules = std::move(merged);
}

}  // namespace

signature compose(const network& left_network, const node& right) {
  const signature& left = left_network.signature();
  signature result;
  const auto left_name = [&] { return left_network.root()->end_name(true); };
  const auto both = [&] { return left_name() + " >> " + right.end_name(false); };
  if (std::all_of(left.rules.begin(), left.rules.end(), [](const signature::rule& l) { return l.out.empty(); }))
    throw type_error(both() + ": " + left_name() + " is a sink, nothing comes out of it\n  " + left_name() + " is " +
                     to_string(left));
  const bool right_open = right.is_open();
  for (const signature::rule& l : left.rules) {
    const bool open = l.open && right_open;
    if (l.out.empty())
      result.rules.push_back({l.in, {}, open, l.at_start});
    else
      extension(l, &left_network, right, result.rules).run(open);
  }
  for (const signature::rule& r : right.type.rules)
    if (r.at_start) result.rules.push_back(r);
  merge_rules(result.rules);
  if (variants_of(result) > most_variants) throw too_many_variants(both());
  return result;
}

signature rules_from(const std::vector<signature::rule>& inputs, const node& of) {
  signature result;
  for (const signature::rule& i : inputs) {
    if (i.at_start) {
      result.rules.push_back(i);
      continue;
    }
    const signature::rule alone{i.in, {{i.in, {}, signature::inherits::all, false}}, i.open, false};
    extension(alone, nullptr, of, result.rules).run(i.open);
  }
  merge_rules(result.rules);
  if (variants_of(result) > most_variants) throw too_many_variants(of.name());
  return result;
}

}  // namespace weir::detail
