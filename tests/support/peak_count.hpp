#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace weir::testing {

// Raises `most` to `value` if it is less. Thread-safe.
template <class T>
void raise_to(std::atomic<T>& most, std::type_identity_t<T> value) {
  for (T seen = most; seen < value && !most.compare_exchange_weak(seen, value);) {
  }
}

// The number or weight inside, and its maximum so far. Thread-safe, but for reset().
class peak_count {
 public:
  // Is inside while it exists.
  struct visit {
    explicit visit(peak_count& c) : count(c) { count.enter(); }
    ~visit() { count.leave(); }
    peak_count& count;
  };

  void enter(std::int64_t weight = 1) { raise_to(peak_, now_ += weight); }
  void leave(std::int64_t weight = 1) { now_ -= weight; }
  void reset() { now_ = peak_ = 0; }
  std::int64_t now() const { return now_; }
  std::int64_t peak() const { return peak_; }

 private:
  std::atomic<std::int64_t> now_{0}, peak_{0};
};

}  // namespace weir::testing
