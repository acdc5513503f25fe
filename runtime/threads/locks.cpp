#include "runtime/threads/locks.hpp"

#ifndef NDEBUG
#include <array>
#include <cstdio>
#include <cstdlib>

namespace weir::detail {

namespace {

constexpr std::array lock_names{
#define WEIR_LOCK_NAME(name, previous) #name,
    WEIR_LOCKS(WEIR_LOCK_NAME)
#undef WEIR_LOCK_NAME
};

// How many locks of each place the thread holds, usually at most one. A plain array, so that a thread's start neither
// allocates nor runs a constructor.
thread_local std::array<unsigned char, lock_names.size()> held_here{};

[[noreturn]] void forbidden(const char* what, std::size_t held) {
  std::fprintf(stderr, "weir: %s while the lock '%s' is held (runtime/threads/locks.hpp)\n", what, lock_names[held]);
  std::abort();
}

void check_none_from(std::size_t place, const char* what) {
  for (std::size_t held = place; held < lock_names.size(); ++held)
    if (held_here[held]) forbidden(what, held);
}

}  // namespace

void check_lock_order(lock_place place) {
  check_none_from(static_cast<std::size_t>(place), lock_names[static_cast<std::size_t>(place)]);
}
void note_taken(lock_place place) { ++held_here[static_cast<std::size_t>(place)]; }
void note_released(lock_place place) { --held_here[static_cast<std::size_t>(place)]; }
void check_no_locks(const char* what) { check_none_from(0, what); }

}  // namespace weir::detail
#endif
