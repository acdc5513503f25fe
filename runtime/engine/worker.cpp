#include "runtime/engine/worker.hpp"

#include "runtime/engine/group.hpp"

namespace weir::detail {

void worker::wake_for_delegated() noexcept { in_group->wake_for_delegated(*this); }

}  // namespace weir::detail
