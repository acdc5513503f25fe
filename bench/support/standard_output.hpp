#pragma once

#include <string_view>

namespace weir::program {

// All writes to standard output go through here, so that no failed write is overlooked. They wait for room, also where
// a parent has set O_NONBLOCK. Text is buffered, on a terminal until its line ends.

// Writes text. Control characters except line ends are escaped, as by printable(). Failures are reported by
// close_standard_output(), so that files written later are not lost as well.
void print(std::string_view text);

// The same, for text to be seen before the command goes on.
void print_now(std::string_view text);

// The same without escaping anything: what a file of the user has.
void print_bytes(std::string_view bytes);

// Writes what the printed text left in the buffer. Thread-safe.
void flush_standard_output();

// Whether any printed text could not be written so far. Thread-safe.
bool has_standard_output_failed();

// Throws std::runtime_error with the reason if any printed text could not be written so far. For a command whose
// results are printed while it runs; close_standard_output() then says nothing more.
void check_standard_output();

// Throws std::runtime_error with the reason if any printed text could not be written.
void close_standard_output();

}  // namespace weir::program
