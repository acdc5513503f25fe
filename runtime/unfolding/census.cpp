#include "runtime/unfolding/census.hpp"

#include <algorithm>

#include <weir/record/errors.hpp>

namespace weir::detail {
namespace {

std::string described(const network& net) { return (as<box_node>(net) ? "box " : "") + net.root()->name(); }

// Without steps that only the run makes: stages of stars and branches of splits.
std::string written(std::string path) {
  for (const char* const step : {":R*", ":I*"})
    for (std::size_t i; (i = path.find(step)) != std::string::npos;) path.erase(i, 3);
  return path;
}

}  // namespace

census::census(std::uint64_t entities, this_rank here) : here_(here) {
  constexpr std::uint64_t most = 1 << 16;  // a network that repeats its parts has fewer components than that
  known_.reserve(std::min(entities, most));
}

void census::walk(const network& net, const std::string& path, surroundings around, bool counts) {
  if (const auto* box = as<box_node>(net)) {
    for (const label_info* l : box->spec->takes) check_field(l, net);
    for (const auto& variant : box->spec->variants)
      for (const label_info* l : variant) check_field(l, net);
    return meet(box->spec, path, around, counts);
  }
  for (const label_info* l : net.root()->labels()) check_field(l, net);
  around.meet(net);
  if (const auto* const by_value = as<split_node>(net); by_value && places_bodies_)
    return walk_placed(*std::exchange(places_bodies_, nullptr), by_value->body, path + ":I*", around, counts);
  if (const auto* const placed = as<placed_node>(net); placed && here_.ranks) {
    if (here_.ranks->plan().find(*placed, path) >= 0) return walk_placed(*placed, placed->inner, path, around, counts);
    if (placed->by && here_.ranks->plan().find(*placed, path + ":I*") >= 0) places_bodies_ = placed;
  }
  const std::vector<network> parts = net.root()->children();
  const bool serial = as<serial_node>(net), choice = as<choice_node>(net);
  const bool star = as<star_node>(net), split = as<split_node>(net);
  int position = 0;
  for (const network& part : parts) {
    ++position;
    walk(part,
         serial   ? path + ":S" + std::to_string(position)
         : choice ? path + ":P" + std::to_string(position)
         : star   ? path + ":R*"
         : split  ? path + ":I*"
                  : path,
         around, counts);
  }
}

component_state& census::of(const box_spec& spec) {
  const std::size_t next = (asked_ > 0 ? asked_ : components.size()) - 1;
  asked_ = components[next]->spec.get() == &spec ? next : known_.at(spec.name).index;
  return *components[asked_];
}

std::vector<std::string> census::elsewhere() const {
  std::vector<std::string> names;
  for (const auto& [name, of] : known_)
    if (of.index == nowhere) names.push_back(name);
  return names;
}

// A part that may be elsewhere.
void census::walk_placed(const placed_node& placed, const network& inner, const std::string& path, surroundings around,
                         bool counts) {
  const remote::cut& c = here_.cut_of(placed, path);
  walk(inner, path, around, (counts && c.is_far(here_.rank())) || here_.hosts(c));
}

void census::meet(const std::shared_ptr<const box_spec>& spec, const std::string& path, const surroundings& around,
                  bool counts) {
  const auto [at, fresh] = known_.try_emplace(spec->name, place{nowhere, path, spec});
  place& of = at->second;
  if (!of.spec->same_box(*spec))
    throw type_error("two different boxes are named '" + spec->name + "', at " + written(of.path) + " and at " +
                     written(path) + "; boxes of one name share one model, so they must be the same box");
  if (spec->first_by && !around.in_split && !around.in_star)
    throw type_error("box " + spec->name + (path.empty() ? "" : " at " + written(path)) + ": priority(<" +
                     spec->first_by->name +
                     ">) in a place where records keep their order, expected one in a split or a star");
  if (!counts) return;
  const bool is_first = of.index == nowhere;
  if (is_first) {
    of.index = components.size();
    components.push_back(
        std::make_unique<component_state>(spec, static_cast<std::uint32_t>(components.size()), plans_));
  }
  component_state& c = *components[of.index];
  c.widest = std::max(c.widest, around.widest(*spec));
  if (is_first) return;
  if (spec->max_width < std::numeric_limits<int>::max()) c.limit_concurrency();
}

void census::check_field(const label_info* l, const network& in) {
  if (l->kind != label_kind::field) return;
  const auto [at, fresh] = fields_.try_emplace(l->key, l, in);
  if (at->second.first->type == type_of<opaque>()) at->second = {l, in};
  if (!agree(at->second.first, l))
    throw type_error("field '" + l->name + "' has two types in one network: " + type_name(*at->second.first->type) +
                     " in " + described(at->second.second) + ", " + type_name(*l->type) + " in " + described(in));
}

}  // namespace weir::detail
