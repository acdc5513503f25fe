#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::program {

// The part of an observation that a fit needs. It is small because files have millions of them.
struct timed_row {
  double x = 0;
  double seconds = 0;  // by the chosen clock
  int cores = 1;
};

// The rows of one component, in the order of the file, and the number of rows that were left out.
struct component_rows {
  std::string name;
  std::vector<timed_row> rows;
  std::uint64_t after_move = 0;  // rows right after a move, which measure the move

  // If CPU time was asked for: a run reads it only after it knows that a component takes long enough.
  std::uint64_t without_cpu_time = 0;
};

// Reads a file of observations; components are in the order of their first row. With cpu_time, seconds are those of the
// column cpu_seconds. Throws bad_input for a file without rows, for a missing or all-zero cpu_seconds column if it is
// asked for, and whatever observations_reader refuses. `progress`: show a progress bar on a terminal.
std::vector<component_rows> read_rows(const std::string& path, bool cpu_time, bool progress);

// The number of different x, counted up to `most`.
int different_x(const std::vector<timed_row>& rows, int most);

}  // namespace weir::program
