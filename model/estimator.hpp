#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/prediction.hpp"

namespace [[gnu::visibility("default")]] weir {

// The degree of the polynomial Tseq in the predictor value: 0 for a constant cost, 3 for a matrix multiplication in N.
struct degree {
  constexpr explicit degree(int k) : value(k) {}
  int value;
};

// What a model has learnt, in numbers and in words. Plain data.
struct description {
  std::string estimator;             // the name make_estimator knows it by
  double alpha = 0;                  // parallel share in [0, 1]
  bool alpha_known = false;          // false: alpha is the prior's more than the data's, e.g. with one p seen
  std::vector<double> coefficients;  // Tseq(x) = sum_i coefficients[i] * x^i, seconds
  double contention = 0;           // q2: each further core adds this share of Tseq(x); 0 where the law has no such term
  double fork_join = 0;            // d: each further core adds this many seconds; 0 where the law has no such term
  double scatter = 0;              // one standard deviation of an observation about the law, relative to it
  std::uint64_t observations = 0;  // used for the fit
  int smallest_cores = 0, largest_cores = 0;  // p observed; 0 before the first observation
  double smallest_x = 0, largest_x = 0;
  std::string words;  // "Tseq(x) = 1.2e-09 x^3 + ..., alpha 0.98 (known), 40 observations, scatter 5 %"
};

// What description says of cores. Plain data.
struct known_cores {
  bool alpha_known = false;
  int largest = 0;  // observed
};

// The sentence for description::words, from its other members. Contention and fork-join are named where the law has
// them, and scatter where it is at least 0.01 %.
std::string in_words(const description& learnt);

// An online cost model of one component: observations in, predictions out, in constant space. Pure numbers: no thread,
// clock or file. Not thread-safe; the owner serialises calls (const calls may run concurrently with each other).
class estimator {
 public:
  virtual ~estimator() = default;

  // Takes one observation in. Ignores those with after_move set and those whose x, cores or seconds are not finite or
  // not positive (x may be 0), as is_usable() says; never allocates.
  virtual void observe(const observation& seen) = 0;

  // T(x, p) as far as it is known. Defined for every x and p >= 1; mean is NaN before the first observation.
  virtual prediction predict(double x, int cores) const = 0;

  // The mean of predict(), for those who ask for many and for nothing else.
  virtual double mean(double x, int cores) const { return predict(x, cores).mean; }

  virtual description describe() const = 0;

  // What describe() says of cores, for those who decide often and read no words.
  virtual known_cores cores_known() const {
    const description all = describe();
    return {all.alpha_known, all.largest_cores};
  }

  // A deep copy: a snapshot for a decision while the original learns on.
  virtual std::unique_ptr<estimator> clone() const = 0;

  // The whole state as numbers, for saving. restore() takes what state() of the same estimator and degree gave and
  // returns false, changing nothing, when it does not fit.
  virtual std::vector<double> state() const = 0;
  virtual bool restore(const std::vector<double>& state) = 0;
};

}  // namespace weir
