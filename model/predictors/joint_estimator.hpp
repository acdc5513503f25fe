#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include "model/predictors/index_fit.hpp"

namespace weir {

// A model of a cost that depends on several predictors, on kinds, or on what candidates show. It makes one x of their
// values (joint_index) and learns with an estimator of one x. It keeps the last 256 observations. The index is fitted
// to these after 8, 10, 12, 16, .. 256 observations. Later it is checked when a quarter has come anew, 256 at least and
// 4096 at most. Another index replaces it if that leaves less than three quarters of the variance. When the index
// changes, the estimator learns the kept observations anew. An observation that fits the index allocates.
class joint_estimator final : public estimator {
 public:
  using maker = std::function<std::unique_ptr<estimator>(degree)>;

  // `make` gives the estimator of one x. REQUIRES: 1 to most_predictors forms.
  joint_estimator(std::string name, std::vector<predictor_form> forms, maker make);
  joint_estimator(const joint_estimator& other);

  void observe(const observation& seen) override;
  double x_of(const observation& seen) const override { return index_.at(values_of(seen)); }
  int predictors() const override { return static_cast<int>(forms_.size()); }
  std::uint64_t x_changes() const override { return changes_; }

  prediction predict(double x, int cores) const override { return by_x_->predict(x, cores); }
  double mean(double x, int cores) const override { return by_x_->mean(x, cores); }
  time_moments moments(std::span<const typical_input> inputs, int cores) const override {
    return by_x_->moments(inputs, cores);
  }
  std::optional<input_sums> sums_over(std::span<const typical_input> inputs) const override {
    return by_x_->sums_over(inputs);
  }
  double mean_of(const input_sums& sums, int cores) const override { return by_x_->mean_of(sums, cores); }
  description describe() const override;
  known_cores cores_known() const override { return by_x_->cores_known(); }
  std::unique_ptr<estimator> clone() const override;
  std::vector<double> state() const override;
  bool restore(const std::vector<double>& state) override;
  bool rescale(double factor) override;

 private:
  double quantile_of(double part, double x, int cores) const override { return by_x_->quantile(part, x, cores); }
  predictor_values values_of(const observation& seen) const;
  std::unique_ptr<estimator> fresh(const joint_index& index) const;
  void refit();
  std::size_t kept() const { return std::min<std::size_t>(seen_, most_index_samples); }
  std::array<index_sample, most_index_samples> in_order() const;

  std::string name_;
  std::vector<predictor_form> forms_;
  maker make_;
  joint_index index_;
  std::unique_ptr<estimator> by_x_;
  std::array<index_sample, most_index_samples> window_{};  // a ring
  std::uint64_t seen_ = 0, changes_ = 0;
};

}  // namespace weir
