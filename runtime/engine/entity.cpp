#include "runtime/engine/entity.hpp"

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

entity* entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  for (record_body* const r : batch) c.drive(this, r);
  return nullptr;
}

std::uint64_t entity::sent_to(const entity&, std::uint64_t arrived) const {
  const std::uint64_t ended = failed.load(std::memory_order_relaxed) + (own_region ? own_region->in().in_stream() : 0);
  return arrived > ended ? arrived - ended : 0;
}

void entity::fail(failure_kind kind, record_body* r, std::string_view cause) noexcept {
  failed.fetch_add(1, std::memory_order_relaxed);
  run_.record_failed(kind, *this, r, cause);
}

void entity::lacks_memory(record_body* r) noexcept {
  fail(failure_kind::out_of_memory, r, "there was no memory for what is to be done with it here");
}

}  // namespace weir::detail
