#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <weir/scheduler/divide/throughput.hpp>
#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/predict/core_sharing.hpp>
#include <weir/scheduler/predict/mapping_search.hpp>
#include <weir/scheduler/predict/predict_flow.hpp>
#include "scheduler/control/controller.hpp"
#include "tests/scheduler/predict/model_networks.hpp"
#include "tests/scheduler/views.hpp"

// Violated requirements of public headers of scheduler/ are refused by an exception that names the value. Where only
// weir itself can be wrong, an assertion refuses them in builds without NDEBUG.
namespace weir::testing {
namespace {

network_model two_in_a_row() {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.2})};
  return net;
}

network_model without_cost() {
  network_model net = two_in_a_row();
  net.components[1].seconds = nullptr;
  return net;
}

const mapping a_core_each{{{{0}}, {{1}}}};

TEST(contracts, cores_are_cut_into_1_to_as_many_parts) {
  for (int parts : {-1, 0, 4}) {
    EXPECT_EQ(refusal([&] {
                core_set{0, 1, 2}.slices(parts);
              }),
              "3 cores cannot be cut into " + std::to_string(parts) + " parts");
  }
  EXPECT_EQ(core_set({0, 1, 2}).slices(3).size(), 3u);
}

TEST(contracts, an_allotment_prints_with_a_name_for_every_component) {
  const allotment given{{{core_set{0}, 1}, {core_set{1}, 1}}, {}};
  EXPECT_EQ(refusal([&] { to_string(given, {"a"}); }), "an allotment of 2 components has 1 name");
}

TEST(contracts, counts_are_placed_only_where_they_fit) {
  const system_view view = view_of(4, {unobserved("a"), unobserved("b")});
  const auto refused = [&](const core_counts& counts) { return refusal([&] { place(counts, view); }); };
  EXPECT_EQ(refused({{{3, 1}, {2, 1}}, 0, -1}), "counts of cores: 5 are given away and there are 4");
  EXPECT_EQ(refused({{{3, 1}, {0, 1}}, 2, -1}), "counts of cores: 5 are given away and there are 4");
  EXPECT_EQ(refused({{{3, 1}, {0, 1}}, 0, -1}), "counts of cores: the shared group has members and no place");
  EXPECT_EQ(refused({{{3, 1}, {0, 1}}, 0, 1}), "counts of cores: the shared group has members and no place");
  EXPECT_EQ(refused({{{3, 4}, {1, 1}}, 0, -1}), "counts of cores: a component has 3 and 4 lanes");
  EXPECT_EQ(refused({{{3, 0}, {1, 1}}, 0, -1}), "counts of cores: a component has 3 and 0 lanes");
  EXPECT_EQ(refused({{{3, 3}, {0, 1}}, 0, 0}), nothing_refused);
}

TEST(contracts, what_is_predicted_is_a_valid_network_with_valid_options) {
  const std::string no_cost = "network: component \"b\" has no cost";
  EXPECT_EQ(refusal([] { flow_of(without_cost()); }), no_cost);
  EXPECT_EQ(refusal([] { predict_flow(without_cost(), a_core_each, 2); }), no_cost);
  EXPECT_EQ(refusal([] { best_mappings(without_cost(), 2, {}); }), no_cost);
  EXPECT_NE(refusal([] { predict_flow(two_in_a_row(), a_core_each, 2, {.rate = -1}); }), nothing_refused);
  EXPECT_NE(refusal([] { best_mappings(two_in_a_row(), 2, {.top = 0}); }), nothing_refused);
  EXPECT_EQ(refusal([] { best_mappings(two_in_a_row(), 0, {}); }), "mappings were asked for on 0 cores");
}

#ifndef NDEBUG
class contracts_that_are_asserted : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(contracts_that_are_asserted, capacity_is_of_a_mapping_that_can_be) {
  const network_model net = two_in_a_row();
  const auto limits = [&](const std::vector<double>& visits, const mapping& given) {
    return capacity_of(net, visits, given, 2, sharing::work_conserving);
  };
  EXPECT_DOUBLE_EQ(limits({1, 1}, a_core_each).throughput, 5);
  EXPECT_DEATH(limits({1}, a_core_each), "has_places");
  EXPECT_DEATH(limits({1, 1}, {{{{0}}, {{2}}}}), "has_places");
}

TEST_F(contracts_that_are_asserted, cores_are_divided_by_what_was_observed) {
  EXPECT_DEATH(throughput_counts(view_of(4, {component("a", amdahl(1, .9)), unobserved("b")})), "all_observed");
}

TEST_F(contracts_that_are_asserted, what_a_controller_decided_is_what_is_in_force) {
  controller decides{adaptive{objective::throughput}};
  system_view view = view_of(4, {component("a", amdahl(1, .9)), component("b", amdahl(2, .9))});
  view.current = decides.step(view).value();
  decides.step(view);
  view.current.components[0].cores = core_set{3};
  view.current.components[1].cores = core_set{2};
  EXPECT_DEATH(decides.step(view), "current");
}
#endif

}  // namespace
}  // namespace weir::testing
