#include "scheduler/machine/core_kinds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <weir/scheduler/machine/topology.hpp>
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

std::vector<int> kinds_by_core(const topology& machine) {
  std::vector<int> kinds;
  for (int core : machine.all()) kinds.push_back(machine[core].kind);
  return kinds;
}

TEST(core_kinds, of_a_machine_that_says_none_are_one_without_a_name) {
  for (const topology& machine : {topology::synthetic("core:4 pu:2"), topology::local()}) {
    ASSERT_GE(machine.kinds().size(), 1u);
    EXPECT_EQ(machine.kinds()[0].speed, 1);
  }
  EXPECT_EQ(topology::synthetic("core:4 pu:2").kinds().size(), 1u);
  EXPECT_EQ(topology::synthetic("core:4 pu:2").kinds()[0].name, "");
  EXPECT_EQ(topology::synthetic("core:4 pu:2 kinds:4xP").summary(), "4 cores, 1 package, 1 NUMA node, 1 L3");
}

TEST(core_kinds, of_a_text_are_in_the_order_of_its_cores) {
  const topology machine = topology::synthetic("core:5 pu:1 kinds:1xP,2xM@0.7,2xE@0.25");
  EXPECT_EQ(kinds_by_core(machine), (std::vector<int>{0, 1, 1, 2, 2}));
  ASSERT_EQ(machine.kinds().size(), 3u);
  EXPECT_EQ(machine.kinds()[1].name, "M");
  EXPECT_EQ(machine.kinds()[2].speed, 0.25);
  EXPECT_EQ(machine.summary(), "5 cores (1 P, 2 M, 2 E), 1 package, 1 NUMA node, 1 L3");
  EXPECT_EQ(machine.summary({1, 4}), "2 cores (1 M, 1 E), 1 package, 1 NUMA node, 1 L3");
}

// A text has the kinds of the whole machine. A part of its cores keeps the kinds that are there, with speeds over the
// fastest of these.
TEST(core_kinds, of_some_cores_are_those_that_they_have) {
  const std::string text = "core:4 pu:2 kinds:1xP,2xM@0.5,1xE@0.25";
  const topology slow = topology::synthetic(text, {3, 7});
  EXPECT_EQ(kinds_by_core(slow), (std::vector<int>{0, 1}));
  ASSERT_EQ(slow.kinds().size(), 2u);
  EXPECT_EQ(slow.kinds()[0].name, "M");
  EXPECT_EQ(slow.kinds()[0].speed, 1);
  EXPECT_EQ(slow.kinds()[1].speed, 0.5);
  EXPECT_EQ(topology::synthetic(text, {3, 4}).kinds().size(), 1u);
  EXPECT_EQ(topology::synthetic(text).within_quota(1).kinds().size(), 1u);
}

TEST(core_kinds, that_a_text_says_wrong_are_refused_with_the_text) {
  for (const std::string bad : {"core:4 pu:1 kinds:", "core:4 pu:1 kinds:3xP", "core:4 pu:1 kinds:4xP,1xE",
                                "core:4 pu:1 kinds:4P", "core:4 pu:1 kinds:2xP,2xE@0", "core:4 pu:1 kinds:2xP,2xE@1.5",
                                "core:4 pu:1 kinds:2xP@0.5,2xE@0.6", "core:4 pu:1 kinds:2x,2xE", "kinds:2xP",
                                "core:4 pu:1 kinds:2xP,,2xE", "core:4 pu:1 kinds:-4xP", "core:4 pu:1 kinds:2xP 2xE"}) {
    const std::string said = testing::refusal([&] { topology::synthetic(bad); });
    EXPECT_NE(said.find('"' + bad + '"'), std::string::npos) << bad << ": " << said;
  }
}

#if HWLOC_API_VERSION >= 0x00020400
struct close_topology {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};

// hwloc's ranking is followed, the fastest first; speeds are base frequencies where all kinds have one.
TEST(core_kinds, of_a_machine_are_those_that_hwloc_ranks) {
  hwloc_topology_t raw = nullptr;
  ASSERT_EQ(hwloc_topology_init(&raw), 0);
  const std::unique_ptr<hwloc_topology, close_topology> machine(raw);
  ASSERT_EQ(hwloc_topology_set_synthetic(raw, "core:4 pu:1"), 0);
  ASSERT_EQ(hwloc_topology_load(raw), 0);
  EXPECT_EQ(kinds_of_machine(raw).kinds.size(), 1u);
  const auto add = [&](unsigned first, unsigned last, int efficiency, std::string base) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(set, first, static_cast<int>(last));
    std::string name = "FrequencyBaseMHz";
    hwloc_info_s info{name.data(), base.data()};
    EXPECT_EQ(hwloc_cpukinds_register(raw, set, efficiency, 1, &info, 0), 0);
    hwloc_bitmap_free(set);
  };
  add(0, 0, 20, "2400");
  add(1, 3, 10, "1800");
  const core_kinds kinds = kinds_of_machine(raw);
  EXPECT_EQ(kinds.of_core, (std::vector<int>{0, 1, 1, 1}));
  ASSERT_EQ(kinds.kinds.size(), 2u);
  EXPECT_EQ(kinds.kinds[0].name, "P");
  EXPECT_EQ(kinds.kinds[0].speed, 1);
  EXPECT_EQ(kinds.kinds[1].name, "E");
  EXPECT_EQ(kinds.kinds[1].speed, 0.75);
}
#endif

}  // namespace
}  // namespace weir
