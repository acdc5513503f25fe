#include "runtime/stages/component_state.hpp"

#include <algorithm>
#include <utility>

#include "runtime/patterns/pattern.hpp"

namespace weir::detail {
namespace {

bool takes_key(const box_spec& spec, std::uint64_t key) {
  for (const label_info* l : spec.takes)
    if (l->key == key) return true;
  return false;
}

bool is_boxed(const label_info& l) { return l.type && !l.type->inlined; }

box_plan::variant plan_variant(const box_spec& spec, const shape& in, const std::vector<const label_info*>& given) {
  std::vector<const label_info*> out(given);
  std::vector<int> rides;
  box_plan::variant v{};
  for (int i = 0; i < in.size(); ++i) {
    const bool produced =
        std::any_of(given.begin(), given.end(), [&](const label_info* g) { return g->key == in[i].key; });
    if (!produced && !takes_key(spec, in[i].key) && in[i].kind != label_kind::binding_tag) {
      rides.push_back(i);
      out.push_back(&in[i]);
    } else if (is_boxed(in[i])) {
      v.consumed.push_back(static_cast<std::uint16_t>(i));
    }
  }
  v.out = shape::of(out);
  const auto slot = [&](const label_info& l) { return static_cast<std::uint16_t>(v.out->find(l.key)); };
  for (const label_info* g : given) {
    v.labels.push_back({g->key, g->type});
    v.give.push_back(slot(*g));
  }
  for (const int i : rides) v.inherit.emplace_back(static_cast<std::uint16_t>(i), slot(in[i]));
  v.in_place = v.out == &in;
  if (v.in_place && v.consumed.empty() && v.give.size() == 1) v.only_slot = v.give[0];
  return v;
}

}  // namespace

std::string component_state::mismatch(const shape& s) const { return detail::mismatch(spec->takes, s); }

std::unique_ptr<box_plan> component_state::make_plan(const shape& s) const {
  if (!mismatch(s).empty()) return nullptr;
  auto made = std::make_unique<box_plan>();
  for (const label_info* l : spec->takes) made->take.push_back(record_body::offset_of(s.find(l->key)));
  for (const auto& given : spec->variants) made->variants.push_back(plan_variant(*spec, s, given));
  return made;
}

}  // namespace weir::detail
