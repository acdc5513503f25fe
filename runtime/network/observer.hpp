#pragma once

#include <string_view>
#include <utility>

#include "runtime/threads/concurrency_limit.hpp"
#include "scheduler/view/held_function.hpp"

namespace weir {

class record;  // runtime/record/record.hpp

namespace detail {

// What observe() was given: one for all places that the network unfolds to, and for all of its runs.
class observer {
 public:
  using function = held_function<void(const record&, std::string_view path)>;
  explicit observer(function see) : see_(std::move(see)) {}

  // One call at a time: a thread that has to wait for another's gives its cores back meanwhile. Calls from within a
  // call, by the same thread, nest. Throws what the function throws. False: it was cancelled before its turn came; who
  // cancels calls wake().
  bool see(const record& r, std::string_view path, const std::atomic<bool>& cancelled);
  void wake() { one_at_a_time_.wake(); }

 private:
  concurrency_limit one_at_a_time_{1};
  const function see_;
};

}  // namespace detail
}  // namespace weir
