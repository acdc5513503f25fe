#include "runtime/snet/network_builder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/network/leaf_nodes.hpp"
#include "runtime/snet/nearest_names.hpp"
#include "runtime/threads/stack_room.hpp"

namespace weir::detail::snet {
namespace {

bool is_source(const network& n) {
  const auto& rules = n.signature().rules;
  return std::any_of(rules.begin(), rules.end(), [](const signature::rule& r) { return r.at_start; });
}
bool is_only_source(const network& n) {
  const auto& rules = n.signature().rules;
  return !rules.empty() && std::all_of(rules.begin(), rules.end(), [](const signature::rule& r) { return r.at_start; });
}

// Whether some record has more labels than a text may give one. A chain that adds one label in each step would take
// memory for the square of its length.
bool is_too_wide(const network& n) {
  const auto is_wide = [](const variant_type& v) { return v.size() > most_labels; };
  const auto& rules = n.signature().rules;
  return std::any_of(rules.begin(), rules.end(), [&](const signature::rule& r) {
    return is_wide(r.in) || std::any_of(r.out.begin(), r.out.end(),
                                        [&](const auto& o) { return is_wide(o.produced) || is_wide(o.consumed); });
  });
}

bool call_stub(void* name, invocation&) {
  throw std::logic_error("box " + *static_cast<std::string*>(name) + " is declared and not registered: it cannot run");
}
constexpr box_code stub_code{&call_stub, nullptr, false, false, false, {nullptr, 0}, {nullptr, 0}};

std::string listed(const std::vector<const label_info*>& labels) {
  std::string text;
  for (const label_info* l : labels) text += (text.empty() ? "" : ", ") + weir::to_string(*l);
  return "(" + text + ")";
}

std::string listed(const box_spec& box) {
  std::string text;
  for (const auto& v : box.variants) text += (text.empty() ? "" : " | ") + listed(v);
  return (box.initialiser ? "" : listed(box.takes) + " ") + "->" + (text.empty() ? "" : " " + text);
}

}  // namespace

network stub_of(const std::string& name, std::vector<const label_info*> takes,
                std::vector<std::vector<const label_info*>> variants, bool is_initialiser) {
  auto spec = std::make_shared<box_spec>();
  spec->name = name;
  spec->takes = std::move(takes);
  spec->variants = std::move(variants);
  spec->callable = std::make_shared<std::string>(name);
  spec->code = &stub_code;
  spec->identity = spec->callable.get();
  spec->initialiser = is_initialiser;
  return make_box(std::move(spec));
}

template <class Make>
std::optional<network> network_builder::tried(offset place, Make make) {
  try {
    return make();
  } catch (const type_error& e) {
    path_.refused(place, e.what());
    return std::nullopt;
  }
}

// ---- definitions ----

std::optional<network> network_builder::build(const module& of) {
  define(of.definitions);
  patterns_.set_opaque(false);
  std::optional<network> top = of.alone ? network_of(*of.alone) : names_.top ? made_[names_.top] : std::nullopt;
  if (faults_.empty())  // faults of the text itself come first
    for (remark& r : not_registered_) faults_.add(r.place, std::move(r.words));
  return top;
}

void network_builder::define(const std::vector<definition>& definitions) {
  for (const definition& d : definitions) {
    if (d.what == definition::net) define(d.inside);
    patterns_.set_opaque(!types_.uses(d));
    if (d.is_broken) continue;
    if (d.what == definition::type) {
      for (const type_syntax::variant& v : d.stands_for.variants) patterns_.record_type(v.labels);
    } else if (d.what != definition::typesig) {
      try {
        made_[&d] = made(d);
      } catch (const type_error& e) {
        path_.refused(d.name.place, e.what());
      }
    }
  }
}

std::optional<network> network_builder::made(const definition& d) {
  if (d.what == definition::box) return box(d);
  return d.connects ? net(d) : external(d);
}

std::optional<network> network_builder::net(const definition& d) {
  path_.enter(&d);
  const std::optional<network> inside = network_of(*d.connects);
  path_.enter(nullptr);
  if (!inside) return std::nullopt;
  return d.signature ? with_signature(*inside, d) : inside->as(std::string(d.name.text));
}

std::optional<network> network_builder::with_signature(const network& net, const definition& d) {
  const std::string name(d.name.text);
  const auto written = names_.signatures.find(&d);
  if (written == names_.signatures.end()) return net.as(name);  // there is a fault in it
  bool well = true;
  std::vector<signature_map> all;
  for (const plain_map& m : written->second) {
    signature_map& map = all.emplace_back();
    map.any_output = m.is_open;
    map.at_start = m.at_start;
    const auto add = [&](const std::vector<const record_syntax*>& from, std::vector<variant_type>& to) {
      for (const record_syntax* r : from)
        if (auto type = patterns_.record_type(*r))
          to.push_back(*std::move(type));
        else
          well = false;
    };
    add(m.in, map.in);
    add(m.out, map.out);
  }
  if (!well) return std::nullopt;
  // Line by line, so that a fault is at its line.
  for (std::size_t i = 0; i < all.size() && all.size() > 1; ++i) {
    if (is_source(net) && !all[i].at_start) continue;
    if (!tried(written->second[i].place, [&] { return net.as(name, {all[i]}); })) return std::nullopt;
  }
  return tried(written->second.front().place, [&] { return net.as(name, all); });
}

std::optional<network> network_builder::external(const definition& d) {
  if (const network* registered = registry_.find(d.name.text))
    return d.signature ? with_signature(*registered, d) : *registered;
  if (!stubs_) not_registered(d);
  const auto written = names_.signatures.find(&d);
  if (written == names_.signatures.end()) return bypass();
  std::vector<network> branches;
  const std::string name(d.name.text);
  for (const plain_map& m : written->second) {
    if (m.is_open) return bypass();
    std::vector<std::vector<const label_info*>> out;
    for (const record_syntax* r : m.out)
      if (auto l = patterns_.labels(*r)) out.push_back(*std::move(l));
    if (m.at_start) branches.push_back(stub_of(name, {}, out, true));
    for (const record_syntax* r : m.in)
      if (auto l = patterns_.labels(*r)) branches.push_back(stub_of(name, *std::move(l), out, false));
  }
  if (branches.empty()) return bypass();
  return tried(d.name.place, [&] { return choice(branches).as(name); });
}

void network_builder::not_registered(const definition& d) {
  if (!types_.uses(d) || not_registered_.size() > fault_list::most) return;
  const std::vector<std::string> all = registry_.names();
  const bool is_box = d.what == definition::box;
  const std::string name = shown(d.name.text);
  not_registered_.push_back({d.name.place, (is_box ? "box " : "net ") + name + " is not registered" +
                                               did_you_mean(d.name.text, {all.begin(), all.end()}) +
                                               (is_box && remedy_ ? remedy_(name) : "")});
}

std::optional<network> network_builder::box(const definition& d) {
  const std::string name(d.name.text);
  if (const network* registered = registry_.find(name)) {
    const auto* const found = as<box_node>(*registered);
    if (!found) {
      faults_.add(d.name.place,
                  shown(name) + " is registered as a network, not as a box; write net " + shown(name) + ";");
      return std::nullopt;
    }
    if (!is_as_written(d, *found->spec)) return std::nullopt;
    return *registered;
  }
  std::optional<std::vector<const label_info*>> takes = patterns_.labels(d.takes);
  std::vector<std::vector<const label_info*>> variants;
  for (const record_syntax& r : d.variants) {
    auto given = patterns_.labels(r);
    if (!given) return std::nullopt;
    variants.push_back(*std::move(given));
  }
  if (!takes) return std::nullopt;
  if (!stubs_) not_registered(d);
  return tried(d.name.place, [&] { return stub_of(name, *takes, variants, d.is_initialiser); });
}

// Whether a registered box has the labels of the text, in their order.
bool network_builder::is_as_written(const definition& d, const box_spec& registered) {
  const auto differs = [&](offset place, const std::string& why) {
    faults_.add(place, "box " + shown(d.name.text) + " " + why + "\n  it is registered as " + listed(registered));
    return false;
  };
  const auto same = [&](const record_syntax& written, const std::vector<const label_info*>& labels, const char* what) {
    if (written.labels.size() != labels.size())
      return differs(written.place, std::string(what) + " " + std::to_string(written.labels.size()) +
                                        " labels here, and " + std::to_string(labels.size()) + " as registered");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const label_syntax& l = written.labels[i];
      if (l.kind != labels[i]->kind || l.name != labels[i]->name)
        return differs(l.place, std::string(what) + " another label here than as registered, " +
                                    weir::to_string(*labels[i]) + ": names and order have to agree");
    }
    return true;
  };
  if (d.is_initialiser != registered.initialiser)
    return differs(d.name.place, d.is_initialiser ? "is an initialiser here, and not as registered"
                                                  : "is no initialiser here, as which it is registered");
  if (!d.is_initialiser && !same(d.takes, registered.takes, "takes")) return false;
  if (d.variants.size() != registered.variants.size())
    return differs(d.variants.empty() ? d.name.place : d.variants.front().place,
                   "has " + std::to_string(d.variants.size()) + " outputs here, and " +
                       std::to_string(registered.variants.size()) + " as registered");
  for (std::size_t i = 0; i < d.variants.size(); ++i)
    if (!same(d.variants[i], registered.variants[i], "gives")) return false;
  return true;
}

