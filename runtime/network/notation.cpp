#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/network/nodes.hpp"

// Prints networks in S-Net's notation. All nodes write into one text, and stop when it is as long as is needed.
namespace weir {
namespace detail {
namespace {

void write_row(const row_node& row, notation_text& to, std::string_view separator) {
  bool is_first = true;
  row.each([&](const network& n) {
    if (!is_first) to.add(separator);
    is_first = false;
    to.add(n, node::binding::serial);
    return !to.is_full();
  });
}

}  // namespace

void notation_text::add(const network& part, node::binding least) {
  if (is_full()) return;
  const node& n = *part.root();
  const bool is_looser = n.binds() < least;
  if (is_looser) text_ += '(';
  n.write(*this);
  if (is_looser) add(")");
}

std::string node::notation() const {
  notation_text text(std::numeric_limits<std::size_t>::max());
  write(text);
  return std::move(text).take();
}

std::string node::name() const {
  constexpr std::size_t longest = 60;  // characters: the name has to fit in a line of a message
  notation_text written(longest);
  write(written);
  std::string text = std::move(written).take();
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return binds() == binding::closed ? text : "(" + text + ")";
}

std::string serial_node::name() const {
  constexpr std::uint64_t shown = 6;  // elements: the name has to fit in a line of a message
  if (elements <= shown) return node::name();
  return "(" + end(false).name() + " .. " + std::to_string(elements - 2) + " more .. " + end(true).name() + ")";
}

void box_node::write(notation_text& to) const { to.add(spec->name); }
void filter_node::write(notation_text& to) const { to.add(to_string(*spec)); }
void bypass_node::write(notation_text& to) const { to.add("[]"); }

void serial_node::write(notation_text& to) const { write_row(*this, to, " .. "); }

void choice_node::write_joined(notation_text& to, std::string_view separator) const { write_row(*this, to, separator); }

void star_node::write(notation_text& to) const {
  to.add(body, binding::closed);
  to.add("*" + to_string(exits));
}

std::string split_node::of() const { return weir::to_string(*by) + (last ? " until " + to_string(*last) : ""); }

void split_node::write(notation_text& to) const {
  to.add(body, binding::closed);
  to.add("!" + of());
}

void feedback_node::write(notation_text& to) const {
  to.add(body, binding::closed);
  to.add("\\" + to_string(back));
}

void sync_node::write(notation_text& to) const { to.add(notation_of_cell(patterns)); }

void ordered_node::write(notation_text& to) const {
  if (const auto* choice = as<choice_node>(inner)) {
    choice->write_joined(to, " || ");
  } else if (const auto* star = as<star_node>(inner)) {
    to.add(star->body, binding::closed);
    to.add("**" + to_string(star->exits));
  } else if (const auto* split = as<split_node>(inner)) {
    to.add(split->body, binding::closed);
    to.add("!!" + split->of());
  } else if (const auto* placed = as<placed_node>(inner); placed && placed->by) {
    placed->write_with(to, "!!@");
  } else {
    to.add("ordered(");
    inner.root()->write(to);
    to.add(")");
  }
}

void named_node::write(notation_text& to) const { to.add(to.name_of(*this, given)); }

void placed_node::write_with(notation_text& to, std::string_view by_tag) const {
  const auto* const split = by ? as<split_node>(inner) : nullptr;
  to.add(split && !split->last ? split->body : inner, binding::closed);
  to.add(by ? std::string(by_tag) + weir::to_string(*by) : "@" + std::to_string(node_number));
}

namespace {

std::string written(const std::vector<const label_info*>& labels) {
  std::string text;
  for (const label_info* l : labels) text += (text.empty() ? "" : ", ") + weir::to_string(*l);
  return "(" + text + ")";
}

std::string definition_of(const box_spec& box) {
  std::string text = "box " + box.name + "(" + (box.initialiser ? "" : written(box.takes) + " ") + "->";
  for (const auto& v : box.variants) text += (&v == &box.variants.front() ? " " : " | ") + written(v);
  return text + ");\n";
}

std::string written(const signature& s) {
  std::string text;
  for (const signature::rule& r : s.rules) {
    text += (text.empty() ? "" : ", ") + (r.at_start ? "" : to_string(r.in) + " ") + "->";
    for (const signature::outcome& o : r.out) text += (&o == &r.out.front() ? " " : " | ") + to_string(o.produced);
  }
  return " (" + text + ")";
}

// The groups and boxes of a network, each once, parts before the groups that contain them.
std::vector<const node*> parts_of(const network& net) {
  std::vector<const node*> found;
  std::unordered_set<const node*> seen;
  std::vector<std::pair<network, bool>> open{{net, false}};  // true: its parts are done
  while (!open.empty()) {
    const auto [next, is_done] = std::move(open.back());
    open.pop_back();
    const node* const at = next.root().get();
    const bool is_listed = as<named_node>(next) || as<box_node>(next);
    if (is_done || (is_listed && at->nested == 0)) {
      if (is_done || seen.insert(at).second) found.push_back(at);
      continue;
    }
    if (!seen.insert(at).second) continue;
    if (is_listed) open.emplace_back(next, true);
    const auto* const row = as<row_node>(next);
    const std::vector<network> parts = row ? row->parts : next.root()->children();
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) open.emplace_back(*part, false);
  }
  return found;
}

// The definitions of a network that has groups, and then the network.
std::string with_definitions(const network& net, const std::vector<const node*>& parts) {
  std::unordered_set<std::string> taken;
  std::string text;
  for (const node* part : parts)
    if (const auto* box = dynamic_cast<const box_node*>(part); box && taken.insert(box->spec->name).second)
      text += definition_of(*box->spec);
  notation_text::group_names names;
  for (const node* part : parts) {
    const auto* const group = dynamic_cast<const named_node*>(part);
    if (!group) continue;
    std::string name = group->given;
    for (int i = 2; !taken.insert(name).second; ++i) name = group->given + "_" + std::to_string(i);
    notation_text inside(std::numeric_limits<std::size_t>::max(), &names);
    group->inner.root()->write(inside);
    text += "net " + name + (group->is_declared ? written(group->type) : "") + " connect " + std::move(inside).take() +
            ";\n";
    names.emplace(part, name);
  }
  notation_text top(std::numeric_limits<std::size_t>::max(), &names);
  net.root()->write(top);
  return text + std::move(top).take() + "\n";
}

}  // namespace
}  // namespace detail

std::string to_string(const network& n) {
  const std::vector<const detail::node*> parts = detail::parts_of(n);
  const bool has_groups = std::any_of(parts.begin(), parts.end(), [](const detail::node* part) {
    return dynamic_cast<const detail::named_node*>(part) != nullptr;
  });
  return has_groups ? detail::with_definitions(n, parts) : n.root()->notation();
}

}  // namespace weir
