#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include <weir/threads/primitives.hpp>

namespace weir::detail::remote {

// How much may be on its way over one cut in one direction: sent, and not yet taken up at the other end.
struct window_limits {
  std::size_t records = 512;                  // hides a round trip of 100 us at some million records a second
  std::size_t bytes = std::size_t{32} << 20;  // and at some gigabytes a second, with one record of any size more
  bool reassigns = false;                     // option on_failure
  bool spreads = false;                       // option spread_keys
  int cores = 1;                              // of this rank, which the others hear of
};

inline constexpr std::size_t endless = std::size_t{1} << 60;  // credit of a receiver that is lost

// The sender's credit. Thread-safe. Relaxed: the fences of space_available order what depends on it.
class sending_window {
 public:
  explicit sending_window(const window_limits& l)
      : records_(static_cast<std::int64_t>(l.records)), bytes_(static_cast<std::int64_t>(l.bytes)) {}

  bool has_room() const { return records_.load(std::memory_order_relaxed) > 0 && has_bytes(); }
  // Whether the sender was refused credit, and there is none yet.
  bool holds_up() const { return was_refused_.load(std::memory_order_relaxed) && !has_room(); }
  void refuse() { was_refused_.store(true, std::memory_order_relaxed); }
  bool has_bytes() const { return bytes_.load(std::memory_order_relaxed) > 0; }

  // Takes credit for as many records as there is; none without credit for bytes.
  std::size_t take(std::size_t wanted) {
    std::int64_t left = records_.load(std::memory_order_relaxed);
    while (has_bytes() && left > 0) {
      const std::int64_t some = std::min(left, static_cast<std::int64_t>(wanted));
      if (records_.compare_exchange_weak(left, left - some, std::memory_order_relaxed))
        return static_cast<std::size_t>(some);
    }
    return 0;
  }
  void spend(std::size_t bytes) { bytes_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed); }
  // By the listener's thread.
  void returned(std::size_t records, std::size_t bytes) {
    all_records_ += records;
    all_bytes_ += bytes;
    give_back(records, bytes);
    was_refused_.store(false, std::memory_order_relaxed);
  }
  // By the same: whether all credit came back that the receiver says it gave back so far. Else the link hangs for ever.
  bool is_complete(std::uint64_t records, std::uint64_t bytes) const {
    return all_records_ == records && all_bytes_ == bytes;
  }
  std::uint64_t returned_records() const { return all_records_; }
  // Credit that was taken and not used.
  void give_back(std::size_t records, std::size_t bytes) {
    records_.fetch_add(static_cast<std::int64_t>(records), std::memory_order_relaxed);
    bytes_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }

 private:
  threads::atomic<std::int64_t> records_, bytes_;
  threads::atomic<bool> was_refused_{false};
  std::uint64_t all_records_ = 0, all_bytes_ = 0;  // returned so far
};

// The credit that a receiver owes: records that it took up, and has not yet told the sender. It tells a quarter of the
// window at a time, so the sender never runs dry for want of telling. The caller's lock guards it.
class owed_credit {
 public:
  explicit owed_credit(const window_limits& l) : limits_(l) {}
  void add(std::size_t records, std::size_t bytes) { records_ += records, bytes_ += bytes; }
  bool is_due() const { return records_ > 0 && (records_ >= limits_.records / 4 || bytes_ >= limits_.bytes / 4); }
  std::size_t records() const { return records_; }
  std::size_t bytes() const { return bytes_; }
  // With those of all messages before.
  std::uint64_t all_records() const { return all_records_ + records_; }
  std::uint64_t all_bytes() const { return all_bytes_ + bytes_; }
  void told() {
    all_records_ += records_;
    all_bytes_ += bytes_;
    records_ = bytes_ = 0;
  }

 private:
  window_limits limits_;
  std::size_t records_ = 0, bytes_ = 0;
  std::uint64_t all_records_ = 0, all_bytes_ = 0;  // told so far
};

}  // namespace weir::detail::remote
