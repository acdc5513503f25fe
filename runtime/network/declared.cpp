#include <algorithm>

#include "runtime/network/typing.hpp"
#include "runtime/record/errors.hpp"
#include "runtime/record/words.hpp"

// Checks a signature that `.as` declares against the inferred one.
namespace weir::detail {

signature::rule check_declared(const signature::rule& declared, const signature& inferred, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw type_error("the signature declared for " + name + " does not fit: " + why + "\n  declared " +
                     to_string(signature{{declared}}) + "\n  inferred " + to_string(inferred));
  };
  const auto check_types = [&](const variant_type& needs) {
    for (const auto* need : needs.labels())
      if (const auto* has = declared.in.find(need->key); has && has != need)
        refuse("field '" + need->name + "' is " + a_type(*need->type->type) + ", declared as " +
               a_type(*has->type->type));
  };
  signature::rule authority = declared;
  const signature::rule* nearest = nullptr;
  bool taken = false;
  const auto check_outputs = [&](const signature::rule& r) {
    for (const auto& o : r.out) {
      const variant_type all = after(declared.in.with(o.produced), o);
      const auto fits = [&](const signature::outcome& promised) {
        return std::all_of(promised.produced.labels().begin(), promised.produced.labels().end(), [&](auto* l) {
          const auto* has = o.produced.find(l->key);
          return has ? has == l : all.find(l->key) == l;
        });
      };
      if (std::none_of(authority.out.begin(), authority.out.end(), fits))
        refuse("it may give " + to_string(o.produced) + ", which is none of the declared outputs");
      for (auto& promised : authority.out) {
        promised.consumed = promised.consumed.with(o.consumed).without(promised.produced);
        promised.inherited = std::max(promised.inherited, o.inherited);
      }
    }
  };
  for (const auto& r : inferred.rules) {
    check_types(r.in);
    if (r.at_start) {
      check_outputs(r);
      continue;
    }
    if (takes(r.in, r.open, declared.in)) {
      taken = true;
      const bool better = std::any_of(inferred.rules.begin(), inferred.rules.end(), [&](const signature::rule& other) {
        return !other.at_start && other.in.size() > r.in.size() && r.in.without(other.in).empty() &&
               takes(other.in, other.open, declared.in);
      });
      if (better) continue;  // records go to that rule
      check_outputs(r);
    } else if (!nearest || r.in.without(declared.in).size() < nearest->in.without(declared.in).size()) {
      nearest = &r;
    }
  }
  if (!taken) {
    if (!nearest) refuse("it takes no input");
    for (const auto* need : nearest->in.labels())
      if (!declared.in.find(need->key))
        refuse("it needs " + weir::to_string(*need) + ", which is not declared as input");
    for (const auto* l : declared.in.labels())
      if (is_binding(l) && !nearest->in.find(l->key))
        refuse("the binding tag " + weir::to_string(*l) + " is not taken");
  }
  // A label that is declared as input and not as output counts as consumed.
  for (auto& promised : authority.out)
    promised.consumed = promised.consumed.with(declared.in).without(promised.produced);
  return authority;
}

}  // namespace weir::detail
