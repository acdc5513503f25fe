#include "runtime/threads/thread_identity.hpp"

#include "runtime/threads/primitives.hpp"

namespace weir::detail {

const thread_identity& thread_identity::mine() {
  static threads::atomic<std::uint64_t> given_out{0};
  struct living {
    std::shared_ptr<const void> life = std::make_shared<char>();
    thread_identity identity{given_out.fetch_add(1, std::memory_order_relaxed) + 1, life};
  };
  thread_local const living me;
  known = me.identity.number;
  return me.identity;
}

}  // namespace weir::detail
