#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <weir/model/estimator.hpp>

namespace weir {

// The cost of one implementation of a box: on cores, or on a device. Not thread-safe.
//
// On a device invocations share it, so each takes longer the more slots are in use. The estimator learns an invocation
// that is alone; a factor for each number of slots in use is learnt by what invocations took in comparison.
class implementation_model {
 public:
  // Before as many invocations were seen, nothing is expected.
  static constexpr std::uint64_t least_seen = 4;

  explicit implementation_model(std::unique_ptr<estimator> fresh) : model_(std::move(fresh)) { factors_.fill(1); }

  // in_use: slots in use when it began, its own included; 1 on cores.
  void observe(double x, int cores, int in_use, double seconds);

  bool is_known() const { return seen_ >= least_seen; }
  double expected(double x, int cores, int in_use) const;  // seconds; 0 while it is not known
  double mean_seconds() const { return mean_; }            // of some 64 last ones; 0: none was seen
  double total_seconds() const { return total_; }
  std::uint64_t seen() const { return seen_; }
  const estimator& model() const { return *model_; }

 private:
  static constexpr std::size_t most_factors = 8;  // more slots in use count as this number
  static std::size_t place_of(int in_use);

  std::unique_ptr<estimator> model_;
  std::array<double, most_factors> factors_{};          // by slots in use, less 1
  std::array<std::uint64_t, most_factors> compared_{};  // invocations that each was learnt from
  std::uint64_t seen_ = 0;
  double mean_ = 0, total_ = 0;
};

// The predictor value at which both take the same time, with one slot in use and lanes of `cores` cores. Below it cores
// are faster, and above it the device is. It lies among the values that were observed. NaN: there is none, or one is
// not known.
double crossing_point(const implementation_model& on_cores, int cores, const implementation_model& on_device);

}  // namespace weir
