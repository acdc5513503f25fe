#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bench/field/ferret/search.hpp"
#include "bench/field/ferret/workload.hpp"

namespace weir::field_bench::ferret {

// The queries of a run, drawn as they arrive, and the sum over their answers.
class schedule {
 public:
  explicit schedule(const workload& what) : seed_(what.seed), times_(what.queries, what.arrivals) {}

  // Waits for the arrival of a query, and draws it. For one thread.
  held_query wait_for(std::size_t index) const {
    times_.wait_for(index);
    return drawn(index, seed_);
  }

  // A query is through; for several threads.
  void done(const query& q) {
    times_.done(q.index);
    sum_ += sum_of(q);
  }

  outcome end() { return {times_.end(), sum_}; }

 private:
  const std::uint64_t seed_;
  arrival_clock times_;
  std::atomic<std::uint64_t> sum_{0};
};

}  // namespace weir::field_bench::ferret
