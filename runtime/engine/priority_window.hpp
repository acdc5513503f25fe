#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/stream.hpp"

namespace weir::detail {

class scope;

// The first records of a stream, of which those with the highest value of a tag are taken first. A record without the
// tag has 0. Records of one scope stay in their order, as the language promises; so do those of the same value.
//
// Every eighth record taken is the oldest. So a record behind k others in the window is taken after at most 8 (k + 1)
// records. By the stream's one reader at a time; any thread may ask for the size.
class priority_window {
 public:
  static constexpr std::size_t largest = 256;  // records

  // `tag`: its key.
  explicit priority_window(std::uint64_t tag) : tag_(tag) {}

  // Takes at most `most` records. The window has at most as many records as the stream has places. Throws
  // std::bad_alloc; then no record was taken.
  std::size_t pop(stream& from, record_body** into, std::size_t most);

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }  // a hint for other threads

  record_body* drop_one();  // null: there is none

 private:
  static constexpr std::uint64_t oldest_one_in = 8;
  struct waiting {
    record_body* record;
    std::int64_t value;
    const scope* where;
  };
  void fill(stream& from);
  std::size_t next();
  std::int64_t value_of(const record_body& r) const;
  record_body* take(std::size_t at);

  const std::uint64_t tag_;
  std::vector<waiting> waiting_;          // oldest first
  std::vector<const scope*> seen_;        // of next(), kept for its memory
  std::uint64_t taken_ = 0;               // records
  threads::atomic<std::size_t> size_{0};  // a copy of waiting_.size()
};

}  // namespace weir::detail
