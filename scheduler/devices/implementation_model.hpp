#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include <weir/model/estimator.hpp>
#include "scheduler/control/batch_sizes.hpp"

namespace weir {

// The cost of one implementation of a box: on cores, or on a device. Not thread-safe.
//
// On a device invocations share it, so each takes longer the more slots are in use. The estimator learns an invocation
// that is alone; a factor for each number of slots in use is learnt by what invocations took in comparison.
//
// Where invocations take several records, batch_sizes learns their time by their number. The estimator then learns the
// factor of that time for the mean predictor value.
class implementation_model {
 public:
  // Before as many invocations were seen, nothing is expected.
  static constexpr std::uint64_t least_seen = 4;

  // most_in_batch: records of the largest invocation; longest: seconds that it may take.
  explicit implementation_model(std::unique_ptr<estimator> fresh, std::size_t most_in_batch = 1,
                                double longest = std::numeric_limits<double>::infinity())
      : model_(std::move(fresh)), sizes_(most_in_batch), longest_(longest) {
    factors_.fill(1);
  }

  // in_use: slots in use when it began, its own included; 1 on cores. x: the mean of the records. seconds: of all.
  void observe(double x, int cores, int in_use, double seconds, std::size_t records = 1);
  // An invocation failed; its records then took these seconds, each alone.
  void note_failed(double seconds, std::size_t records) {
    sizes_.note(records, seconds / static_cast<double>(records), false, longest_);
  }

  bool is_known() const { return seen_ >= least_seen; }
  // The seconds of an invocation; 0 while it is not known.
  double expected(double x, int cores, int in_use, std::size_t records = 1) const;
  double mean_seconds() const { return mean_; }  // of a record, in some 64 last invocations; 0: none was seen
  double total_seconds() const { return total_; }
  std::uint64_t seen() const { return seen_; }             // invocations
  std::uint64_t records_seen() const { return records_; }  // in these

  bool takes_batches() const { return sizes_.most() > 1; }
  bool is_searching() const { return takes_batches() && sizes_.is_searching(longest_); }  // for the best size
  batch_sizes& sizes() { return sizes_; }
  const batch_sizes& sizes() const { return sizes_; }
  const estimator& model() const { return *model_; }

 private:
  static constexpr std::size_t most_factors = 8;  // more slots in use count as this number
  static std::size_t place_of(int in_use);
  double alone_seconds(double x, int cores, std::size_t records) const;

  std::unique_ptr<estimator> model_;  // of seconds; for batches: of factors to the time that sizes_ expects
  batch_sizes sizes_;
  double longest_;
  std::array<double, most_factors> factors_{};          // by slots in use, less 1
  std::array<std::uint64_t, most_factors> compared_{};  // invocations that each was learnt from
  std::uint64_t seen_ = 0, records_ = 0;
  double mean_ = 0, total_ = 0;
};

// The predictor value at which a record takes the same time on both. One slot is in use, lanes have `cores` cores, and
// batches the size that each side prefers. Below that value cores are faster, and above it the device is. It lies
// among the values that were observed. NaN: there is none, or one is not known.
double crossing_point(const implementation_model& on_cores, int cores, const implementation_model& on_device);

}  // namespace weir
