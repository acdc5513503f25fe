#pragma once

namespace weir::detail::processes {

// Variables that a program sets for its workers.
inline constexpr const char* socket_variable = "WEIR_SOCKET";  // the number of the descriptor to talk over
inline constexpr const char* host_variable = "WEIR_HOST";      // for isolated(): the box that the process is to run

}  // namespace weir::detail::processes
