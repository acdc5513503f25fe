#pragma once

#include <cstddef>
#include <span>
#include <stop_token>

#include <weir/network/emitter.hpp>

namespace [[gnu::visibility("default")]] weir {

// Emits the output records of an invocation for several records. A callable takes it as a trailing `batch_emitter&`.
// `out[i](c = product)` emits a record for the i-th of the batch, which inherits that one's labels.
//
// Any number of records may be emitted for each, in any order. They are sent on when the callable has returned, in the
// order of the batch; those of one record in the order in which they were emitted.
//
// Threads, lifetime and errors are as those of `emitter`. If the callable throws, records that it emitted are dropped
// when it is called again for each record of the batch alone.
class batch_emitter {
 public:
  // For the runtime: the emitter of these invocations.
  explicit batch_emitter(std::span<detail::invocation> each) : each_(each) {}
  batch_emitter(const batch_emitter&) = delete;
  batch_emitter& operator=(const batch_emitter&) = delete;

  // The emitter for the record at this place in the batch. Throws std::out_of_range for a place that is not below
  // size().
  emitter& operator[](std::size_t place) const;

  // Records in the batch.
  std::size_t size() const { return each_.size(); }

  // As emitter::stop().
  std::stop_token stop() const { return each_[0].out->stop(); }

 private:
  std::span<detail::invocation> each_;
};

}  // namespace weir
