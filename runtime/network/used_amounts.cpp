#include "runtime/network/used_amounts.hpp"

namespace weir::detail {

used_amounts*& used_amounts::of_this_thread() noexcept {
  thread_local used_amounts* now = nullptr;
  return now;
}

}  // namespace weir::detail
