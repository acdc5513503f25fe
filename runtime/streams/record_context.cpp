#include "runtime/streams/record_context.hpp"

#include <utility>

#include <weir/record/record.hpp>
#include "runtime/streams/order.hpp"
#include "runtime/streams/scope.hpp"

namespace weir::detail {

void count_records_in_context() noexcept {
  static constexpr context_functions by_scope_and_order = {[](const record_body& from, record_body& to) noexcept {
                                                             if ((to.where = from.where)) to.where->hold_with_outer();
                                                             if ((to.order = from.order)) to.order->hold();
                                                           },
                                                           [](record_body& body) noexcept {
                                                             // The record may end with its scope.
                                                             scope* const where = std::exchange(body.where, nullptr);
                                                             order_slot* const order =
                                                                 std::exchange(body.order, nullptr);
                                                             if (where) where->let_go_with_outer();
                                                             if (order) order->let_go();
                                                           }};
  set_context_functions(by_scope_and_order);
}

}  // namespace weir::detail
