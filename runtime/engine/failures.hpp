#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <weir/record/errors.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The records of a run that did not get through. Failed ones are counted by kind, and the newest are kept with their
// text, the newest of those as records, too; dropped ones are counted. Also the error that ends the run, if one does.
// Thread-safe. Its locks are the last that a thread takes, and no kept text is copied or freed under them.
class failures {
 public:
  // `no_memory`: the error to use when there is no memory to make one.
  failures(std::size_t most_kept, std::size_t most_records, failure no_memory)
      : most_(most_kept), most_records_(most_records), no_memory_(std::move(no_memory)) {}

  // Counts a failed record, even if there is no memory to keep its failure. `here`: it was in this process then.
  void add(const failure& f, bool here) noexcept;
  bool keeps_records() const { return most_records_ > 0; }
  void drop(std::size_t records) noexcept { dropped_.fetch_add(records, std::memory_order_relaxed); }

  // Counts a record that failed here, and whose failure its home on another rank counts.
  void told_home() noexcept { told_home_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t failed_here() const { return failed_here_.load(std::memory_order_relaxed); }
  std::uint64_t failed_elsewhere() const { return failed_elsewhere_.load(std::memory_order_relaxed); }
  std::uint64_t failed() const { return failed_here() + failed_elsewhere(); }
  std::uint64_t failures_told_home() const { return told_home_.load(std::memory_order_relaxed); }
  std::uint64_t failed(failure_kind kind) const {
    return failed_by_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  // Failures that are kept: all of them, oldest first; the newest of them; and all of them taken out, each by one
  // caller. Without memory they throw, and nothing is taken out.
  std::vector<failure> kept() const;
  std::vector<failure> newest(std::size_t most) const;
  std::vector<failure> take();

  // The error that ends the run. Only the first one given counts.
  void end_by(failure&& f) noexcept;
  void end_without_memory() noexcept { end_by(std::move(no_memory_)); }
  bool has_ended() const;
  std::optional<failure> ended_by() const;
  void throw_if_ended() const;  // as run_error
  void throw_once();            // the same, in one call only

 private:
  struct entry {
    std::shared_ptr<const failure> told;  // without its record, which is dropped earlier
    std::shared_ptr<const weir::record> as_record;
  };
  struct copied {
    std::vector<failure> all;
    std::uint64_t end = 0;  // one past the number of the last
  };
  copied copy(std::size_t most) const;

  const std::size_t most_, most_records_;
  // Relaxed, as the next: numbers only.
  threads::atomic<std::uint64_t> failed_here_{0}, failed_elsewhere_{0}, told_home_{0}, dropped_{0};
  std::array<threads::atomic<std::uint64_t>, failure_kinds> failed_by_{};

  WEIR_LOCK(taking) taking_;  // one caller takes them out at a time; taken before mutex_
  mutable WEIR_LOCK(failures) mutex_;
  std::deque<entry> kept_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t first_ WEIR_GUARDED_BY(mutex_) = 0;  // the number of the first kept failure, of all that ever were
  std::optional<failure> ended_by_ WEIR_GUARDED_BY(mutex_);
  bool thrown_ WEIR_GUARDED_BY(mutex_) = false;
  failure no_memory_;
};

}  // namespace weir::detail
