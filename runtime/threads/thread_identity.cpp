#include "runtime/threads/thread_identity.hpp"

#include <weir/threads/primitives.hpp>
#include "runtime/threads/thread_memory.hpp"

namespace weir::detail {

std::uint64_t thread_identity::number() noexcept {
  static constinit threads::atomic<std::uint64_t> given_out{0};
  return known = given_out.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::weak_ptr<const void> thread_identity::life() {
  struct living {
    std::shared_ptr<const void> held = std::make_shared<char>();
  };
  const living* const here = thread_memory<living>::here();
  return here ? here->held : nullptr;
}

}  // namespace weir::detail
