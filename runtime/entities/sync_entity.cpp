#include "runtime/entities/sync_entity.hpp"

#include <algorithm>
#include <new>

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

// ---- cell ----

cell::~cell() { drop(); }

std::size_t cell::held() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i] && std::find(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(i), slots[i]) ==
                        slots.begin() + static_cast<std::ptrdiff_t>(i))
      ++count;
  return count;
}

void cell::drop() noexcept {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    record_body* const r = slots[i];
    if (!r) continue;
    std::replace(slots.begin(), slots.end(), r, static_cast<record_body*>(nullptr));
    drop_body(r);
  }
}

// ---- sync_entity ----

sync_entity::sync_entity(run_environment& run, std::string path, std::vector<pattern> patterns, std::size_t state_index)
    : entity(run, std::move(path)), patterns_(std::move(patterns)), state_index_(state_index) {
  for (const pattern& p : patterns_) matchers_.push_back(std::make_unique<pattern_matcher>(p));
}

std::uint32_t sync_entity::mask(const record_body& r) const {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < matchers_.size(); ++i)
    if (matchers_[i]->matches(r)) bits |= 1u << i;
  return bits;
}

std::string sync_entity::why(const division_by_zero& e) const {
  return "the guard of " + to_string(*e.guarded) + " divides by zero, in " + notation_of_cell(patterns_);
}

cell& sync_entity::in(scope& in) const {
  auto& state = in.state(state_index_);
  if (!state) state = std::make_unique<cell>(patterns_.size());
  return static_cast<cell&>(*state);
}

entity* sync_entity::step(record_body*& r, context&) {
  count_alone(taken_);
  cell& here = in(run_.scope_of(*r));
  if (here.spent) {
    count_alone(given_);
    return next;
  }
  std::uint32_t fits = 0;
  try {
    fits = mask(*r);
  } catch (const division_by_zero& e) {
    fail(failure_kind::division_by_zero, r, why(e));
    return nullptr;
  }
  return fill(here, r, fits);
}

entity* sync_entity::step_or_fail_with(record_body*& r, std::uint32_t mask) noexcept try {
  count_alone(taken_);
  cell& here = in(run_.scope_of(*r));
  if (!here.spent) return fill(here, r, mask);
  count_alone(given_);
  return next;
} catch (const std::bad_alloc&) {
  lacks_memory(r);
  return nullptr;
}

entity* sync_entity::fill(cell& here, record_body*& r, std::uint32_t mask) {
  const std::uint32_t fills = mask & ~here.filled;
  if (fills == 0) {
    count_alone(given_);
    return next;
  }
  const std::uint32_t all = patterns_.size() == most_patterns ? ~0u : (1u << patterns_.size()) - 1;
  const bool completes = (here.filled | fills) == all;
  if (!completes && held() >= run_.settings.max_held) {
    fail(failure_kind::too_many_held, r,
         "synchrocells here hold " + std::to_string(held()) + " records, option max_held");
    return nullptr;
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    if (fills & (1u << i)) here.slots[i] = r;
  here.filled |= fills;
  if (!completes) {
    held_.fetch_add(1, std::memory_order_relaxed);
    leave_context(*r);  // its position in ordered networks is given up; its branch may end, and the cell with it
    return nullptr;
  }
  const std::size_t kept = here.held() - 1;
  try {
    r = merged(here, *r);
  } catch (...) {
    std::replace(here.slots.begin(), here.slots.end(), r, static_cast<record_body*>(nullptr));
    here.filled &= ~fills;
    throw;
  }
  held_.fetch_sub(kept, std::memory_order_relaxed);
  here.spent = true;
  count_alone(given_);
  if (chain) chain->spent(*r->where);
  return next;
}

// The whole record of slot 1, and of the other records the labels that their patterns name. It takes the place of the
// record that completed the cell.
record_body* sync_entity::merged(cell& c, record_body& last) {
  const merge& how = merge_for(c);
  record_body* const out = make_body(how.out);
  for (std::size_t i = 0; i < how.from.size(); ++i) {
    const auto [which, slot] = how.from[i];
    out->slots()[i] = c.slots[which]->slots()[slot];
    if (static_cast<int>(i) < how.out->boxed()) weir::detail::hold(out->slots()[i]);
  }
  move_context(last, *out);
  c.drop();
  return out;
}

const sync_entity::merge& sync_entity::merge_for(const cell& c) {
  const auto is_of = [](const record_body* r, const shape* s) { return r->shape == s; };
  for (const auto& known : merges_)
    if (std::equal(c.slots.begin(), c.slots.end(), known->in.begin(), is_of)) return *known;
  std::vector<const shape*> in;
  for (const record_body* r : c.slots) in.push_back(r->shape);
  std::vector<std::pair<const label_info*, std::uint16_t>> labels;  // with the record it comes from
  for (const label_info* l : in[0]->labels()) labels.emplace_back(l, std::uint16_t{0});
  for (std::uint16_t i = 1; i < patterns_.size(); ++i)
    for (const label_info* named : patterns_[i].labels().labels()) {
      const label_info* const l = &(*in[i])[in[i]->find(named->key)];  // with the type that it has in the record
      const auto same = std::find_if(labels.begin(), labels.end(), [&](auto& x) { return x.first->key == l->key; });
      if (same == labels.end())
        labels.emplace_back(l, i);
      else
        *same = {l, i};
    }
  auto made = std::make_unique<merge>();
  made->in = in;
  std::vector<const label_info*> all;
  for (const auto& [l, from] : labels) all.push_back(l);
  made->out = shape::of(all);
  made->from.resize(labels.size());
  for (const auto& [l, from] : labels)
    made->from[static_cast<std::size_t>(made->out->find(l->key))] = {
        from, static_cast<std::uint16_t>(in[from]->find(l->key))};
  merges_.push_back(std::move(made));
  return *merges_.back();
}

flow_count sync_entity::passed_to(const entity&) const {
  return {given_.load(std::memory_order_relaxed), taken_.load(std::memory_order_relaxed)};
}

}  // namespace weir::detail
