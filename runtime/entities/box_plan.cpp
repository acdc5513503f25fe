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
      const auto again =
          std::find_if(given.begin(), given.end(), [&](const label_info* g) { return g->key == in[i].key; });
      v.consumed.push_back({static_cast<std::uint16_t>(i),
                            static_cast<std::int16_t>(again == given.end() ? -1 : again - given.begin())});
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
  for (const label_info* g : given) v.labels.push_back({g->key, g->type, slot(*g), is_boxed(*g)});
  for (const int i : rides) v.inherit.emplace_back(static_cast<std::uint16_t>(i), slot(in[i]));
  v.in_place = v.out == &in;
  v.keeps_body = in.size() <= record_body::pooled_slots && v.out->size() <= record_body::pooled_slots;
  if (v.in_place && v.consumed.empty() && v.labels.size() == 1) v.only_slot = v.labels[0].slot;
  return v;
}

}  // namespace

std::unique_ptr<box_plan> make_plan(const box_spec& spec, const shape& s) {
  if (!mismatch(spec.takes, s).empty()) return nullptr;
  auto made = std::make_unique<box_plan>();
  for (const label_info* l : spec.takes) made->take.push_back(record_body::offset_of(s.find(l->key)));
  for (const auto& given : spec.variants) made->variants.push_back(plan_variant(spec, s, given));
  const bool may_stay = made->variants.size() == 1 && made->variants[0].in_place && spec.variants[0] == spec.takes;
  made->take.push_back(may_stay ? 1 : 0);
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

namespace {

// Lets go of an input value; `given` is the one of the same label, which may have taken over its memory.
void let_go_consumed(slot_word word, slot_word given, const value_type& type) noexcept {
  word == given ? unhold_unshared(word) : let_go(word, type);
}

void let_go_consumed(record_body& input, const box_plan::variant& v, const slot_word* given) noexcept {
  for (const auto& [slot, again] : v.consumed)
    let_go_consumed(input.slots()[slot], again < 0 ? 0 : given[again], *(*input.shape)[slot].type);
}

void write_slots(const record_body& input, slot_word* out, const box_plan::variant& v,
                 const slot_word* given) noexcept {
  for (const auto& [from, to] : v.inherit) out[to] = input.slots()[from];
  for (std::size_t i = 0; i < v.labels.size(); ++i) out[v.labels[i].slot] = given[i];
}

record_body* rebuilt_elsewhere(record_body* input, const box_plan::variant& v, const slot_word* given) {
  record_body* out;
  try {
    out = make_body(v.out);
  } catch (...) {
    for (std::size_t i = 0; i < v.labels.size(); ++i)
      if (v.labels[i].is_boxed) let_go(given[i], *v.labels[i].type);
    throw;
  }
  let_go_consumed(*input, v, given);
  write_slots(*input, out->slots(), v, given);
  move_context(*input, *out);
  free_body(input);
  return out;
}

}  // namespace

record_body* rebuilt(record_body* input, const box_plan::variant& v, const slot_word* given) {
  if (v.in_place) {
    for (const box_plan::variant::given_label& l : v.labels) {
      slot_word& slot = input->slots()[l.slot];
      if (l.is_boxed) let_go_consumed(slot, *given, *l.type);
      slot = *given++;
    }
    return input;
  }
  if (!v.keeps_body) return rebuilt_elsewhere(input, v, given);
  let_go_consumed(*input, v, given);
  std::array<slot_word, record_body::pooled_slots> slots;
  write_slots(*input, slots.data(), v, given);
  input->shape = v.out;
  std::copy_n(slots.begin(), v.out->size(), input->slots());
  return input;
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

void let_go_of_given(const box_spec& spec, const invocation& i) noexcept {
  for (int g = 0; g < i.given_count; ++g) {
    const label_info& l = *spec.variants[0][static_cast<std::size_t>(g)];
    if (l.type && !l.type->inlined) let_go(i.given[g], *l.type);
  }
}

}  // namespace weir::detail
