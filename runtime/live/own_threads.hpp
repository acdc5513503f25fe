#pragma once

namespace weir::detail {

// Gives the calling thread, which has just started, a name, and the cores of the process: it was perhaps started by a
// thread that is bound to those of a box.
void begin_live_thread() noexcept;

}  // namespace weir::detail
