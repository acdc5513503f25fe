#include "scheduler/predict/view_network.hpp"

#include <gtest/gtest.h>

#include <utility>

#include <weir/model/named/estimators.hpp>

namespace weir {
namespace {

// A component of one x, one in ten of whose invocations takes twenty times as long.
component_view with_late_tenth() {
  auto model = make_estimator("weir", unknown_degree);
  for (int i = 0; i < 1000; ++i) {
    observation o;
    o.x = 1;
    o.cores = 1 + i % 2;
    const bool is_late = i % 20 == 3 || i % 20 == 8;
    o.seconds = 0.1 * (is_late ? 20 : 1) * (0.9 / o.cores + 0.1);
    model->observe(o);
  }
  component_view component;
  component.name = "late";
  component.model = std::move(model);
  return component;
}

// Invariant: a predicted network is busy with all times, late ones included. Their mean is 2.9 times the usual time,
// and their squared coefficient of variation 3.9.
TEST(a_predicted_network, is_busy_with_late_times_too) {
  const network_model::component made = modelled(with_late_tenth());
  EXPECT_NEAR(made.seconds(1), 0.29, 0.03);
  EXPECT_NEAR(made.seconds(2), 0.29 * 0.55, 0.03);
  EXPECT_NEAR(made.variation, 3.9, 1);
}

}  // namespace
}  // namespace weir
