#include <weir/machine/machine.hpp>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"

namespace weir {

void detail::end_threads_at_rest() noexcept {
  machine::local().state()->end_controller();
  kept_threads::end_idle();
}

machine machine::local() {
  // Never destroyed: oneTBB, whose arenas it keeps, may be gone before static destructors run.
  static const auto* const it = new machine(std::make_shared<detail::machine_state>(detail::local_platform()));
  return *it;
}

machine machine::synthetic(const std::string& text) {
  return machine{std::make_shared<detail::machine_state>(detail::synthetic_platform(text))};
}

bool machine::is_in_use() const { return state_->is_in_use(); }
int machine::size() const { return state_->permitted().size(); }
std::string machine::summary() const { return state_->cores()->summary(state_->permitted()); }

}  // namespace weir
