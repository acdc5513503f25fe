#include "runtime/signature.hpp"

#include <algorithm>
#include <tuple>

#include "runtime/errors.hpp"
#include "runtime/shape.hpp"

namespace weir {

variant_type::variant_type(std::vector<const detail::label_info*> labels) : labels_(std::move(labels)) {
  detail::shape::of(labels_);  // refuses a label that stands twice
  std::sort(labels_.begin(), labels_.end(),
            [](auto* a, auto* b) { return std::tie(a->kind, a->name) < std::tie(b->kind, b->name); });
}

const detail::label_info* variant_type::find(std::uint64_t key) const {
  const auto at = std::find_if(labels_.begin(), labels_.end(), [&](auto* l) { return l->key == key; });
  return at == labels_.end() ? nullptr : *at;
}

std::string to_string(const variant_type& v) {
  std::string text = "{";
  for (const auto* l : v.labels()) text += (text.size() > 1 ? ", " : "") + to_string(*l);
  return text + "}";
}

namespace {

std::string to_string(const std::vector<variant_type>& out) {
  if (out.empty()) return "nothing";
  std::string text;
  for (const auto& v : out) text += (text.empty() ? "" : " | ") + to_string(v);
  return text;
}

}  // namespace

std::string to_string(const signature& s) {
  std::string text;
  for (const auto& r : s.rules) text += (text.empty() ? "" : ", ") + to_string(r.in) + " -> " + to_string(r.out);
  return text;
}

namespace detail {
namespace {

bool is_binding(const label_info* l) { return l->kind == label_kind::binding_tag; }

void refuse_type(const label_info& has, const label_info& wants, const std::string& left_name,
                 const std::string& right_name) {
  throw type_error(left_name + " >> " + right_name + ": field '" + has.name + "' has two types\n  " + left_name +
                   " gives it as " + type_name(*has.type->type) + "\n  " + right_name + " takes it as " +
                   type_name(*wants.type->type));
}

// What `right` needs beyond `have`, a variant that `left` gives for the input `in`.
std::vector<const label_info*> demanded(const signature::rule& left, const variant_type& have,
                                        const variant_type& needs, const std::string& left_name,
                                        const std::string& right_name) {
  std::vector<const label_info*> missing;
  for (const auto* need : needs.labels()) {
    if (const auto* has = have.find(need->key)) {
      if (has != need) refuse_type(*has, *need, left_name, right_name);
    } else if (is_binding(need)) {
      throw type_error(left_name + " >> " + right_name + ": " + right_name + " needs the binding tag " +
                       weir::to_string(*need) + ", which is never inherited\n  " + left_name + " gives " +
                       to_string(have) + "\n  " + right_name + " takes " + to_string(needs));
    } else if (left.named.find(need->key)) {
      throw type_error(left_name + " >> " + right_name + ": " + right_name + " needs " + weir::to_string(*need) +
                       ", which " + left_name + " takes and does not give back\n  " + left_name + " is " +
                       to_string(left.in) + " -> " + to_string(have) + "\n  " + right_name + " takes " +
                       to_string(needs));
    } else {
      missing.push_back(need);
    }
  }
  for (const auto* has : have.labels())
    if (is_binding(has) && !needs.find(has->key))
      throw type_error(left_name + " >> " + right_name + ": " + left_name + " gives the binding tag " +
                       weir::to_string(*has) + ", which " + right_name + " does not take\n  " + left_name + " gives " +
                       to_string(have) + "\n  " + right_name + " takes " + to_string(needs));
  return missing;
}

variant_type joined(const variant_type& a, const std::vector<const label_info*>& more) {
  std::vector<const label_info*> labels(a.labels().begin(), a.labels().end());
  for (const auto* l : more)
    if (std::find(labels.begin(), labels.end(), l) == labels.end()) labels.push_back(l);
  return variant_type(labels);
}

}  // namespace

signature compose(const signature& left, const std::string& left_name, const signature& right,
                  const std::string& right_name) {
  signature result;
  for (const auto& l : left.rules) {
    if (l.out.empty())
      throw type_error(left_name + " >> " + right_name + ": " + left_name + " is a sink, nothing comes out of it\n  " +
                       left_name + " is " + to_string(l.in) + " -> nothing");
    const signature::rule& r = right.rules.front();
    std::vector<const label_info*> demands;
    for (const auto& have : l.out)
      for (const auto* need : demanded(l, have, r.in, left_name, right_name))
        if (std::find(demands.begin(), demands.end(), need) == demands.end()) demands.push_back(need);
    signature::rule whole;
    whole.in = joined(l.in, demands);
    whole.named = joined(l.named, {r.named.labels().begin(), r.named.labels().end()});
    for (const auto& have : l.out) {
      std::vector<const label_info*> inherited;
      const variant_type with_demands = joined(have, demands);  // a demanded label rides along every variant
      for (const auto* has : with_demands.labels())
        if (!r.in.find(has->key)) inherited.push_back(has);
      for (const auto& given : r.out) {
        std::vector<const label_info*> rides;
        for (const auto* i : inherited)
          if (!given.find(i->key)) rides.push_back(i);  // the produced value wins
        variant_type out = joined(given, rides);
        if (std::find(whole.out.begin(), whole.out.end(), out) == whole.out.end()) whole.out.push_back(std::move(out));
      }
    }
    result.rules.push_back(std::move(whole));
  }
  return result;
}

void check_declared(const signature& declared, const signature& inferred, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw type_error("the signature declared for " + name + " does not fit: " + why + "\n  declared " +
                     to_string(declared) + "\n  inferred " + to_string(inferred));
  };
  for (const auto& d : declared.rules) {
    for (const auto& i : inferred.rules) {
      std::vector<const label_info*> rides;  // declared inputs that the network does not name, inherited
      for (const auto* need : i.in.labels()) {
        const auto* has = d.in.find(need->key);
        if (!has) refuse("it needs " + weir::to_string(*need) + ", which is not declared as input");
        if (has != need)
          refuse("field '" + need->name + "' is a " + type_name(*need->type->type) + ", declared as " +
                 type_name(*has->type->type));
      }
      for (const auto* l : d.in.labels()) {
        if (i.in.find(l->key)) continue;
        if (is_binding(l)) refuse("the binding tag " + weir::to_string(*l) + " is not taken");
        rides.push_back(l);
      }
      for (const auto& out : i.out) {
        const auto fits = [&](const variant_type& promised) {
          return std::all_of(promised.labels().begin(), promised.labels().end(), [&](auto* l) {
            const auto* has = out.find(l->key);
            return has ? has == l : std::find(rides.begin(), rides.end(), l) != rides.end();
          });
        };
        if (std::none_of(d.out.begin(), d.out.end(), fits))
          refuse("it may give " + to_string(out) + ", which is none of the declared outputs");
      }
    }
  }
}

}  // namespace detail
}  // namespace weir
