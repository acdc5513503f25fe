#include <gtest/gtest.h>

#include <string>

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
  expect(wrong, "component \"b\" takes 0 seconds");
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
