#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::detail {

// Tells threads apart for ever. A std::thread::id does not: the system gives it to another thread once its own has
// ended.
struct thread_identity {
  // The calling thread's number, from 1; never used twice.
  static std::uint64_t mine() noexcept { return known ? known : number(); }

  // Expired when the calling thread has ended. Throws std::bad_alloc, at a thread's first call only.
  static std::weak_ptr<const void> life();

  // mine() once this thread has called it, else 0. Cheaper to read.
  static inline constinit thread_local std::uint64_t known = 0;

 private:
  static std::uint64_t number() noexcept;
};

// A set of threads. Ended threads are dropped before it grows. Not thread-safe.
class thread_list {
 public:
  bool contains(std::uint64_t number) const {
    return std::any_of(threads_.begin(), threads_.end(), [&](const auto& t) { return t.number == number; });
  }
  // Adds the calling thread.
  void add_this() {
    if (contains(thread_identity::mine())) return;
    if (threads_.size() == threads_.capacity()) std::erase_if(threads_, [](const auto& t) { return t.life.expired(); });
    threads_.push_back({thread_identity::mine(), thread_identity::life()});
  }
  std::size_t size() const { return threads_.size(); }

 private:
  struct one {
    std::uint64_t number;
    std::weak_ptr<const void> life;
  };
  std::vector<one> threads_;
};

}  // namespace weir::detail
