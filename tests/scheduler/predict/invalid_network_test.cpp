#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <weir/scheduler/predict/mapping_search.hpp>
#include "tests/scheduler/predict/model_networks.hpp"
#include "tests/scheduler/predict/predicted.hpp"

// Networks, mappings and options that cannot be are refused, and the message says why.
namespace weir::testing {
namespace {

TEST(predict_flow, says_what_cannot_be) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.1})};
  const auto expect = [&](const network_model& wrong, const std::string& part) {
    const std::string said = refusal([&] { wrong.validate(); });
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  };
  expect({}, "there are no components");
  network_model wrong = net;
  wrong.components[1].name = "a";
  expect(wrong, "two components are called \"a\"");
  wrong = net;
  wrong.components[1].seconds = [](int) { return 0.0; };
  expect(wrong, "component \"b\" takes 0 seconds on 1 core, expected was 1e-18 to 1e+18");
  wrong = net;
  wrong.components[1].device = 0;
  expect(wrong, "on a device that there is not");
  wrong = net;
  wrong.links = {{-1, 2, 1}};
  expect(wrong, "a link leads");
  wrong.links = {{0, 1, 1}};
  expect(wrong, "no link leads from the input");
  wrong.components[0].joins = true;
  wrong.links = {{-1, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, -1, 1}};
  expect(wrong, "\"a\" joins what it makes itself");

  // A time that no prediction computes with may come on any number of cores, and from any function.
  for (const double odd : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e300, 1e-300}) {
    wrong = net;
    wrong.components[0].seconds = [odd](int cores) { return cores == 2 ? odd : .1; };
    const auto predicted = [&] { predict_flow(wrong, on({{{0, 1}}, {{2}}}), 3); };
    EXPECT_NE(refusal(predicted).find("component \"a\" takes"), std::string::npos) << odd;
    EXPECT_NE(refusal([&] { best_mappings(wrong, 2, {}); }).find("on 2 cores"), std::string::npos) << odd;
  }
  wrong = net;
  wrong.links = {{-1, 0, 1}, {0, 1, 1e13}, {1, -1, 1}};
  expect(wrong, "expected was 0 to 1e12");
  wrong.links = {{-1, 0, 1e7}, {0, 1, 1e7}, {1, -1, 1}};
  EXPECT_NE(refusal([&] { flow_of(wrong); }).find("more than 1e12 invocations of \"b\""), std::string::npos);

  const auto why = [&](const mapping& where) { return predict_flow(net, where, 2).why_not; };
  EXPECT_EQ(why(on({{{0}}})), "there are 2 components and places for 1");
  EXPECT_EQ(why(on({{{0}}, {{}}})), "\"b\" has no cores");
  EXPECT_EQ(why(on({{{0}}, {{2}}})), "\"b\" has cores 2, expected were some of 0 to 1");
  EXPECT_EQ(why(on({{{0}}, {{0, 1}, 3}})), "\"b\" runs 3 at once on 2 cores");
  net.components[1].min_cores = 2;
  EXPECT_EQ(why(on({{{0}}, {{1}}})), "\"b\" uses 1 cores, expected was 2 to any number");
  EXPECT_NE(refusal([] { flow_options{.rate = -1}.validate(); }).find("the rate is -1"), std::string::npos);
  EXPECT_NE(refusal([] { flow_options{.blocking = 1}.validate(); }).find("must be in (0, 1)"), std::string::npos);
}

}  // namespace
}  // namespace weir::testing
