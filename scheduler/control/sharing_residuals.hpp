#pragma once

#include <cstdint>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Measured over expected seconds of a record, by the way in which allotments share cores. A way is the members of the
// shared group, the number of its cores, and the owner whose core it lies on. Times of components do not tell this:
// members wait for each other, and a host for them.
//
// Only a stream whose entrances are full tells. The logarithms of the ratios are a Gaussian process over the ways
// (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 2.2). It has a part that is common to
// all, a part of those with the same members, and a part of each. So a way that was never tried is expected to
// disappoint as others did.
//
// Not thread-safe.
class sharing_residuals {
 public:
  // Takes in the records since the last call. `expected`: seconds a record of the allotment in force. `reference`: the
  // component whose invocations count them.
  void take(const system_view& view, int reference, double expected);

  // The time until the next call of take() is not taken in.
  void skip() { reference_ = -1; }

  // The factor by which records of an allotment are believed to take longer than expected.
  double factor(const allotment& of) const;

  // Forgets all: other components, or other cores.
  void clear() { *this = {}; }

 private:
  static constexpr std::size_t most_ways = 16;  // ways to share that are kept

  struct way {
    std::vector<int> key;
    double log_ratio = 0, records = 0;
    double latest = 0;  // by records_
  };

  static std::vector<int> key_of(const allotment& given);
  static double covariance(const std::vector<int>& a, const std::vector<int>& b);
  way& place_of(const allotment& given);

  std::vector<way> ways_;
  double records_ = 0;  // in all
  // The period that is not taken in yet.
  int reference_ = -1;  // -1: none has begun
  double in_force_since_ = 0, from_ = 0;
  std::uint64_t invocations_ = 0;
};

// Whether records wait at each entrance of the network: then its throughput is that of the allotment.
bool is_full(const system_view& view);

}  // namespace weir
