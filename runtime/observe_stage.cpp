#include "runtime/observe_stage.hpp"

#include <exception>

#include "runtime/record.hpp"

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
  } catch (const std::exception& e) {
    why = std::string("the observer threw \"") + e.what() + "\"";
  } catch (...) {
    why = "the observer threw something that is no std::exception";
  }
  if (why.empty()) return next;
  fail(failure_kind::box_threw, r, why);
  return nullptr;
}

}  // namespace weir::detail
