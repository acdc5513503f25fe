#pragma once

#include <weir/weir.hpp>

namespace weir::testing {

// The box that the program `processes` isolates: main() hosts it.
network box_of_processes();

}  // namespace weir::testing
