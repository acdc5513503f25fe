#include "runtime/network/declared.hpp"

#include <algorithm>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/network/typing.hpp"
#include "runtime/record/words.hpp"

namespace weir::detail {
namespace {

std::vector<signature::rule> rules_of(const signature_map& map) {
  std::vector<signature::rule> rules;
  for (const variant_type& in : map.in) rules.push_back({in, {}, false, map.at_start});
  if (map.at_start) rules.assign(1, {{}, {}, false, true});
  for (signature::rule& r : rules)
    for (const variant_type& v : map.out) r.out.push_back({v, {}, signature::inherits::no_binding_tags, false});
  return rules;
}

// One declared rule, checked against what was inferred.
class declared_rule {
 public:
  declared_rule(signature::rule declared, bool any_output, const node& of, const std::string& name)
      : declared_(std::move(declared)), made_(declared_), any_output_(any_output), of_(of), name_(name) {}

  signature::rule check() {
    if (declared_.at_start)
      check_start();
    else
      check_input();
    if (any_output_) return made_;
    // A label that is declared as input and not as output counts as consumed.
    for (auto& promised : made_.out)
      promised.consumed = promised.consumed.with(declared_.in).without(promised.produced);
    return made_;
  }

  // Whether an inferred rule may give an undeclared output; "" if it does not.
  std::string undeclared(const signature::rule& r) const {
    for (const auto& o : r.out) {
      const variant_type all = after(declared_.in.with(o.produced), o);
      const auto fits = [&](const signature::outcome& promised) {
        return std::all_of(promised.produced.labels().begin(), promised.produced.labels().end(), [&](auto* l) {
          const auto* has = o.produced.find(l->key);
          if (!has) has = all.find(l->key);
          return has && agree(has, l);
        });
      };
      if (!any_output_ && std::none_of(made_.out.begin(), made_.out.end(), fits))
        return "it may give " + to_string(o.produced) + ", which is none of the declared outputs";
    }
    return "";
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw type_error("the signature declared for " + name_ + " does not fit: " + why + "\n  declared " +
                     cut_text(signature{{declared_}}) + (any_output_ ? " (any)" : "") + "\n  inferred " +
                     cut_text(of_.type));
  }

 private:
  void check_outputs(const signature::rule& r) {
    if (const std::string why = undeclared(r); !why.empty()) refuse(why);
    for (const auto& o : r.out)
      for (auto& promised : made_.out) {
        promised.consumed = promised.consumed.with(o.consumed).without(promised.produced);
        promised.inherited = std::max(promised.inherited, o.inherited);
      }
  }

  void check_start() {
    if (!of_.has_source()) refuse("it has no initialiser");
    if (any_output_) made_.out.clear();
    for (const auto& r : of_.type.rules) {
      if (!r.at_start) continue;
      check_outputs(r);
      if (any_output_)
        for (const auto& o : r.out) add(made_.out, o);
    }
  }

  void check_types(const variant_type& needs) const {
    for (const auto* need : needs.labels())
      if (const auto* has = declared_.in.find(need->key); has && !agree(has, need))
        refuse("field '" + need->name + "' is " + a_type(*need->type) + ", declared as " + a_type(*has->type));
  }

  void check_input() {
    const auto& rules = of_.type.rules;
    const signature::rule* nearest = nullptr;
    bool taken = false;
    for (const auto& r : rules) {
      if (r.at_start) continue;
      check_types(r.in);
      if (takes(r.in, r.open, declared_.in)) {
        taken = true;
        const bool better = std::any_of(rules.begin(), rules.end(), [&](const signature::rule& other) {
          return !other.at_start && other.in.size() > r.in.size() && r.in.without(other.in).empty() &&
                 takes(other.in, other.open, declared_.in);
        });
        if (!better && !any_output_) check_outputs(r);  // else records go to the other rule
      } else if (!nearest || r.in.without(declared_.in).size() < nearest->in.without(declared_.in).size()) {
        nearest = &r;
      }
    }
    if (!taken) refuse_input(nearest);
    if (!any_output_) return;
    const type_transfer answer = of_.transfer(declared_.in);
    if (!answer.matches) refuse_input(nearest);
    made_.out.clear();
    for (const auto& o : answer.out) add(made_.out, then({declared_.in, {}, signature::inherits::all, false}, o));
  }

  [[noreturn]] void refuse_input(const signature::rule* nearest) const {
    if (!nearest) refuse("it takes no input");
    for (const auto* need : nearest->in.labels())
      if (!declared_.in.find(need->key))
        refuse("it needs " + weir::to_string(*need) + ", which is not declared as input");
    for (const auto* l : declared_.in.labels())
      if (is_binding(l) && !nearest->in.find(l->key))
        refuse("the binding tag " + weir::to_string(*l) + " is not taken");
    refuse("it does not take this input");
  }

  const signature::rule declared_;
  signature::rule made_;
  const bool any_output_;
  const node& of_;
  const std::string& name_;
};

}  // namespace

std::vector<signature::rule> check_declared(const std::vector<signature_map>& maps, const node& of,
                                            const std::string& name) {
  std::vector<signature::rule> made;
  std::vector<declared_rule> declared;
  bool start_is_declared = false;
  for (const signature_map& map : maps)
    for (signature::rule& r : rules_of(map)) {
      start_is_declared = start_is_declared || r.at_start;
      declared.emplace_back(std::move(r), map.any_output, of, name);
      made.push_back(declared.back().check());
    }
  if (start_is_declared) return made;
  for (const signature::rule& own : of.type.rules) {
    if (!own.at_start) continue;
    const auto gives_it = [&](const declared_rule& d) { return d.undeclared(own).empty(); };
    if (std::none_of(declared.begin(), declared.end(), gives_it))
      declared.front().refuse(declared.front().undeclared(own));
    made.push_back(own);
  }
  return made;
}

}  // namespace weir::detail
