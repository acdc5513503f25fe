#include "runtime/entities/filter_entity.hpp"

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {
namespace {

bool gives_one(const filter_spec& spec) {
  for (const filter_clause& c : spec.clauses)
    if (c.outputs.size() != 1) return false;
  return !spec.clauses.empty();
}

std::string guards(const filter_spec& spec) {
  std::string text;
  for (const filter_clause& c : spec.clauses) text += (text.empty() ? "<" : ", <") + to_string(*c.guard) + ">";
  return text;
}

}  // namespace

filter_entity::filter_entity(run_environment& run, std::string path, std::shared_ptr<const filter_spec> spec)
    : entity(run, std::move(path)), spec_(std::move(spec)), program_(spec_), gives_one_(gives_one(*spec_)) {}

entity* filter_entity::step(record_body*& r, context& c) {
  std::vector<record_body*> others;
  switch (program_.run(r, others)) {
    case filter_outcome::done:
      break;
    case filter_outcome::no_match:
      fail(failure_kind::no_match, r, program_.mismatch(*r->shape));
      return nullptr;
    case filter_outcome::no_guard_true:
      fail(failure_kind::no_guard_true, r, "none of its guards is true: " + guards(*spec_));
      return nullptr;
    case filter_outcome::division_by_zero:
      fail(failure_kind::division_by_zero, r, program_.dividing(*r));
      return nullptr;
  }
  if (!gives_one_) {
    taken_.fetch_add(1, std::memory_order_relaxed);
    given_.fetch_add(others.size() + (r ? 1 : 0), std::memory_order_relaxed);
  }
  for (record_body* other : others) c.send_on(next, other);
  return r ? next : nullptr;
}

entity* filter_entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  if (!gives_one_) return entity::step_all(batch, c);
  std::size_t left = 0;
  for (record_body* r : batch)
    if (step_or_fail(r, c)) batch[left++] = r;
  batch = batch.first(left);
  return next;
}

std::uint64_t filter_entity::sent_to(const entity& to, std::uint64_t arrived) const {
  return gives_one_ ? entity::sent_to(to, arrived) : given_.load(std::memory_order_relaxed);
}

flow_count filter_entity::passed_to(const entity&) const {
  return {given_.load(std::memory_order_relaxed), taken_.load(std::memory_order_relaxed)};
}

}  // namespace weir::detail
