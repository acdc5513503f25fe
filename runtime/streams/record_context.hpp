#pragma once

namespace weir::detail {

// From now on records hold the scope and the position that they are in: the context_functions of runs. Any number of
// times; thread-safe.
void count_records_in_context() noexcept;

}  // namespace weir::detail
