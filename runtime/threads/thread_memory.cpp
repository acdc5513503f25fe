#include "runtime/threads/thread_memory.hpp"

#include <pthread.h>

namespace weir::detail {
namespace {

constinit thread_local thread_end* first = nullptr;
constinit thread_local bool has_ended = false;

// A destructor that runs here may ask for memory of another kind, which ends with the thread or has ended.
void end_thread(void*) noexcept {
  has_ended = true;
  while (first) std::exchange(first, first->next)->run();
}

struct end_report {
  pthread_key_t key{};
  const bool is_had = pthread_key_create(&key, end_thread) == 0;
};

}  // namespace

bool thread_end::add(thread_end& one) noexcept {
  static const end_report ends;
  if (has_ended || !ends.is_had) return false;
  if (!first && pthread_setspecific(ends.key, &one) != 0) return false;
  one.next = std::exchange(first, &one);
  return true;
}

}  // namespace weir::detail
