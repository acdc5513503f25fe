#pragma once

#include <weir/model/estimator.hpp>
#include "model/law/component_law.hpp"
#include "model/law/power_sums.hpp"
#include "model/weir/drift.hpp"
#include "model/weir/noise_floor.hpp"
#include "model/weir/p_correction.hpp"
#include "model/weir/ratio_sketch.hpp"
#include "model/weir/repeats.hpp"
#include "model/weir/residual_scale.hpp"
#include "model/weir/uncertainty.hpp"
#include "model/weir/x_correction.hpp"

namespace weir {

// Which ideas of weir_estimator are in use. All of them are, except where one is measured against the others.
struct weir_parts {
  bool families = true;      // laws with a cost of further cores
  bool huber = true;         // late invocations weigh less
  bool drift = true;         // knowledge from before a change is scaled or forgotten
  bool x_correction = true;  // steps along x
  bool p_correction = true;  // staircases along p
  bool noise_floor = true;   // noise that does not shrink with the time
  bool repeats = true;       // inputs that come again
  bool level = true;         // with one x late times are a part of the mean
};

// The estimator that a run uses by default. It fits a law online, from the family that the data support, by relative,
// robust, non-negative least squares in constant space. It needs no observation on one core, since the sums do not
// contain alpha.
//
// Each observation has the weight huber_weight / (floor^2 + W^2), so that the relative error is small for both small
// and large x. W is the time that the model expected. The time seen would favour short times and bias the law
// downwards. But W stays within a factor of two of the time seen, since a larger difference means that the law is still
// wrong. The floor is timer_noise, or the time of noise_floor where that is much longer.
//
// The expected time comes from a law that is refitted every n/8 to n/16 observations, and at each of the first 16. So
// observe() takes about 100 ns, or some microseconds when it refits. predict() and describe() always use every
// observation so far. If the stored fit is older, they fit anew on the stack and keep nothing. That is why const calls
// may run concurrently. A clone() is fitted once; take one to predict often.
//
// With one x predict() and describe() give the mean of all times (level.hpp). mean(), moments() and the sums are those
// of the law, since divisions of cores must not swing with single late times.
class weir_estimator final : public estimator {
 public:
  // REQUIRES: 0 <= k.value <= component_law::max_degree, or k is unknown_degree.
  explicit weir_estimator(degree k, weir_parts parts = {});

  void observe(const observation& seen) override;
  prediction predict(double x, int cores) const override;
  double mean(double x, int cores) const override;
  time_moments moments(std::span<const typical_input> inputs, int cores) const override;
  std::optional<input_sums> sums_over(std::span<const typical_input> inputs) const override;
  double mean_of(const input_sums& sums, int cores) const override;
  description describe() const override;
  known_cores cores_known() const override;
  std::unique_ptr<estimator> clone() const override;
  std::vector<double> state() const override;
  bool restore(const std::vector<double>& state) override;
  bool rescale(double factor) override;

 private:
  // The law and correction that an observation is compared with.
  struct expectation {
    component_law law;
    p_correction along_p;
  };
  struct fitted {
    component_law law;
    p_correction along_p;  // of this law: that of another one may be off by any factor
    uncertainty trust;
    std::uint64_t observations = 0;
    level of_all;  // of predict(), not of mean(); 1 where x varies
  };
  double quantile_of(double part, double x, int cores) const override;
  double scatter() const;
  fitted fit() const;
  prediction predict(const fitted& by, double x, int cores) const;
  double mean(const fitted& by, double x, int cores) const;
  time_moments moments(const fitted& by, std::span<const typical_input> inputs, int cores) const;
  double factor_at(const component_law& law, double x) const;
  double factor_at(double x, int cores, double mean) const;
  bool learn_repeats(const observation& seen, double smooth, double without_pair);
  void add(double x, int cores, double seconds, double expected, double weight);
  void change(const drift::verdict& found);
  double moved_level(int cores) const;
  void begin_anew();
  void refit();
  bool is_fitted() const { return sums_.count() > 0 && fit_.observations == sums_.count(); }
  double even_noise() const { return floor_ > timer_noise ? noise_.deviation() : timer_noise; }
  double log_ratio(double seconds, double expected) const;

  weir_parts parts_;
  power_sums sums_;
  residual_scale scatter_;
  noise_floor noise_;
  double floor_ = timer_noise;  // shorter times are weighed as if they were that long
  drift drift_;
  x_correction along_x_;
  repeats kinds_, pairs_;  // of x, and of x and p
  ratio_sketch ratios_;    // of times inside what was seen before, over those expected
  expectation expected_;   // as of the last scheduled refit
  fitted fit_;             // to some or all of the observations; never older than expected_
};

}  // namespace weir
