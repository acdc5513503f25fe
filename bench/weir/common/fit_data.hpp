#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::command {

// What a fit needs of an observation, and no more: files have millions of them.
struct timed_row {
  double x = 0;
  double seconds = 0;  // by the clock that was asked for
  int cores = 1;
};

// The rows of one component, in the order of the file, and how many were left out.
struct component_rows {
  std::string name;
  std::vector<timed_row> rows;
  std::uint64_t after_move = 0;  // they measure the move

  // Where CPU time was asked for: a run does not read it before it knows that a component takes long enough for it.
  std::uint64_t without_cpu_time = 0;
};

// Reads a file of observations; components in the order in which they first appear. With cpu_time, seconds are those of
// the column cpu_seconds. Throws bad_input for a file without rows, without that column where it is asked for or with 0
// in all of it, and for what observations_reader refuses. `progress`: a bar on a terminal.
std::vector<component_rows> read_rows(const std::string& path, bool cpu_time, bool progress);

// As many different x as there are, counted up to `most`.
int different_x(const std::vector<timed_row>& rows, int most);

}  // namespace weir::command
