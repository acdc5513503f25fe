#pragma once

#include <vector>

#include "bench/measurements/overhead/rounds.hpp"

namespace weir::overhead {

// Throws std::runtime_error, in one line, if valgrind is not installed.
void require_valgrind();

// Counts the instructions per record in weir's pipes with 64 in flight, and in one thread with and without watched
// streams, and puts them into their rows. This program runs the row alone under callgrind, with a number of records and
// with three times as many; the result is the difference. Valgrind runs one thread at a time, so a thread that spins
// while it waits for another adds instructions. Returns the cost of a box: the difference between 64 and 16 boxes, NaN
// if either is missing. Throws std::runtime_error if a run fails.
double count_instructions(std::vector<measured>& all);

}  // namespace weir::overhead
