#pragma once

#include <cstdint>
#include <string>

namespace weir::detail::processes {

// Throws std::system_error that says what could not be done, with which limit stands in the way where one does.
[[noreturn]] void refuse(int reason, std::string what);

// How many bytes a file of this process may have. Refuses more wanted ones by the same words: the system would end the
// process by a signal, SIGXFSZ, also for a file of memory.
std::uint64_t most_bytes_of_file(std::uint64_t wanted, const std::string& what);

}  // namespace weir::detail::processes
