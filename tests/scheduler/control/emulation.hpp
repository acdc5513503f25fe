#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/control/controller.hpp"
#include "tests/scheduler/views.hpp"

namespace weir::testing {

// The extended Amdahl model by relative least squares: T = x^k (q0/p + q1), both >= 0. It is the simplest model that
// learns; if it has seen only one p, it assumes alpha 0.98.
class amdahl_learner : public estimator {
 public:
  amdahl_learner(int k, double noise) : k_(k), noise_(noise) {}

  void observe(const observation& seen) override {
    if (seen.after_move) return;
    const double t = seen.seconds / std::pow(seen.x, k_), h = 1.0 / seen.cores, w = 1 / (t * t);
    hh_ += w * h * h, h_ += w * h, one_ += w, ht_ += w * h * t, t_ += w * t;
    if (count_ == 0) smallest_ = largest_ = seen.cores, least_x_ = most_x_ = seen.x;
    smallest_ = std::min(smallest_, seen.cores), largest_ = std::max(largest_, seen.cores);
    least_x_ = std::min(least_x_, seen.x), most_x_ = std::max(most_x_, seen.x);
    ++count_;
    fit();
  }

  prediction predict(double x, int cores) const override {
    prediction p;
    p.mean = count_ == 0 ? std::nan("") : std::pow(x, k_) * (q0_ / cores + q1_);
    p.spread = noise_ * p.mean;
    return p;
  }

  description describe() const override {
    description d;
    d.alpha = q0_ / (q0_ + q1_);
    d.alpha_known = smallest_ < largest_;
    d.observations = count_;
    d.largest_cores = largest_;
    d.smallest_x = least_x_, d.largest_x = most_x_;
    return d;
  }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<amdahl_learner>(*this); }
  std::vector<double> state() const override { return {}; }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  void fit() {
    const double determinant = hh_ * one_ - h_ * h_;
    if (smallest_ == largest_) {
      const double whole = t_ / one_ / (.98 / smallest_ + .02);
      q0_ = .98 * whole, q1_ = .02 * whole;
      return;
    }
    q0_ = (ht_ * one_ - t_ * h_) / determinant, q1_ = (hh_ * t_ - h_ * ht_) / determinant;
    if (q1_ < 0) q0_ = ht_ / hh_, q1_ = 0;
    if (q0_ < 0) q0_ = 0, q1_ = t_ / one_;
  }

  int k_;
  double noise_;
  double hh_ = 0, h_ = 0, one_ = 0, ht_ = 0, t_ = 0, q0_ = 0, q1_ = 0, least_x_ = 0, most_x_ = 0;
  int smallest_ = 0, largest_ = 0;
  std::uint64_t count_ = 0;
};

// Draws one number.
using draw = std::function<double(std::mt19937&)>;

// Factors around 1 between an invocation's time and its true time.
inline draw log_normal(double noise) {
  return [=](std::mt19937& random) { return std::exp(std::normal_distribution<double>(0, noise)(random)); };
}

// A run without threads. Each record makes every component take one timed invocation on its share, and the controller
// is asked after each record.
class emulation {
 public:
  // Builds the model of a component.
  using learner = std::function<std::unique_ptr<estimator>()>;

  emulation(system_view view, std::vector<truth> truths, double noise, draw input, unsigned seed, const learner& model,
            controller_options options = {})
      : emulation(std::move(view), std::move(truths), log_normal(noise), std::move(input), seed, model, options) {}

  // An invocation takes its true time times a factor drawn by `noise`.
  emulation(system_view view, std::vector<truth> truths, draw noise, draw input, unsigned seed, const learner& model,
            controller_options options = {})
      : truths_(std::move(truths)),
        noise_(std::move(noise)),
        input_(std::move(input)),
        random_(seed),
        view_(std::move(view)),
        controller_(adaptive{objective::throughput}, options) {
    for (component_view& c : view_.components) {
      c.recent.clear();
      c.invocations = c.invocations_since_move = 0;
      c.model = models_.emplace_back(model());
    }
    first_.resize(truths_.size());
    std::mt19937 other(seed + 1);
    for (int i = 0; i < 64; ++i) typical_.push_back({input_(other), 1, 0});
    apply(controller_.step(view_));
  }

  void run(int records) {
    for (; records > 0; --records) one_record();
  }

  void set_truth(std::size_t component, truth times) { truths_[component] = std::move(times); }

  const system_view& view() const { return view_; }
  std::vector<decision> decisions() const { return controller_.decisions(); }

  // The view of a rule that knows the truth.
  system_view omniscient() const {
    system_view known = view_;
    for (std::size_t i = 0; i < truths_.size(); ++i) {
      known.components[i].recent = typical_;
      known.components[i].model = std::make_shared<known_truth>(truths_[i]);
    }
    return known;
  }

  // The true cost of a record with an allotment relative to the best one, in the rule's own measure.
  double excess(const allotment& given) const {
    const system_view known = omniscient();
    const adaptive rule(objective::throughput);
    return rule.assess(known, given).cost / rule.assess(known, rule.decide(known)).cost;
  }
  double excess() const { return excess(view_.current); }

 private:
  void apply(std::optional<allotment> next) {
    if (!next) return;
    EXPECT_EQ(check(*next, view_.cores), "");
    view_.current = *next;
    view_.in_force_since = view_.time;
    for (component_view& c : view_.components) c.invocations_since_move = 0;
    first_.assign(truths_.size(), true);
  }

  void one_record() {
    const double x = input_(random_);
    for (std::size_t i = 0; i < truths_.size(); ++i) {
      component_view& c = view_.components[i];
      const share& s = view_.current.components[i];
      observation seen;
      seen.x = x;
      seen.cores = 1;
      if (!s.cores.empty()) {
        const auto lane = static_cast<int>(random_() % static_cast<unsigned>(s.width));
        seen.cores = s.cores.size() / s.width + (lane < s.cores.size() % s.width ? 1 : 0);
      }
      seen.seconds = truths_[i](x, seen.cores) * noise_(random_);
      seen.after_move = first_[i];
      if (first_[i]) seen.seconds *= 2;
      first_[i] = false;
      models_[i]->observe(seen);
      ++c.invocations;
      if (seen.after_move) continue;
      ++c.invocations_since_move;
      ++c.inputs_seen;
      c.recent.push_back({x, seen.cores, seen.seconds});
      if (c.recent.size() > 64) c.recent.erase(c.recent.begin());
    }
    view_.time += 0.01;
    apply(controller_.step(view_));
  }

  std::vector<truth> truths_;
  draw noise_, input_;
  std::mt19937 random_;
  system_view view_;
  controller controller_;
  std::vector<std::shared_ptr<estimator>> models_;
  std::vector<bool> first_;                 // by component: no invocation since the move
  std::vector<invocation_sample> typical_;  // inputs
};

}  // namespace weir::testing
