#include <gtest/gtest.h>

#include <set>
#include <string>

#include <weir/weir.hpp>
#include "tests/runtime/language/labels.hpp"

// Runs on a synthetic machine whose cores are of two kinds.
namespace weir {
namespace {

using namespace testing;

// A box is told the kind of its cores, and the report says where each component is.
TEST(kinds_of_cores, are_told_to_boxes_and_to_the_reader_of_a_report) {
  std::set<int> fast, slow;  // serial boxes: one invocation at a time each
  const auto tells = [](std::set<int>& to) {
    return [&to](const grant& given, std::int64_t v) {
      to.insert(given.kind());
      return v;
    };
  };
  const network net =
      box("fast", takes(n), gives(n), tells(fast)).serial() >> box("slow", takes(n), gives(n), tells(slow)).serial();
  options o;
  o.machine = machine::synthetic("core:4 pu:1 kinds:1xP,3xE@0.5");
  o.policy = fixed_shares{{"fast", 1}, {"slow", 3}};
  execution run = start(net, o);
  for (int i = 0; i < 20; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(fast, std::set<int>{0});
  EXPECT_EQ(slow, std::set<int>{1});
  const run_report report = run.report();
  EXPECT_EQ(report.machine, "4 cores (1 P, 3 E), 1 package, 1 NUMA node, 1 L3");
  EXPECT_EQ(report.components[0].place, "own cores {0} (1 P), 1 lane");
  EXPECT_EQ(report.components[1].place, "own cores {1-3} (3 E), 1 lane");
}

}  // namespace
}  // namespace weir
