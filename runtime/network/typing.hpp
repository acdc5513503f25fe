#pragma once

#include <string>
#include <vector>

#include "runtime/network/signature.hpp"
#include "runtime/network/type_transfer.hpp"

namespace weir {
class network;
}

namespace weir::detail {

struct node;

// Type inference. A network is asked what it does with a record that has certain labels for certain, and maybe more
// that ride along unseen: node::respond. From the answers for the variants that its first entity takes follow its
// rules.

inline bool is_binding(const label_info* l) { return l->kind == label_kind::binding_tag; }

// What is left of `v` behind an outcome, and two outcomes one after the other.
variant_type after(const variant_type& v, const signature::outcome& o);
signature::outcome then(const signature::outcome& first, const signature::outcome& second);
inline signature::outcome unchanged() { return {{}, {}, signature::inherits::all, false}; }
void add(std::vector<signature::outcome>& to, const signature::outcome& o);  // unless it is there

// Whether a record of exactly these labels is taken by one that takes `in`, and what is lacking. Throws two_types.
bool takes(const variant_type& in, bool open, const variant_type& have);
type_mismatch mismatch_of(const node& who, const variant_type& in, bool open, const variant_type& have);

// What a want inside, in a record that came about by `o`, is to the record that came in; and the mismatches of what
// keeps a record from going on inside: those that can be helped from outside come first.
bool reaches_in(const type_mismatch& m, const signature::outcome& o);
std::vector<type_mismatch> as_met_inside(std::vector<type_mismatch> mismatches, const signature::outcome& o);

// How a network responds to `have`, what is left behind `o`. If labels of another record ride along there, what lacks
// is taken to be among them, and put into `have`.
type_transfer transfer_behind(const node& n, const signature::outcome& o, variant_type& have);

// One field name, two types: thrown by what compares labels, caught by who knows the names of both sides.
struct two_types {
  const label_info* has;
  const label_info* takes;
};

// The best of these rules for `have`: most labels, leftmost of equals; null when none takes it.
const signature::rule* best_rule(const std::vector<signature::rule>& rules, const variant_type& have);
type_transfer transfer_by(const std::vector<signature::rule>& rules, const node& who, const variant_type& have);

// The rules of `left >> right`: what the right side needs and the left neither gives nor names is demanded of the input
// and inherited. Throws type_error, naming both sides, when none of a rule's outcomes can be taken.
signature compose(const network& left, const node& right);

// The rules of a network whose first entity takes one of `inputs`, from how it responds.
signature rules_from(const std::vector<signature::rule>& inputs, const node& of);

// Throws type_error unless a network of signature `inferred` may be used as one of signature `declared`, which has one
// rule: it has all that is needed, and all outputs have what is promised. Returns the authority: the declared rule with
// what the network uses up.
signature::rule check_declared(const signature::rule& declared, const signature& inferred, const std::string& name);

}  // namespace weir::detail
