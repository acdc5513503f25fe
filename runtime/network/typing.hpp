#pragma once

#include <string>
#include <vector>

#include <weir/network/signature.hpp>
#include <weir/patterns/pattern.hpp>
#include "runtime/network/type_transfer.hpp"

namespace weir {
class network;
}

namespace weir::detail {

struct node;

// Type inference. node::transfer() says how a network responds to a record that certainly has some labels, and perhaps
// inherits others. A network's rules are its answers for the variants that its first entity takes.

inline bool is_binding(const label_info* l) { return l->kind == label_kind::binding_tag; }

// The variant that an outcome makes of `v`; and two outcomes one after the other, as one.
variant_type after(const variant_type& v, const signature::outcome& o);
signature::outcome then(const signature::outcome& first, const signature::outcome& second);
inline signature::outcome unchanged() { return {{}, {}, signature::inherits::all, false}; }
void add(std::vector<signature::outcome>& to, const signature::outcome& o);  // unless it is in the list

// Whether an input variant `in` takes a record of exactly the labels `have`, and the difference. takes() throws
// two_types.
bool takes(const variant_type& in, bool open, const variant_type& have);
type_mismatch mismatch_of(const node& who, const variant_type& in, bool open, const variant_type& have);

// For a mismatch inside a network, at a record that `o` made of the input: whether the missing labels would get there
// if the input had them.
bool reaches_in(const type_mismatch& m, const signature::outcome& o);

// Marks the mismatches without reaches_in() as unreachable, and puts the others first.
std::vector<type_mismatch> as_met_inside(std::vector<type_mismatch> mismatches, const signature::outcome& o);

// A signature in a message: the beginning of one that has many variants.
std::string cut_text(const signature& s);

// How a network responds to `have`, the variant after outcome `o`. If `o` inherits labels of another record, missing
// labels are assumed to be among these, and are added to `have`, as far as a bounded search finds them.
type_transfer transfer_behind(const node& n, const signature::outcome& o, variant_type& have);

// Thrown when labels are compared and one field name has two types. The caller that knows both sides makes the message.
struct two_types {
  const label_info* has;
  const label_info* takes;
};

// The labels that patterns name; and whether a pattern may match, as far as labels go, without its guard.
std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns);
bool may_match(const pattern& p, const variant_type& have);

// The rule that takes `have` and has most labels, the leftmost of equals; null when none takes it. Throws two_types.
const signature::rule* best_rule(const std::vector<signature::rule>& rules, const variant_type& have);
type_transfer transfer_by(const std::vector<signature::rule>& rules, const node& who, const variant_type& have);

// The signature of `left >> right`. A label that the right side needs, and the left neither gives nor names, is
// demanded of the input and inherited. Throws type_error, naming both sides, when the right can never take an outcome
// of a rule of the left, unless the outcome is `maybe` and the right takes another one.
signature compose(const network& left, const node& right);

// The signature of a network whose first entity takes these inputs, from its answers for them. Throws type_error when
// the network cannot take one of them, whatever further labels it has.
signature rules_from(const std::vector<signature::rule>& inputs, const node& of);

}  // namespace weir::detail
