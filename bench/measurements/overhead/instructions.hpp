#pragma once

#include <vector>

#include "bench/measurements/overhead/rounds.hpp"

namespace weir::overhead {

// Throws std::runtime_error, in one line, when there is no valgrind to count with.
void require_valgrind();

// Counts the instructions that a record costs in weir's pipes with 64 in flight, and in one thread where streams are
// watched and where not, and puts them into their rows: this program runs the row alone under callgrind, with so many
// records and with three times as many; the difference is theirs. Valgrind runs one thread at a time, so a thread that
// spins while it waits for another shows up. Returns what a box costs: the difference between 64 and 16 boxes; NaN when
// one of the two is missing. Throws std::runtime_error when a run fails.
double count_instructions(std::vector<measured>& all);

}  // namespace weir::overhead
