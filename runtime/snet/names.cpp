#include "runtime/snet/names.hpp"

#include <algorithm>
#include <utility>

#include "runtime/snet/nearest_names.hpp"

namespace weir::detail::snet {
namespace {

bool is_network(const definition& d) { return d.what == definition::net || d.what == definition::box; }

const char* kind_of(const definition& d) {
  switch (d.what) {
    case definition::net:
      return "net";
    case definition::box:
      return "box";
    case definition::type:
      return "type";
    default:
      return "typesig";
  }
}

class resolver {
 public:
  resolver(names& into, const registry& known, fault_list& faults) : into_(into), known_(known), faults_(faults) {}

  void body(const std::vector<definition>& definitions) {
    around_.push_back(&definitions);
    for (const definition& d : definitions) {
      define(d);
      const auto [at, fresh] = (is_network(d) ? networks_ : types_).back().try_emplace(d.name.text, &d);
      if (fresh) continue;
      const definition& before = *at->second;
      faults_.add(d.name.place,
                  std::string(kind_of(d)) + " " + shown(d.name.text) + " is defined twice: there is a " +
                      kind_of(before) + " of this name",
                  {{before.name.place, shown(before.name.text) + " was defined here"}});
      at->second = &d;
    }
    around_.pop_back();
  }

  void open() {
    networks_.emplace_back();
    types_.emplace_back();
  }
  void close() {
    networks_.pop_back();
    types_.pop_back();
  }

  void expression(const net_syntax& n) {
    for (const net_syntax& part : n.parts) expression(part);
    if (n.what != net_syntax::name) return;
    meaning m{find_in(networks_, n.called), known_.find(n.called)};
    if (m.defined) m.registered = nullptr;
    if (!m.defined && !m.registered) unknown(n);
    into_.meanings.emplace(&n, m);
  }

 private:
  using scope = std::unordered_map<std::string_view, const definition*>;

  static const definition* find_in(const std::vector<scope>& scopes, std::string_view name) {
    for (auto s = scopes.rbegin(); s != scopes.rend(); ++s)
      if (const auto at = s->find(name); at != s->end()) return at->second;
    return nullptr;
  }

  void unknown(const net_syntax& n) {
    if (faults_.is_full()) return faults_.add(n.place, "");  // it is only counted: names near it take time to find
    std::string words = "unknown name " + shown(n.called);
    std::vector<remark> notes;
    const auto later = [&](const definition& d) { return is_network(d) && d.name.text == n.called; };
    const definition* found = nullptr;
    for (auto body = around_.rbegin(); body != around_.rend() && !found; ++body) {
      const auto at = std::find_if((*body)->begin(), (*body)->end(), later);
      if (at != (*body)->end()) found = &*at;
    }
    if (net_ && net_->name.text == n.called) found = net_;
    if (found) {
      words += found == net_ ? ": a net is not known inside its own body" : ": it is defined only behind this place";
      notes.push_back({found->name.place, shown(n.called) + " is defined here"});
    } else if (find_in(types_, n.called)) {
      words += ": it is a type, and a network is needed";
    } else {
      std::vector<std::string_view> all;
      for (const scope& s : networks_)
        for (const auto& [name, d] : s) all.push_back(name);
      const std::vector<std::string> registered = known_.names();
      all.insert(all.end(), registered.begin(), registered.end());
      words += did_you_mean(n.called, all);
    }
    faults_.add(n.place, std::move(words), std::move(notes));
  }

  void define(const definition& d) {
    if (d.is_broken) return;
    if (d.what == definition::type) {
      unsure_ = false;
      if (auto all = expanded(d.stands_for.variants); !unsure_)
        into_.signatures[&d] = {{std::move(all), {}, false, false, d.name.place}};
      return;
    }
    unsure_ = false;
    if (d.signature)
      if (auto all = maps(*d.signature); !unsure_) into_.signatures[&d] = std::move(all);
    if (d.what != definition::net) return;
    const definition* const outer = std::exchange(net_, &d);
    open();
    body(d.inside);
    if (d.connects) expression(*d.connects);
    close();
    net_ = outer;
  }

  const definition* type_named(const word& w, definition::form what) {
    const definition* const d = find_in(types_, w.text);
    const char* const wanted = what == definition::type ? "type" : "typesig";
    if (d && d->what == what && into_.signatures.count(d)) return d;
    unsure_ = true;
    if (d && d->what == what) return nullptr;  // a fault there was reported
    if (faults_.is_full()) return faults_.add(w.place, ""), nullptr;
    std::vector<std::string_view> all;
    for (const scope& s : types_)
      for (const auto& [name, t] : s)
        if (t->what == what) all.push_back(name);
    faults_.add(w.place, d ? shown(w.text) + " is a " + kind_of(*d) + ", and a " + wanted + " is needed"
                           : std::string("unknown ") + wanted + " " + shown(w.text) + did_you_mean(w.text, all));
    return nullptr;
  }

  std::vector<const record_syntax*> expanded(const std::vector<type_syntax::variant>& variants) {
    std::vector<const record_syntax*> all;
    for (const type_syntax::variant& v : variants) {
      if (!v.named) {
        all.push_back(&v.labels);
      } else if (const definition* d = type_named(*v.named, definition::type)) {
        const auto& more = into_.signatures[d].front().in;
        if (all.size() + more.size() > most_labels) {
          faults_.add(v.named->place, "more than " + std::to_string(most_labels) + " variants of one type");
          return all;
        }
        all.insert(all.end(), more.begin(), more.end());
      }
    }
    return all;
  }

  std::vector<plain_map> maps(const std::vector<map_syntax>& signature) {
    std::vector<plain_map> all;
    for (const map_syntax& m : signature) {
      if (m.named) {
        if (const definition* d = type_named(*m.named, definition::typesig)) {
          const auto& more = into_.signatures[d];
          if (all.size() + more.size() > most_labels) {
            faults_.add(m.place, "more than " + std::to_string(most_labels) + " lines of one signature");
            return all;
          }
          all.insert(all.end(), more.begin(), more.end());
        }
        continue;
      }
      all.push_back({{}, expanded(m.out), m.is_open, !m.in, m.place});
      if (m.in) all.back().in = expanded(m.in->variants);
    }
    return all;
  }

  const definition* net_ = nullptr;                     // the innermost around
  std::vector<const std::vector<definition>*> around_;  // the bodies around, from the outermost
  bool unsure_ = false;                                 // a type has a fault
  names& into_;
  const registry& known_;
  fault_list& faults_;
  std::vector<scope> networks_, types_;
};

}  // namespace

names resolve(const module& of, const registry& known, offset end_of_text, fault_list& faults) {
  names made;
  const bool is_parsed = faults.empty();
  resolver all(made, known, faults);
  all.open();
  all.body(of.definitions);
  if (of.alone) {
    all.expression(*of.alone);
    return made;
  }
  for (const definition& d : of.definitions)
    if (d.what == definition::net) made.top = &d;
  if (!made.top && is_parsed) faults.add(end_of_text, "there is no net in this text");
  return made;
}

}  // namespace weir::detail::snet
