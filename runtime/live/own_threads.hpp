#pragma once

namespace weir::detail {

// Gives the calling thread, which has just started, a name and the cores of the process. The thread that started it may
// be bound to the cores of a box.
void begin_live_thread() noexcept;

}  // namespace weir::detail
