#include "runtime/streams/order.hpp"

#include <new>

#include <weir/record/pool.hpp>

namespace weir::detail {

order_slot* order_slot::make(position_listener& listener, order_slot* outer) {
  static_assert(sizeof(order_slot) <= pool::block_size);
  return ::new (pool::allocate()) order_slot(listener, outer);
}

void order_slot::destroy(order_slot* s) noexcept {
  order_slot* const outer = s->outer_;
  s->~order_slot();
  pool::release(s);
  if (outer) outer->let_go();
}

}  // namespace weir::detail
