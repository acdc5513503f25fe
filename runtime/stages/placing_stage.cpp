#include "runtime/stages/placing_stage.hpp"

#include "runtime/remote/cut_plan.hpp"

namespace weir::detail {

stage* placing_stage::step(record_body*& r, context&) {
  const int slot = r->shape->find(by_->key);
  const bool is_here = slot >= 0 && remote::rank_of(static_cast<std::int64_t>(r->slots()[slot]), ranks_) == rank_;
  (is_here ? stayed_ : went_).fetch_add(1, std::memory_order_relaxed);
  return is_here ? &here_ : &elsewhere_;
}

std::uint64_t placing_stage::sent_to(const stage& to, std::uint64_t) const {
  return (&to == &here_ ? stayed_ : went_).load(std::memory_order_relaxed);
}

flow_count placing_stage::passed_to(const stage& to) const {
  const std::uint64_t stayed = stayed_.load(std::memory_order_relaxed), went = went_.load(std::memory_order_relaxed);
  return {&to == &here_ ? stayed : went, stayed + went, 0.5};
}

}  // namespace weir::detail