// ---- expressions ----

std::optional<network> network_builder::network_of(const net_syntax& n) {
  if (!stack_room::has(stack_kept)) {
    path_.refused(n.place, "nested deeper than the stack of this thread allows");
    return std::nullopt;
  }
  switch (n.what) {
    case net_syntax::name: {
      const meaning& m = names_.meanings.at(&n);
      if (m.registered) return *m.registered;
      if (!m.defined) return std::nullopt;
      const auto at = made_.find(m.defined);
      return at == made_.end() ? std::nullopt : at->second;
    }
    case net_syntax::bypass:
      return bypass();
    case net_syntax::filter: {
      auto spec = patterns_.filter(*n.of);
      if (!spec) return std::nullopt;
      return tried(n.place, [&] { return filter_network(*std::move(spec)); });
    }
    case net_syntax::cell: {
      auto all = patterns_.patterns(n.patterns);
      if (!all) return std::nullopt;
      return tried(n.place, [&] { return sync(*std::move(all)); });
    }
    case net_syntax::serial:
    case net_syntax::choice:
      return row(n);
    case net_syntax::postfixed:
      return postfixed(n);
    case net_syntax::ordered:
      break;
  }
  const std::optional<network> inner = network_of(n.parts.front());
  if (!inner) return std::nullopt;
  return tried(n.place, [&] { return ordered(*inner); });
}

