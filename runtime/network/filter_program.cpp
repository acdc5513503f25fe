#include "runtime/network/filter_program.hpp"

#include <algorithm>
#include <array>

#include <weir/patterns/pattern.hpp>

namespace weir::detail {
namespace {

using slot = std::uint16_t;

slot slot_of(const shape& s, const label_info& label) { return static_cast<slot>(s.find(label.key)); }

const std::int64_t* tags_of(const record_body& r) { return reinterpret_cast<const std::int64_t*>(r.slots()); }

// The label of an item in the output, with the type that the value has in the record.
const label_info* as_carried(const filter_item& item, const shape& in) {
  if (!item.from || item.label->type != type_of<opaque>()) return item.label;
  return intern(item.label->name.c_str(), {label_kind::field, in[in.find(item.from->key)].type});
}

struct free_memory {
  void operator()(record_body* body) const noexcept { free_body(body); }
};

}  // namespace

filter_program::filter_program(std::shared_ptr<const filter_spec> spec) : spec_(std::move(spec)) {}

std::string filter_program::mismatch(const shape& s) const { return detail::mismatch(spec_->takes, s); }

std::unique_ptr<filter_program::plan> filter_program::plan_for(const shape& in) const {
  if (!mismatch(in).empty()) return nullptr;
  auto made = std::make_unique<plan>();
  for (const filter_clause& clause : spec_->clauses) {
    clause_plan& c = made->clauses.emplace_back();
    if (clause.guard) c.guard = compile(*clause.guard, in.labels());
    for (const filter_output& output : clause.outputs) c.outputs.push_back(plan_output(output, in));
  }
  if (made->clauses.empty()) made->clauses.emplace_back();
  return made;
}

filter_program::output_plan filter_program::plan_output(const filter_output& output, const shape& in) const {
  std::vector<const label_info*> labels;
  for (const filter_item& item : output.items) labels.push_back(as_carried(item, in));
  const auto has_key = [](const std::vector<const label_info*>& some, std::uint64_t key) {
    return std::any_of(some.begin(), some.end(), [&](const label_info* l) { return l->key == key; });
  };
  std::vector<slot> rides;             // of the input
  for (int i = 0; i < in.size(); ++i)  // its binding tags are all in the pattern, as it matches
    if (!has_key(labels, in[i].key) && !has_key(spec_->takes, in[i].key)) rides.push_back(static_cast<slot>(i));
  for (const slot from : rides) labels.push_back(&in[from]);

  output_plan o{shape::of(labels), true, {}, {}, {}, {}};
  for (const filter_item& item : output.items) {
    const slot to = slot_of(*o.out, *item.label);
    if (item.from)
      o.carried.emplace_back(slot_of(in, *item.from), to);
    else
      o.computed.emplace_back(to, compile(item.value ? *item.value : expression(0), in.labels()));
  }
  for (const slot from : rides) o.carried.emplace_back(from, slot_of(*o.out, in[from]));

  std::vector<bool> seen(static_cast<std::size_t>(in.boxed()));
  for (const auto& [from, to] : o.carried) {
    if (from != to) o.in_place = false;
    if (from >= in.boxed()) continue;
    if (seen[from]) o.shared.push_back(to);
    seen[from] = true;
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i]) o.gone.push_back(static_cast<slot>(i));
  // give() computes all values into a buffer before it writes one. Those of a pooled record always fit.
  if (o.out != &in || o.computed.size() > record_body::pooled_slots) o.in_place = false;
  return o;
}

filter_outcome filter_program::run(record_body*& r, std::vector<record_body*>& before) const {
  const plan* const p = plans_.find(r->shape, [&] { return plan_for(*r->shape); });
  if (!p) return filter_outcome::no_match;
  try {
    for (const clause_plan& c : p->clauses) {
      if (c.guard && !(*c.guard)(tags_of(*r))) continue;
      give(c.outputs, r, before);
      return filter_outcome::done;
    }
  } catch (const division_by_zero&) {
    return filter_outcome::division_by_zero;
  }
  return filter_outcome::no_guard_true;
}

std::string filter_program::dividing(const record_body& r) const {
  const auto divides = [&](const expression& e) {
    try {
      compile(e, r.shape->labels())(tags_of(r));
      return false;
    } catch (const division_by_zero&) {
      return true;
    }
  };
  for (const filter_clause& clause : spec_->clauses) {
    if (clause.guard && divides(*clause.guard)) return "the guard <" + to_string(*clause.guard) + "> divides by zero";
    for (const filter_output& output : clause.outputs)
      for (const filter_item& item : output.items)
        if (item.value && divides(*item.value))
          return weir::to_string(*item.label) + " = " + to_string(*item.value) + " divides by zero";
  }
  return "an expression divides by zero";
}

// Does everything that may throw before it changes the input.
void filter_program::give(const std::vector<output_plan>& outputs, record_body*& r, std::vector<record_body*>& before) {
  if (outputs.empty()) return drop_body(std::exchange(r, nullptr));
  const output_plan& last = outputs.back();
  const std::size_t count = outputs.size() - 1, first = before.size();
  std::array<slot_word, record_body::pooled_slots> words;  // computed values of the last output, if in place
  record_body* body = r;                                   // of the last output
  try {
    for (std::size_t i = 0; i < count; ++i) {
      before.push_back(nullptr);
      before.back() = begin(outputs[i], *r);
    }
    if (!last.in_place)
      body = begin(last, *r);
    else
      for (std::size_t i = 0; i < last.computed.size(); ++i)
        words[i] = static_cast<slot_word>(last.computed[i].second(tags_of(*r)));
  } catch (...) {
    for (std::size_t i = first; i < before.size(); ++i)
      if (before[i]) free_body(before[i]);
    before.resize(first);
    throw;
  }
  for (std::size_t i = 0; i < count; ++i) share(outputs[i], *r, *before[first + i]);
  if (last.in_place) {
    for (std::size_t i = 0; i < last.computed.size(); ++i) r->slots()[last.computed[i].first] = words[i];
  } else {
    move(last, *r, *body);
    r = body;
  }
}

// An output record with only the computed tags written.
record_body* filter_program::begin(const output_plan& o, const record_body& input) {
  std::unique_ptr<record_body, free_memory> out(make_body(o.out));
  for (const auto& [to, value] : o.computed) out->slots()[to] = static_cast<slot_word>(value(tags_of(input)));
  return out.release();
}

// Writes the other slots of an output; the input stays.
void filter_program::share(const output_plan& o, const record_body& input, record_body& out) noexcept {
  for (const auto& [from, to] : o.carried) {
    out.slots()[to] = input.slots()[from];
    if (to < o.out->boxed()) hold(out.slots()[to]);
  }
  share_context(input, out);
}

// Writes the other slots of the last output, which takes over the input's values. The input ends.
void filter_program::move(const output_plan& o, record_body& input, record_body& out) noexcept {
  for (const auto& [from, to] : o.carried) out.slots()[to] = input.slots()[from];
  for (const slot to : o.shared) hold(out.slots()[to]);
  for (const slot from : o.gone) let_go(input.slots()[from], *(*input.shape)[from].type);
  move_context(input, out);
  free_body(&input);
}

}  // namespace weir::detail
