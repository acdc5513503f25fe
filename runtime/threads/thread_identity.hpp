#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::detail {

// Tells threads apart for ever. A std::thread::id does not: the system gives it to another thread once its own has
// ended.
struct thread_identity {
  std::uint64_t number;            // from 1; never used twice
  std::weak_ptr<const void> life;  // expired when the thread has ended

  // The calling thread's. Throws std::bad_alloc, at a thread's first call only.
  static const thread_identity& mine();

  // mine().number once this thread has called mine(), else 0. Cheaper to read.
  static inline thread_local std::uint64_t known = 0;
};

// A set of threads. Ended threads are dropped before it grows. Not thread-safe.
class thread_list {
 public:
  bool contains(const thread_identity& who) const {
    return std::any_of(threads_.begin(), threads_.end(), [&](const auto& t) { return t.number == who.number; });
  }
  void add(const thread_identity& who) {
    if (contains(who)) return;
    if (threads_.size() == threads_.capacity()) std::erase_if(threads_, [](const auto& t) { return t.life.expired(); });
    threads_.push_back(who);
  }
  std::size_t size() const { return threads_.size(); }

 private:
  std::vector<thread_identity> threads_;
};

}  // namespace weir::detail