std::optional<network> network_builder::postfixed(const net_syntax& n) {
  std::optional<network> made = network_of(n.parts.front());
  for (const postfix_syntax& form : n.forms)
    if (made)
      made = around(n.parts.front(), form, *made);
    else
      patterns_.patterns(form.patterns);  // for their faults
  return made;
}

std::optional<network> network_builder::row(const net_syntax& n) {
  std::vector<network> parts;
  for (std::size_t i = 0; i < n.parts.size(); ++i) {
    const build_path::step here(path_, n.what == net_syntax::serial ? ":S" : ":P", i + 1);
    if (std::optional<network> one = network_of(n.parts[i])) parts.push_back(*std::move(one));
  }
  if (parts.size() < n.parts.size()) return std::nullopt;
  if (n.what == net_syntax::serial) return chain(n, parts);
  return tried(n.place, [&] {
    const network all = choice(parts);
    return n.in_order ? ordered(all) : all;
  });
}

std::optional<network> network_builder::chain(const net_syntax& n, const std::vector<network>& parts) {
  network all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (is_only_source(parts[i]) &&
        !allows_source(n.place, n.parts[i], parts[i], "behind .., where no record reaches it"))
      return std::nullopt;
    const build_path::step here(path_, ":S", i + 1);
    std::optional<network> longer = tried(n.signs[i - 1], [&] { return all >> parts[i]; });
    if (!longer) return std::nullopt;
    all = *std::move(longer);
    constexpr std::size_t looked_at_one_in = 64;  // of a chain that grows; a look takes time for each variant
    if (i % looked_at_one_in == 0 && is_too_wide(all)) {
      faults_.add(n.signs[i - 1], "records here have more than " + std::to_string(most_labels) + " labels");
      return std::nullopt;
    }
  }
  return all;
}

