#pragma once

#include <string_view>
#include <utility>

#include <weir/scheduler/view/held_function.hpp>
#include "runtime/threads/concurrency_limit.hpp"

namespace weir {

class record;  // <weir/record/record.hpp>

namespace detail {

// The function that observe() was given. One object serves all places that the network unfolds to, in all of its runs.
// Thread-safe.
class observer {
 public:
  using function = held_function<void(const record&, std::string_view path)>;
  explicit observer(function see) : see_(std::move(see)) {}

  // Calls the function, one call at a time. A thread that waits for another's call gives its cores back meanwhile. A
  // call by the function's own thread from within the function nests. Throws what the function throws. False:
  // `cancelled` was set before the call could begin. The thread that sets it calls wake() afterwards.
  bool see(const record& r, std::string_view path, const threads::atomic<bool>& cancelled);
  void wake() { one_at_a_time_.wake(); }

 private:
  concurrency_limit one_at_a_time_{1};
  const function see_;
};

}  // namespace detail
}  // namespace weir
