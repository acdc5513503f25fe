#pragma once

#include <mutex>
#include <string_view>
#include <utility>

#include "model/held_function.hpp"

namespace weir {

class record;  // runtime/record.hpp

namespace detail {

// What observe() was given: one for all places that the network unfolds to, and for all of its runs.
class observer {
 public:
  using function = held_function<void(const record&, std::string_view path)>;
  explicit observer(function see) : see_(std::move(see)) {}

  // One call at a time. Throws what the function throws.
  void see(const record& r, std::string_view path) {
    const std::lock_guard lock(mutex_);
    see_(r, path);
  }

 private:
  std::mutex mutex_;
  const function see_;
};

}  // namespace detail
}  // namespace weir
