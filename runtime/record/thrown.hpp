#pragma once

#include <exception>
#include <string>

namespace weir::detail {

// What code of the user's threw, for reading: `"no such file"` by what(), or words where that is null.
std::string quoted(const std::exception& thrown);

// For a handler that catches everything, where no C++ exception was thrown (std::current_exception() is null): true
// when the code called pthread_exit, or its thread was cancelled. The C library unwinds the stack then, and would end
// the process with a message as the handler ends. It no longer will: the thread goes on.
bool keeps_thread() noexcept;

// In a handler that catches everything: `the box threw "no such file"`, with `who` for "the box"; of what is no
// std::exception its type, and its value where that is text or a number. Throws std::bad_alloc.
std::string thrown_by(const std::string& who);

// Why a record fails whose box or observer called pthread_exit.
inline constexpr const char* left_thread =
    " called pthread_exit, or was cancelled; the thread is the run's, and goes on";

}  // namespace weir::detail
