#include "runtime/patterns/pattern_matcher.hpp"

namespace weir::detail {

bool pattern_matcher::matches(const record_body& r) const {
  const plan& p = *plans_.find(r.shape, [&] { return plan_for(*r.shape); });
  if (!p.guard) return p.fits;
  try {
    return (*p.guard)(reinterpret_cast<const std::int64_t*>(r.slots())) != 0;
  } catch (division_by_zero& e) {
    e.guarded = &pattern_;
    throw;
  }
}

std::unique_ptr<pattern_matcher::plan> pattern_matcher::plan_for(const shape& s) const {
  auto made = std::make_unique<plan>();
  made->fits = fits(s);
  if (made->fits && pattern_.guard()) made->guard = compile(*pattern_.guard(), s.labels());
  return made;
}

}  // namespace weir::detail
