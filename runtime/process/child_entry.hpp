#pragma once

#include <sched.h>
#include <sys/types.h>
#include <time.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weir::detail::processes {

// All that the child needs between its clone and its program, while it shares this process's memory and the calling
// thread waits. There it makes system calls only, past the functions that a sanitizer wraps to keep its own books.
struct child_entry {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder;           // null: none
  std::array<int, 3> standard;  // -1: /dev/null
  const std::vector<std::pair<int, int>>& passed;
  int free_number;        // above each number in the child
  const cpu_set_t* cpus;  // null: as they are
  std::size_t cpu_bytes;
  std::uint64_t memory;
  int group;  // the descriptor of a control group's folder; -1: none
  pid_t parent;
  bool stays;
  bool is_in_group = false;

  const char* failed = nullptr;  // what the child could not do
  int reason = 0;
  timespec began{};  // of the program, by CLOCK_MONOTONIC
};

// Starts the child: returns its number and sets `ended` to its pidfd. -1: errno says why not. Returns when its program
// is loaded, or it has ended without.
int clone_child(child_entry& e, int& ended);

// Above all numbers that descriptors get, so that none is overwritten before it is passed.
int moved_up(int from, int free_number);

}  // namespace weir::detail::processes
