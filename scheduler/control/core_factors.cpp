#include "scheduler/control/core_factors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir {
namespace {

class corrected_model final : public estimator {
 public:
  corrected_model(std::shared_ptr<const estimator> model, core_factors by, bool believes_fewer)
      : model_(std::move(model)), by_(std::move(by)), believes_fewer_(believes_fewer) {}
  void observe(const observation&) override {}
  double x_of(const observation& seen) const override { return model_->x_of(seen); }
  int predictors() const override { return model_->predictors(); }
  std::uint64_t x_changes() const override { return model_->x_changes(); }
  prediction predict(double x, int cores) const override {
    prediction p = model_->predict(x, cores);
    const double factor = by_(cores);
    p.mean *= factor;
    p.spread *= factor;
    return p;
  }
  double mean(double x, int cores) const override { return model_->mean(x, cores) * by_(cores); }
  time_moments moments(std::span<const typical_input> inputs, int cores) const override {
    time_moments m = model_->moments(inputs, cores);
    const double factor = by_(cores);
    m.mean *= factor;
    m.square *= factor * factor;
    return m;
  }
  std::optional<input_sums> sums_over(std::span<const typical_input> inputs) const override {
    return model_->sums_over(inputs);
  }
  double mean_of(const input_sums& sums, int cores) const override { return model_->mean_of(sums, cores) * by_(cores); }
  description describe() const override { return model_->describe(); }
  known_cores cores_known() const override {
    known_cores known = model_->cores_known();
    if (believes_fewer_) known.smallest = std::min(known.smallest, 1);
    return known;
  }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<corrected_model>(*this); }
  std::vector<double> state() const override { return model_->state(); }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  double quantile_of(double part, double x, int cores) const override {
    return model_->quantile(part, x, cores) * by_(cores);
  }

  std::shared_ptr<const estimator> model_;
  core_factors by_;
  bool believes_fewer_;
};

}  // namespace

double core_factors::operator()(int cores) const {
  if (octaves.empty()) return 1;
  const double at = std::log2(cores);
  const auto above = std::ranges::lower_bound(octaves, at);
  if (above == octaves.begin()) return std::exp(log_factor.front());
  if (above == octaves.end()) return std::exp(log_factor.back());
  const auto i = static_cast<std::size_t>(above - octaves.begin());
  const double part = (at - octaves[i - 1]) / (octaves[i] - octaves[i - 1]);
  return std::exp(log_factor[i - 1] + part * (log_factor[i] - log_factor[i - 1]));
}

std::shared_ptr<const estimator> corrected(std::shared_ptr<const estimator> model, core_factors by,
                                           bool believes_fewer) {
  return std::make_shared<corrected_model>(std::move(model), std::move(by), believes_fewer);
}

}  // namespace weir
