#pragma once

#include <exception>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// Stands for the end of a thread in the user's code, where an exception is kept beyond its handler.
struct thread_left {};

// To be called in a `catch (...)`. The caught exception; a thread_left where the C library unwinds the stack, as after
// pthread_exit: the thread then goes on. Never null.
std::exception_ptr kept_exception() noexcept;

}  // namespace detail
}  // namespace weir