// False, and a fault at the initialiser, since it may not stand here.
bool network_builder::allows_source(offset place, const net_syntax& part, const network& inner, const char* where) {
  if (!is_source(inner)) return true;
  const net_syntax *found = nullptr, *leaf = nullptr;  // the first of all
  std::vector<const net_syntax*> open{&part};
  while (!open.empty() && !found) {
    const net_syntax* const at = open.back();
    open.pop_back();
    if (at->parts.empty() && !leaf) leaf = at;
    for (auto p = at->parts.rbegin(); p != at->parts.rend(); ++p) open.push_back(&*p);
    if (at->what != net_syntax::name) continue;
    const meaning& m = names_.meanings.at(at);
    const network* const one = m.registered                                    ? m.registered
                               : made_.count(m.defined) && made_.at(m.defined) ? &*made_.at(m.defined)
                                                                               : nullptr;
    if (one && is_source(*one)) found = at;
  }
  const net_syntax& at = found ? *found : *leaf;
  faults_.add(
      at.place,
      "the initialiser " + (at.what == net_syntax::name ? shown(at.called) : std::string("in here")) + " stands " +
          where +
          ": it fires once, at the start, and may stand only at the head of a network and as a branch of a choice",
      {{place, "here"}});
  return false;
}

// A form behind a network: `part` is what all forms stand behind, `inner` is what has those before this one.
std::optional<network> network_builder::around(const net_syntax& part, const postfix_syntax& form,
                                               const network& inner) {
  const auto in_order = [&](const network& net) { return form.in_order ? ordered(net) : net; };
  const auto loop = [&](const char* where, auto make) -> std::optional<network> {
    const auto all = patterns_.list(form.patterns);
    if (!allows_source(form.place, part, inner, where) || !all) return std::nullopt;
    return tried(form.place, [&] { return make(*all); });
  };
  const std::string name(form.by.name);
  switch (form.what) {
    case postfix_syntax::star:
      return loop("in a star", [&](const pattern_list& exits) { return in_order(star(inner, exits)); });
    case postfix_syntax::feedback:
      return loop("in a feedback", [&](const pattern_list& back) { return feedback(inner, back); });
    case postfix_syntax::placed:
      if (!form.node && !allows_source(form.place, part, inner, "in a split")) return std::nullopt;
      return tried(form.place, [&] {
        if (form.node) return at(inner, *form.node);
        return in_order(form.by.kind == label_kind::tag ? at(inner, weir::tag(name)) : at(inner, btag(name)));
      });
    case postfix_syntax::split:
      break;
  }
  if (!allows_source(form.place, part, inner, "in a split")) return std::nullopt;
  const auto last = form.patterns.empty() ? std::nullopt : patterns_.list(form.patterns);
  if (!form.patterns.empty() && !last) return std::nullopt;
  return tried(form.place, [&] {
    const split_network made =
        form.by.kind == label_kind::tag ? split(inner, weir::tag(name)) : split(inner, btag(name));
    return in_order(last ? made.until(*last) : network(made));
  });
}

}  // namespace weir::detail::snet
