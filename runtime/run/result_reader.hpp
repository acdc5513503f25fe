#pragma once

#include <cstddef>
#include <vector>

#include "runtime/engine/run_environment.hpp"
#include "runtime/run/callers.hpp"
#include "runtime/streams/reader_sleeps.hpp"
#include "runtime/streams/results.hpp"
#include "runtime/threads/short_wait.hpp"

namespace weir::detail {

// The reading end of a run: iterates over its results. One thread at a time.
class alignas(64) result_reader {
 public:
  // always_bounded: the user set a capacity for results. has_sources: the network makes records.
  result_reader(run_environment& run, results& from, callers& who, bool always_bounded, bool has_sources)
      : run_(run), results_(from), callers_(who), always_bounded_(always_bounded), has_sources_(has_sources) {}

  // The next result; false: there will be none. Throws run_error, once, when the run ended by an error.
  bool next(record& into);
  // Drops all results that were not read. REQUIRES: no worker runs.
  void drop_all() noexcept;

 private:
  void note_reader(bool takes_more);
  bool fill();
  bool may_sleep() const;
  void wait_for_results();

  run_environment& run_;
  results& results_;
  callers& callers_;
  const bool always_bounded_, has_sources_;
  std::vector<record_body*> batch_;
  std::size_t at_ = 0;  // in it
  short_waits waits_;
  reader_sleeps sleeps_;
};

}  // namespace weir::detail
