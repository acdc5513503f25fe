#pragma once

#include <exception>
#include <string>

namespace weir::detail {

// An exception of the user's code in words: its what() in quotation marks, or a phrase if what() returns null.
std::string quoted(const std::exception& thrown);

// The same without the quotation marks: for an exception whose text may be weir's own sentence. A std::bad_alloc is
// "out of memory". Both are cut
// (cut_text.hpp).
std::string said_by(const std::exception& thrown);

// To be called in each `catch (...)` that ends without rethrowing. True when the user's code called pthread_exit, or
// its thread was cancelled. The C library then unwinds the stack, and ends the process with a message unless the
// handler rethrows. This call stops that, and the thread goes on. A handler may call it again, also by thrown_by().
bool stop_forced_unwind() noexcept;

// To be called in a `catch (...)`. Names the caught exception: `the box threw "no such file"`, with `who` for "the
// box". For other types than std::exception it gives the type, and the value if that is text or an int or long. Throws
// std::bad_alloc.
[[gnu::visibility("default")]] std::string thrown_by(const std::string& who);

// The end of the sentence that says why a record failed, after the name of the box or observer.
inline constexpr const char* left_thread =
    " called pthread_exit, or was cancelled; the thread is the run's, and goes on";

}  // namespace weir::detail
