#pragma once

namespace weir::detail {

// From now on records hold their scope and their position: installs the context_functions of runs. May be called any
// number of times; thread-safe.
void count_records_in_context() noexcept;

}  // namespace weir::detail
