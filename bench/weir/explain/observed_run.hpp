#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::program {

// The part of an invocation that an explanation needs. It is small because files have millions of them.
struct invocation {
  double x = 1;
  double seconds = 0;
  double start = 0;  // seconds into the run
  std::uint32_t component = 0;
  std::uint32_t position = 0;  // in the file, from 1: among its rows, or a trace's invocations
  std::uint32_t queue = 0;
  int cores = 1;
  int width = 1;
  int first_core = -1;  // -1: not known
  bool after_move = false;

  int last_core() const { return first_core + (cores - 1); }
};

// A run's invocations, in the order of its file, and which values the file has.
struct observed_run {
  std::vector<std::string> components;
  std::vector<invocation> rows;
  bool is_trace = false;
  bool has_start = false, has_core_set = false;

  // The missing information, one sentence each.
  std::vector<std::string> notes() const;
};

}  // namespace weir::program
