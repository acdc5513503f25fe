#include "runtime/network/notation.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/network/nodes.hpp"
#include "runtime/network/notation_text.hpp"

namespace weir::detail {
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

std::string notation_of(const network& net) {
  const std::vector<const node*> parts = parts_of(net);
  const bool has_groups = std::any_of(
      parts.begin(), parts.end(), [](const node* part) { return dynamic_cast<const named_node*>(part) != nullptr; });
  return has_groups ? with_definitions(net, parts) : net.root()->notation();
}

}  // namespace weir::detail
