#include "runtime/observe_stage.hpp"

#include <new>

#include "runtime/record.hpp"
#include "runtime/thrown.hpp"

namespace weir::detail {

stage* observe_stage::step(record_body*& r, context& c) {
  const lent_record it(r);
  const std::string at = path(*r);
  std::string why;
  try {
    c.by.doing.enter(*this);
    by_->see(it.shown, at);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    why = thrown_by("the observer");
  }
  if (why.empty()) return next;
  fail(failure_kind::box_threw, r, why);
  return nullptr;
}

}  // namespace weir::detail
