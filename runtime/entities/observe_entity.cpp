#include "runtime/entities/observe_entity.hpp"

#include <new>

#include <weir/record/record.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

entity* observe_entity::step(record_body*& r, context& c) {
  const std::string at = path(*r);
  std::string why;
  bool seen = false;
  try {
    const lent_record it(r);
    c.by.doing.enter(*this);
    seen = by_->see(it.shown, at, run_.life.stopping_flag());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    why = thrown_by("the observer");
  }
  if (seen) return next;
  if (why.empty()) {
    run_.errors.drop(1);
    drop_body(r);
    return nullptr;
  }
  fail(failure_kind::box_threw, r, why);
  return nullptr;
}

}  // namespace weir::detail
