#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/order.hpp"
#include "runtime/streams/run_life.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// Follows some records, to know how long records stay in the network. A stay lasts from the moment when a record is let
// in until everything that it caused has left, was absorbed or has failed. A record that is followed has an order_slot
// around all others; other records cost a comparison. Thread-safe.
class latency_probe final : public position_listener {
 public:
  // asks_for_all: wants() is true of every record.
  explicit latency_probe(const run_life& run, bool asks_for_all = false) : run_(run), asks_for_all_(asks_for_all) {
    if (asks_for_all_) asked_.store(0, std::memory_order_relaxed);
  }

  // Whether something is to be done about the next record after `sent` others: it is to be followed, or all records are
  // asked for. The first ones are followed, so that a short run tells something, too.
  bool wants(std::uint64_t sent) const {
    return sent < first_few || (sent & asked_.load(std::memory_order_relaxed)) == 0;
  }
  bool follows(std::uint64_t sent) const {
    return sent < first_few || (sent & every_.load(std::memory_order_relaxed)) == 0;
  }
  // Takes over the reference to `outer`, the record's place in flight, or null.
  order_slot* follow(order_slot* outer = nullptr);

  // Follows a record that is in no ordered network, if its turn has come. Without memory it is not followed. places:
  // the listener to places in flight.
  void follow_if_wanted(record_body& r, std::uint64_t before, const position_listener& places) noexcept {
    if (follows(before) && (!r.order || &r.order->listener() == &places)) [[unlikely]]
      follow(r);
  }

  // The record was not let in after all, and does not count. The caller still holds the slot.
  static void forget(order_slot& slot);

  // Records arrive at this rate a second: about a thousand of them will be followed.
  void aim(double rate);

  // Records that are followed and not over.
  std::uint64_t inside() const {
    // This is read first, so that the difference is not negative. acquire pairs with is_over().
    const std::uint64_t over = over_.load(std::memory_order_acquire);
    return begun_.load(std::memory_order_relaxed) - over;
  }

  struct summary {
    std::uint64_t followed = 0;  // records followed until they were over
    double mean = 0;             // of all these, seconds; the quantiles are of the last 1024; NaN without any
    // The least latency that no more than a half, or a hundredth, of the records exceed.
    double p50 = 0, p99 = 0;
  };
  summary seen() const;
  // The same with the quantiles of those alone that came after `before` of them, and are among the last 1024.
  summary since(std::uint64_t before) const;

  // The latencies themselves, in seconds, oldest first. It leaves out the first `before` that were ever taken, and of
  // the rest it gives the last `most`.
  struct latencies {
    std::uint64_t followed = 0;  // records followed until they were over
    double mean = 0;             // of all these, seconds; NaN without any
    std::vector<double> seconds;
  };
  latencies last(std::size_t most, std::uint64_t before) const;

 private:
  void is_over(order_slot& slot) noexcept override;
  [[gnu::noinline]] void follow(record_body& r) noexcept;

  const run_life& run_;
  const bool asks_for_all_;
  static constexpr std::uint64_t first_few = 64;
  // Masks: one record in this plus one, a power of two. Relaxed: numbers only. asked_ is 0 where all are asked for.
  threads::atomic<std::uint64_t> every_{first_few - 1}, asked_{first_few - 1};
  threads::atomic<std::uint64_t> begun_{0}, over_{0};  // positions; relaxed but for inside()
  mutable WEIR_LOCK(latency) mutex_;
  std::array<double, 1024> last_{};
  std::uint64_t followed_ WEIR_GUARDED_BY(mutex_) = 0;
  double sum_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::detail
