// Without a library: a loop, and threads that each take a block through all stages. Two tickets keep the order of the
// two stages that need it.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "bench/field/dedup/ways.hpp"

namespace weir::field_bench::dedup {
namespace {

// Lets blocks through one at a time, in their order.
class turnstile {
 public:
  template <class Work>
  void pass(std::size_t index, Work work) {
    std::unique_lock lock(mutex_);
    is_next_.wait(lock, [&] { return next_ == index; });
    work();
    ++next_;
    is_next_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_next_;
  std::size_t next_ = 0;
};

}  // namespace

bytes by_loop(const bytes& input, const job& what) {
  bytes archive;
  seen_before seen;
  for (std::size_t i = 0; i < block_count(input, what); ++i) {
    const held_block b = nth_block(input, what, i);
    cut(*b, what);
    hash(*b, what);
    seen.mark(*b, what);
    compress(*b);
    append(archive, *b, what);
  }
  return archive;
}

bytes by_threads(const bytes& input, const job& what, int threads) {
  bytes archive;
  seen_before seen;
  turnstile marking, writing;
  std::mutex taking;
  std::size_t next = 0;
  const std::size_t count = block_count(input, what);
  const auto work = [&] {
    while (true) {
      std::unique_lock lock(taking);
      if (next == count) return;
      const std::size_t i = next++;
      lock.unlock();
      const held_block b = nth_block(input, what, i);
      cut(*b, what);
      hash(*b, what);
      marking.pass(i, [&] { seen.mark(*b, what); });
      compress(*b);
      writing.pass(i, [&] { append(archive, *b, what); });
    }
  };
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back(work);
  }
  return archive;
}

}  // namespace weir::field_bench::dedup
