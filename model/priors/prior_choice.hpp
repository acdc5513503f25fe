#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include "model/priors/prior_standing.hpp"

namespace weir {

// A model that an earlier run learnt. The names of that run and of its machine are for messages.
struct prior_candidate {
  std::string run;
  std::shared_ptr<const estimator> model;
  std::string machine{};  // empty: not known
};

// An estimator that begins with one of several models of earlier runs, times one factor: the likeliest one whose errors
// are such as it expects. Where none fits, or a model without a prior predicts better, that one is in use. README.md
// has the method.
//
// Before the first observation it knows nothing, since nothing tells the candidates apart. After `judged` usable ones
// it behaves as the model that it then has, which alone is kept. state() and describe() are that model's, so
// a saved state has no candidates. Until then an observation takes up to some hundred microseconds, and allocates;
// without memory it goes on with the model in use.
class prior_choice final : public estimator {
 public:
  static constexpr int choosing = prior_standing::most;  // observations that candidates are judged by
  static constexpr int judged = 60;  // and those after which either the prior or the model without one is left

  // REQUIRES: `fresh` has no observations; each candidate has some, takes the same predictors, and can be rescaled.
  prior_choice(std::unique_ptr<estimator> fresh, std::vector<prior_candidate> candidates);
  prior_choice(const prior_choice& other);

  void observe(const observation& seen) override;
  prediction predict(double x, int cores) const override { return used().predict(x, cores); }
  double x_of(const observation& seen) const override { return used().x_of(seen); }
  int predictors() const override { return used().predictors(); }
  std::uint64_t x_changes() const override { return changes_; }
  double mean(double x, int cores) const override { return used().mean(x, cores); }
  time_moments moments(std::span<const typical_input> inputs, int cores) const override {
    return used().moments(inputs, cores);
  }
  std::optional<input_sums> sums_over(std::span<const typical_input> inputs) const override {
    return used().sums_over(inputs);
  }
  double mean_of(const input_sums& sums, int cores) const override { return used().mean_of(sums, cores); }
  // The words name the run of the prior, its machine and the factor.
  description describe() const override;
  known_cores cores_known() const override { return used().cores_known(); }
  std::unique_ptr<estimator> clone() const override;
  bool rescale(double factor) override { return used().rescale(factor); }
  std::vector<double> state() const override { return used().state(); }
  // As the model in use does; from then on nothing is chosen.
  bool restore(const std::vector<double>& state) override;

 private:
  double quantile_of(double part, double x, int cores) const override { return used().quantile(part, x, cores); }
  const estimator& used() const { return uses_prior_ ? *seeded_ : *fresh_; }
  estimator& used() { return uses_prior_ ? *seeded_ : *fresh_; }
  void choose(const observation& seen);
  void seed(std::size_t best);
  void compare(const observation& seen);

  std::unique_ptr<estimator> fresh_, seeded_;  // one is null after the end
  std::vector<prior_candidate> candidates_;    // empty once one is chosen
  std::vector<prior_standing> standings_;      // of the candidates
  std::vector<double> scatters_;               // the most that a candidate may expect of one observation
  double fresh_error_ = 0, seeded_error_ = 0;  // as prior_standing::late_error()
  std::array<observation, choosing> first_{};
  int seen_ = 0;
  bool uses_prior_ = false;
  std::string run_;    // of the prior in seeded_, and its machine, for messages
  double factor_ = 1;  // on it
  std::uint64_t changes_ = 0;
};

}  // namespace weir
