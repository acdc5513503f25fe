#include "runtime/entities/box_plan.hpp"

#include <algorithm>
#include <utility>

#include <weir/network/signature.hpp>
#include <weir/patterns/pattern.hpp>
#include "runtime/record/words.hpp"

namespace weir::detail {
namespace {

bool takes_key(const box_spec& spec, std::uint64_t key) {
  for (const label_info* l : spec.takes)
    if (l->key == key) return true;
  return false;
}

bool is_boxed(const label_info& l) { return l.type && !l.type->inlined; }

box_plan::variant plan_variant(const box_spec& spec, const shape& in, const std::vector<const label_info*>& given) {
  boost::container::small_vector<const label_info*, max_given> out(given.begin(), given.end());
  boost::container::small_vector<int, max_given> rides;
  box_plan::variant v{};
  for (int i = 0; i < in.size(); ++i) {
    const bool produced =
        std::any_of(given.begin(), given.end(), [&](const label_info* g) { return g->key == in[i].key; });
    if (!produced && !takes_key(spec, in[i].key) && in[i].kind != label_kind::binding_tag && !spec.is_fold()) {
      rides.push_back(i);
      out.push_back(&in[i]);
    } else if (is_boxed(in[i])) {
      v.consumed.push_back(static_cast<std::uint16_t>(i));
    }
  }
  // Most boxes give what they took: then no shape has to be looked up.
  const bool is_same = out.size() == static_cast<std::size_t>(in.size()) &&
                       std::all_of(given.begin(), given.end(), [&](const label_info* g) {
                         const int at = in.find(g->key);
                         return at >= 0 && &in[at] == g;
                       });
  v.out = is_same ? &in : shape::of({out.data(), out.size()});
  const auto slot = [&](const label_info& l) { return static_cast<std::uint16_t>(v.out->find(l.key)); };
  for (const label_info* g : given) v.labels.push_back({g->key, g->type, slot(*g)});
  for (const int i : rides) v.inherit.emplace_back(static_cast<std::uint16_t>(i), slot(in[i]));
  v.in_place = v.out == &in;
  if (v.in_place && v.consumed.empty() && v.labels.size() == 1) v.only_slot = v.labels[0].slot;
  return v;
}

}  // namespace

std::unique_ptr<box_plan> make_plan(const box_spec& spec, const shape& s) {
  if (!mismatch(spec.takes, s).empty()) return nullptr;
  auto made = std::make_unique<box_plan>();
  for (const label_info* l : spec.takes) made->take.push_back(record_body::offset_of(s.find(l->key)));
  for (const auto& given : spec.variants) made->variants.push_back(plan_variant(spec, s, given));
  return made;
}

std::shared_ptr<const box_plan> recent_plans::find(const box_spec& spec, const shape& s) {
  const lock_guard lock(mutex_);
  for (const made& m : kept_)
    if (m.of == &s && m.is_fold == spec.is_fold() && m.takes == spec.takes && m.variants == spec.variants)
      return m.plan;
  std::shared_ptr<const box_plan> plan = make_plan(spec, s);
  if (plan) {
    made m{&s, spec.is_fold(), spec.takes, spec.variants, plan};
    kept_[std::exchange(next_, (next_ + 1) % kept_.size())] = std::move(m);
  }
  return plan;
}

std::unique_ptr<box_plan> plan_without_input(const box_spec& spec) {
  auto made = std::make_unique<box_plan>();
  for (const auto& given : spec.variants) made->variants.push_back(plan_variant(spec, *shape::empty(), given));
  return made;
}

record_body* rebuilt(record_body* input, const box_plan::variant& v, const slot_word* given) {
  const shape& in = *input->shape;
  record_body* out = input;
  try {
    if (!v.in_place) out = make_body(v.out);
  } catch (...) {
    for (std::size_t i = 0; i < v.labels.size(); ++i)
      if (const value_type* type = v.labels[i].type; type && !type->inlined) let_go(given[i], *type);
    throw;
  }
  for (const std::uint16_t slot : v.consumed) let_go(input->slots()[slot], *in[slot].type);
  if (!v.in_place)
    for (const auto& [from, to] : v.inherit) out->slots()[to] = input->slots()[from];
  for (std::size_t i = 0; i < v.labels.size(); ++i) out->slots()[v.labels[i].slot] = given[i];
  if (v.in_place) return input;
  move_context(*input, *out);
  free_body(input);
  return out;
}

std::string undeclared(const box_spec& spec, const labelled_word* words, std::size_t count) {
  std::string labels, types;
  for (std::size_t w = 0; w < count; ++w) {
    const label_info& emitted = *words[w].info();
    labels += (labels.empty() ? "" : ", ") + weir::to_string(emitted);
    for (const auto& variant : spec.variants)
      for (const label_info* l : variant)
        if (types.empty() && l->key == emitted.key && l != &emitted)
          types =
              "field '" + emitted.name + "' as " + a_type(*emitted.type) + ", which is declared as " + a_type(*l->type);
  }
  if (!types.empty()) return "emitted {" + labels + "}, with " + types;
  return "emitted {" + labels + "}, which is none of the declared outputs: " + weir::to_string(spec.signature());
}

}  // namespace weir::detail
