#include <weir/run/run_view.hpp>

#include "runtime/machine/float_state.hpp"
#include "runtime/run/run_link.hpp"

namespace weir {

run_report run_view::report() const {
  const detail::standard_floats own;
  return link_->report();
}
bool run_view::is_over() const { return link_->is_over(); }

}  // namespace weir
