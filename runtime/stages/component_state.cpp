#include "runtime/stages/component_state.hpp"

#include "runtime/machine/process_threads.hpp"
#include "runtime/patterns/pattern.hpp"

namespace weir::detail {

std::string component_state::thread_name() const {
  return (std::to_string(run) + "." + std::to_string(index) + ":" + spec->name).substr(0, longest_thread_name);
}

std::string component_state::mismatch(const shape& s) const { return detail::mismatch(spec->takes, s); }

}  // namespace weir::detail
