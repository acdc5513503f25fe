#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weir/model/observation.hpp>
#include <weir/model/prediction.hpp>
#include <weir/model/typical_inputs.hpp>

namespace [[gnu::visibility("default")]] weir {

// The degree of the polynomial Tseq in the predictor value. Use 0 for a constant cost and 3 for multiplying N x N
// matrices with N as the predictor value. make_estimator() accepts 0 to 8.
struct degree {
  constexpr explicit degree(int k) : value(k) {}  // of any number: who takes a degree checks it
  int value;                                      // k, the highest power
};

// The degree of a component whose cost may have any shape. `weir` finds the shape; it knows powers of x up to 4, halves
// included. The estimators of the papers take degree 3.
inline constexpr degree unknown_degree{-1};

// The knowledge of a model, in numbers and in words. Plain data. p is the number of cores of an invocation, x its
// predictor value; times are in seconds.
struct description {
  std::string estimator;             // the name make_estimator knows it by
  double alpha = 0;                  // parallel share in [0, 1]; where it depends on x, at the largest x
  bool alpha_known = false;          // false: mostly the prior, e.g. with one p
  std::vector<double> coefficients;  // Tseq(x) = sum_i coefficients[i] * x^powers[i], seconds
  std::vector<double> powers;        // of x, one for each coefficient; empty: 0, 1, 2, ..
  // The serial part where it is a curve of its own, with the same powers: T(x, p) = S(x) + (Tseq(x) - S(x)) / p. Empty
  // where its share does not depend on x.
  std::vector<double> serial;
  double contention = 0;           // q2: each further core adds this share of Tseq(x); 0 where the law has no such term
  double fork_join = 0;            // d: each further core adds this many seconds; 0 where the law has no such term
  double scatter = 0;              // one standard deviation of an observation about the law, relative to it
  double p99 = 0;                  // that 99 of 100 observations stay below, as a multiple of the law; 0: not learnt
  std::uint64_t observations = 0;  // used for the fit
  int smallest_cores = 0, largest_cores = 0;  // p observed; 0 before the first observation
  double smallest_x = 0, largest_x = 0;       // predictor values observed
  // For a model of several predictors: `uses` are the places of the predictors on which x depends, and `use_names`
  // their names, such as "3 (kind)". `explained` is the share of the variance of log times, at equal cores, that x
  // explains.
  std::vector<int> uses;
  std::vector<std::string> use_names;
  double explained = 0;
  std::string words;  // "Tseq(x) = 1.2e-09 x^3 + .., alpha 0.98 (known), 40 observations, scatter 5 %"
};

// The part of `description` that concerns cores. Plain data.
struct known_cores {
  bool alpha_known = false;       // as in description
  int largest = 0, smallest = 0;  // p observed; 0 before the first observation
};

// Returns the sentence for description::words, made from the other members. It names contention and fork-join where
// they are positive, scatter from 0.01 % on, a p99 of 3 or more, and the predictors of several that are in use. Without
// observations it is "nothing observed yet".
std::string in_words(const description& learnt);

// An online cost model of one component. Observations go in and predictions come out, in constant space. It is pure
// numbers: it uses no thread, clock or file.
//
// Not thread-safe: the owner serialises all calls, except that const calls may run concurrently with each other. Made
// by make_estimator() (named/estimators.hpp).
class estimator {
 public:
  virtual ~estimator() = default;

  // Learns from one observation. Ignores one that is not usable, as is_usable() defines it: after a move, or with x,
  // cores or seconds out of range. Two models may allocate: one of several predictors, when it takes them in
  // another way, and one that begins with several priors, while it chooses. Without memory they go on as before.
  virtual void observe(const observation& seen) = 0;

  // Predicts T(x, p), the cost of one invocation. Defined for every x and for every cores >= 1. Before the first
  // observation the mean is NaN; after it, the mean is finite and not negative.
  virtual prediction predict(double x, int cores) const = 0;

  // The seconds that a part of the invocations at x on `cores` cores stays below: 0.99 asks for the 99th percentile.
  // Includes how invocations with one x differ, and not how sure the mean is (prediction::spread). By default times
  // scatter log-normally, with the mean and the spread of predict(). `weir` learns how they scatter. Infinite before
  // the first observation, never NaN. Takes some microseconds. Throws std::invalid_argument unless 0 < part < 1.
  double quantile(double part, double x, int cores) const;

  // The x of an invocation, for the other calls: its predictor value, or what a model of several predictors makes of
  // their values. An x from before x_changes() has changed has lost its meaning.
  virtual double x_of(const observation& seen) const { return seen.x; }
  virtual int predictors() const { return 1; }  // that x_of() reads
  virtual std::uint64_t x_changes() const { return 0; }

  // The mean of the law, which divisions compare; seconds. It is predict(x, cores).mean at less cost, but for `weir`
  // where one x was seen: there predict() counts late times in full, and the law counts them as disturbances.
  virtual double mean(double x, int cores) const { return predict(x, cores).mean; }

  // The moments of invocations with these inputs on `cores` cores. The weights of the inputs sum to 1. They are as
  // predict() says of each, late times as in mean(). A mean is shortest_time at least, a spread that is not finite 0.
  virtual time_moments moments(std::span<const typical_input> inputs, int cores) const;

  // For models whose moments(inputs, cores).mean takes no look at each input: sums over the inputs, from which
  // mean_of() computes it. The sums are valid until the next observation. Nothing where a model has no such sums.
  virtual std::optional<input_sums> sums_over(std::span<const typical_input>) const { return std::nullopt; }

  // Equals moments(inputs, cores).mean except for rounding. REQUIRES: the sums are from sums_over(inputs).
  virtual double mean_of(const input_sums& sums, int cores) const;

  // The knowledge so far, with its sentence.
  virtual description describe() const = 0;

  // The same as the members of describe() that concern cores, without the cost of making the sentence.
  virtual known_cores cores_known() const {
    const description all = describe();
    return {all.alpha_known, all.largest_cores, all.smallest_cores};
  }

  // Makes a deep copy: a snapshot that decisions can use while the original keeps learning. Take one before many
  // predictions, since it is fitted only once.
  virtual std::unique_ptr<estimator> clone() const = 0;

  // Saves and loads the whole state as numbers. The restored estimator predicts and learns exactly as the saved one
  // would. restore() accepts what state() of the same estimator and degree returned. Otherwise it returns false and
  // changes nothing.
  virtual std::vector<double> state() const = 0;
  virtual bool restore(const std::vector<double>& state) = 0;

  // Makes it the model of another machine or input, for which all times are `factor` times as long. Its shape remains
  // and counts for few observations, so later ones soon count more. Returns false, having changed nothing, where an
  // estimator cannot; `weir` can. REQUIRES: factor > 0 and finite.
  virtual bool rescale(double /*factor*/) { return false; }

 private:
  // The same as quantile(). REQUIRES: 0 < part < 1, and one observation.
  virtual double quantile_of(double part, double x, int cores) const;
};

}  // namespace weir
