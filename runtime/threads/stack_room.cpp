#include "runtime/threads/stack_room.hpp"

#include <pthread.h>

namespace weir::detail {

struct stack_room::bounds {
  std::uintptr_t low = 0;
  std::size_t size = 0;  // 0: not asked for yet
};

namespace {

constexpr std::size_t assumed_size = std::size_t{256} << 10;

std::size_t size_of_new_threads() noexcept {
  pthread_attr_t usual;
  std::size_t size = assumed_size;
  if (pthread_getattr_default_np(&usual) != 0) return size;
  pthread_attr_getstacksize(&usual, &size);
  pthread_attr_destroy(&usual);
  return size;
}

}  // namespace

// Reading them opens a file on the main thread. Plain data, so that a thread that ends may still look.
const stack_room::bounds& stack_room::known() noexcept {
  thread_local constinit bounds mine;
  if (mine.size > 0) return mine;
  pthread_attr_t now;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &now) == 0) {
    if (pthread_attr_getstack(&now, &low, &size) != 0) size = 0;
    pthread_attr_destroy(&now);
  }
  if (size > 0)
    mine = {reinterpret_cast<std::uintptr_t>(low), size};
  else
    mine = {here() - assumed_size, assumed_size};
  return mine;
}

stack_room stack_room::of_this_thread() noexcept {
  const bounds& all = known();
  return {all.low + all.size / 2, all.size - all.size / 2};
}

bool stack_room::suits_boxes() noexcept {
  static const std::size_t enough = size_of_new_threads() / 2;
  const bounds& all = known();
  const std::size_t left = here() - all.low;
  return left < all.size && left >= enough;
}

bool stack_room::has(std::size_t bytes) noexcept { return here() - known().low >= bytes; }

}  // namespace weir::detail
