#include "runtime/remote/cut_plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/record/words.hpp"

namespace weir::detail::remote {

namespace {

std::string key_of(const placed_node& placed, const std::string& path) {
  return path + '@' + std::to_string(reinterpret_cast<std::uintptr_t>(&placed));
}

// The labels that a part asks for by itself, without its children.
std::vector<const label_info*> read_by(const network& net) {
  if (const auto* const box = as<box_node>(net)) return box->spec->takes;
  if (const auto* const f = as<filter_node>(net)) return f->spec->takes;
  return net.root()->labels();
}

bool finishes(const network& net) {
  const auto* const box = as<box_node>(net);
  if (box && box->spec->acts_at_end()) return true;
  const std::vector<network> parts = net.root()->children();
  return std::any_of(parts.begin(), parts.end(), finishes);
}

void look_into(const network& net, cut& c) {
  for (const label_info* l : read_by(net)) c.reads.insert(l->key);
  for (const signature::rule& r : net.signature().rules) {
    for (const label_info* l : r.in.labels()) c.reads.insert(l->key);  // what the choice of a declared group is made by
    for (const signature::outcome& o : r.out)
      for (const label_info* l : o.produced.labels()) c.gives.insert(l->key);
  }
  c.has_state = c.has_state || (net.root()->has_state() && !as<ordered_node>(net));
  if (const auto* const box = as<box_node>(net)) {
    c.has_source = c.has_source || box->spec->initialiser;
    c.finishes = c.finishes || box->spec->acts_at_end();
  }
  for (const network& part : net.root()->children()) look_into(part, c);
}

void collect_labels(const network& net, std::vector<const label_info*>& into) {
  const std::vector<const label_info*> own = net.root()->labels();
  into.insert(into.end(), own.begin(), own.end());
  for (const signature::rule& r : net.signature().rules) {
    into.insert(into.end(), r.in.labels().begin(), r.in.labels().end());
    for (const signature::outcome& o : r.out)
      into.insert(into.end(), o.produced.labels().begin(), o.produced.labels().end());
  }
  for (const network& part : net.root()->children()) collect_labels(part, into);
}

std::string text_of(const label_info* l) {
  std::string text = weir::to_string(*l);
  if (l->type) text += std::string(": ") + l->type->type->name();
  return text;
}

std::string text_of(const cut& c) {
  std::string text = "part " + c.name + (c.path.empty() ? "" : " at " + c.path);
  if (c.has_state) text += ", with state";
  if (c.has_source) text += ", with initialisers";
  if (c.finishes) text += ", with folds that end";
  if (c.next >= 0) text += ", in front of part " + std::to_string(c.next);
  return text;
}

}  // namespace

int rank_of(std::int64_t value, int ranks) {
  const auto rest = static_cast<int>(value % ranks);
  return rest < 0 ? rest + ranks : rest;
}

// The surroundings of a part.
struct cut_plan::around {
  std::vector<int> homes;
  const placed_node* placed_as = nullptr;  // a tag that places the bodies of a split, which the part is
  std::string placed_at{};                 // where that is
  surroundings what{};
  // In an ordered network or a loop, where it matters which folds finish first; and in a split within that.
  bool has_rounds = false, in_split_of_rounds = false;
  // For an element of a chain: its own step, as ":S2", and the cut of the element in front, if that is placed by
  // number.
  std::string step{};
  int before = -1;
};

bool cut::is_home(int rank) const { return std::binary_search(homes.begin(), homes.end(), rank); }
bool cut::is_far(int rank) const { return std::binary_search(fars.begin(), fars.end(), rank); }

cut_plan::cut_plan(const network& net, int ranks) : ranks_(ranks) {
  collect_labels(net, labels_);
  const auto order = [](const label_info* l) {
    return std::tuple(l->kind, std::string_view(l->name), std::string_view(l->type ? l->type->type->name() : ""));
  };
  std::sort(labels_.begin(), labels_.end(), [&](auto* a, auto* b) { return order(a) < order(b); });
  labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
  for (std::size_t i = 0; i < labels_.size(); ++i) numbers_.emplace(labels_[i], static_cast<int>(i));
  if (ranks > 1) walk(net, "", {{0}});
}

int cut_plan::find(const placed_node& placed, const std::string& path) const {
  const auto at = by_place_.find(key_of(placed, path));
  return at == by_place_.end() ? -1 : at->second;
}

bool cut_plan::survives(int lost) const {
  return lost != 0 &&
         std::all_of(cuts_.begin(), cuts_.end(), [&](const cut& c) { return !c.is_far(lost) || c.is_movable(); });
}

int cut_plan::number_of(const label_info* l) const {
  const auto at = numbers_.find(l);
  return at == numbers_.end() ? -1 : at->second;
}

void cut_plan::walk(const network& net, const std::string& path, around in) {
  if (const auto* const placed = as<placed_node>(net)) return place(*placed, path, std::move(in));
  const auto* const split = as<split_node>(net);
  in.what.meet(net);
  in.step.clear(), in.before = -1;
  if (as<ordered_node>(net) || as<star_node>(net) || as<feedback_node>(net)) in.has_rounds = true;
  in.in_split_of_rounds = in.in_split_of_rounds || (split && in.has_rounds);
  if (split) {
    const placed_node* const placed = std::exchange(in.placed_as, nullptr);
    if (placed) return add_cut(*placed, split->body, path + ":I*", std::move(in));
    walk(split->body, path + ":I*", in);
  } else {
    const bool serial = as<serial_node>(net), choice = as<choice_node>(net), star = as<star_node>(net);
    int position = 0;
    std::vector<int> cuts;  // of neighbours in the chain
    for (const network& part : net.root()->children()) {
      ++position;
      if (serial) in.step = ":S" + std::to_string(position);
      walk(part,
           serial   ? path + ":S" + std::to_string(position)
           : choice ? path + ":P" + std::to_string(position)
           : star   ? path + ":R*"
                    : path,
           in);
      const auto* const placed = as<placed_node>(part);
      in.before = serial && placed && !placed->by ? find(*placed, path + in.step) : -1;
      if (serial && (cuts.empty() || cuts.back() != in.before)) cuts.push_back(in.before);
    }
    for (std::size_t i = 1; i < cuts.size(); ++i) link(cuts[i - 1], cuts[i]);
  }
}

void cut_plan::place(const placed_node& placed, const std::string& path, around in) {
  if (!placed.by) return add_cut(placed, placed.inner, path, std::move(in));
  in.placed_as = &placed;
  walk(placed.inner, path, std::move(in));
}

void cut_plan::add_cut(const placed_node& placed, network inner, const std::string& path, around in) {
  cut c{{{inner, in.step}}, path.substr(0, path.size() - in.step.size()), "", in.homes};
  c.by = placed.by;
  c.around = in.what;
  if (placed.by) {
    c.name = "at " + weir::to_string(*placed.by);
    c.fars.resize(static_cast<std::size_t>(ranks_));
    std::iota(c.fars.begin(), c.fars.end(), 0);
  } else {
    c.fars = {rank_of(placed.node_number, ranks_)};
    c.name = "at " + std::to_string(c.fars.front());
  }
  around inside{c.fars};
  inside.what = in.what;
  inside.has_rounds = in.has_rounds;
  inside.in_split_of_rounds = in.in_split_of_rounds;
  if (const bool moves = c.homes != c.fars || c.fars.size() > 1; moves && in.in_split_of_rounds && finishes(inner)) {
    notes_.push_back("the part that is placed " + c.name + (path.empty() ? "" : ", at " + path) +
                     ", stays where it is: its folds finish in rounds with all branches of the split around it, which "
                     "is ordered or in a loop");
    inside.homes = in.homes;
  } else if (moves) {
    check_codecs(c, c.parts.front());
    const int before = placed.by ? -1 : in.before;
    const bool is_one = before >= 0 && cuts_[static_cast<std::size_t>(before)].fars == c.fars;
    by_place_.emplace(key_of(placed, path), is_one ? before : static_cast<int>(cuts_.size()));
    if (is_one) {
      cut& of = cuts_[static_cast<std::size_t>(before)];
      of.parts.push_back({inner, in.step});
      look_into(inner, of);
    } else {
      look_into(inner, c);
      cuts_.push_back(std::move(c));
    }
  }
  walk(inner, path, std::move(inside));
}

// A field must not travel further than by way of home. So the second part reads no field that the first only hands on,
// and the first makes none that the second does not read. Parts with state go by way of home, since records of other
// calls could inherit labels that stayed at home. The outputs of folds at the end belong to no call, either.
bool cut_plan::may_follow(const cut& next, const cut& before) const {
  if (!next.is_stateless() || !before.is_stateless()) return false;
  return std::all_of(labels_.begin(), labels_.end(), [&](const label_info* l) {
    if (l->kind != label_kind::field) return true;
    const bool makes = before.gives.contains(l->key), names = makes || before.reads.contains(l->key);
    const bool reads = next.reads.contains(l->key);
    return (!reads || names) && (!makes || reads);
  });
}

// Makes two neighbours one route if that may be. Labels that a part asks for come along from the route's beginning.
void cut_plan::link(int first, int second) {
  if (first < 0 || second < 0) return;
  cut& from = cuts_[static_cast<std::size_t>(first)];
  cut& to = cuts_[static_cast<std::size_t>(second)];
  if (!may_follow(to, from)) return;
  int length = 1;
  for (int i = first; i >= 0; i = cuts_[static_cast<std::size_t>(i)].before) ++length;
  if (length > longest_route) return;
  from.next = second;
  to.before = first;
  for (int i = first; i >= 0; i = cuts_[static_cast<std::size_t>(i)].before)
    cuts_[static_cast<std::size_t>(i)].reads.insert(to.reads.begin(), to.reads.end());
}

void cut_plan::check_codecs(const cut& c, const placed_part& part) const {
  const auto check = [&](const label_info* l, const char* way) {
    if (!l->type || l->type == type_of<opaque>() || l->type->codec) return;
    const std::string path = c.path + part.at;
    throw type_error("field '" + l->name + "' is " + a_type(*l->type) + ", which has no codec, and " + way +
                     " the part that is placed " + c.name + (path.empty() ? "" : ", at " + path) +
                     ": specialise weir::codec for it");
  };
  for (const signature::rule& r : part.inner.signature().rules) {
    for (const label_info* l : r.in.labels()) check(l, "goes to");
    for (const signature::outcome& o : r.out)
      for (const label_info* l : o.produced.labels()) check(l, "comes from");
  }
}

std::string fingerprint_of(const network& net, const cut_plan& plan) {
  std::string text = weir::to_string(net) + "\n" + weir::to_string(net.signature()) + "\n";
  for (const label_info* l : plan.labels()) text += text_of(l) + "\n";
  for (const cut& c : plan.cuts()) text += text_of(c) + "\n";
  return text;
}

}  // namespace weir::detail::remote
