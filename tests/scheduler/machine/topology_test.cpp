#include <weir/scheduler/machine/topology.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <cstdlib>
#include <semaphore>
#include <set>
#include <thread>

#include "scheduler/machine/without_plugins.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

TEST(topology, of_this_machine_has_cores_with_distinct_units_and_says_what_it_is) {
  const topology machine = topology::local();
  ASSERT_GE(machine.size(), 1);
  EXPECT_FALSE(machine.is_synthetic());
  std::set<int> units;
  for (int core : machine.all()) {
    EXPECT_FALSE(machine[core].os_units.empty());
    for (int unit : machine[core].os_units) EXPECT_TRUE(units.insert(unit).second);
  }
  EXPECT_NE(machine.summary().find(std::to_string(machine.size()) + " core"), std::string::npos);
  EXPECT_TRUE(machine.description().ends_with(machine.summary())) << "behind the processor's name, where it is told";
}

TEST(topology, has_only_the_cores_that_the_process_may_run_on_and_notes_those_it_may_not) {
  const topology before = topology::local();
  if (before.size() < 2) GTEST_SKIP() << "needs two cores";
  cpu_set_t saved, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof saved, &saved), 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(before[1].os_units[0]), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const topology restricted = topology::local();
  ASSERT_EQ(sched_setaffinity(0, sizeof saved, &saved), 0);
  ASSERT_EQ(restricted.size(), 1);
  EXPECT_EQ(restricted[0].os_units, std::vector<int>{before[1].os_units[0]});
  ASSERT_EQ(restricted.notes().size(), 1u);
  EXPECT_NE(restricted.notes()[0].find("may use 1 of the machine's"), std::string::npos) << restricted.notes()[0];
}

// The environment says that there are no plugins only while that is asked for. It is left alone where the user has said
// where they are, and where another thread could read it meanwhile.
TEST(topology, is_read_without_plugins_and_leaves_the_environment_as_it_was) {
  const char* const folder = "HWLOC_PLUGINS_PATH";
  const char* const before = std::getenv(folder);
  if (before) GTEST_SKIP() << "the user has said where plugins are";
#if __has_include(<sys/single_threaded.h>)
  if (__libc_single_threaded) {
    const without_plugins meanwhile;
    EXPECT_STREQ(std::getenv(folder), "/dev/null");
  }
#endif
  EXPECT_EQ(std::getenv(folder), nullptr);
  topology::local();
  EXPECT_EQ(std::getenv(folder), nullptr);

  ASSERT_EQ(setenv(folder, "/there", 1), 0);
  {
    const without_plugins meanwhile;
    EXPECT_STREQ(std::getenv(folder), "/there");
  }
  EXPECT_STREQ(std::getenv(folder), "/there");
  ASSERT_EQ(unsetenv(folder), 0);

  std::binary_semaphore end(0);
  std::thread other([&] { end.acquire(); });
  {
    const without_plugins meanwhile;
    EXPECT_EQ(std::getenv(folder), nullptr);
  }
  end.release();
  other.join();
}

struct shape {
  const char* text;
  int cores, units_each;
  const char* summary;
};

TEST(topology, synthetic_shapes_have_the_cores_that_their_text_says) {
  for (const shape& s : {shape{"pu:1", 1, 1, "1 core, 1 package, 1 NUMA node, 1 L3"},
                         shape{"package:4 core:12 pu:1", 48, 1, "48 cores, 4 packages, 1 NUMA node, 4 L3s"},
                         shape{"package:2 core:4 pu:2", 8, 2, "8 cores, 2 packages, 1 NUMA node, 2 L3s"},
                         shape{"numa:3 core:5 pu:2", 15, 2, "15 cores, 1 package, 3 NUMA nodes, 1 L3"},
                         shape{"package:2 numa:1 l3:3 core:7 pu:1", 42, 1, "42 cores, 2 packages, 2 NUMA nodes, 6 L3s"},
                         shape{"core:1 pu:8", 1, 8, "1 core, 1 package, 1 NUMA node, 1 L3"},
                         shape{"package:64 core:64 pu:1", 4096, 1, "4096 cores, 64 packages, 1 NUMA node, 64 L3s"},
                         shape{"package:3 l3:2 core:5 pu:2", 30, 2, "30 cores, 3 packages, 1 NUMA node, 6 L3s"},
                         shape{"package:2 numa:2 core:3 pu:4", 12, 4, "12 cores, 2 packages, 4 NUMA nodes, 2 L3s"},
                         shape{"numa:2 package:2 l3:1 core:3 pu:3", 12, 3, "12 cores, 4 packages, 2 NUMA nodes, 4 L3s"},
                         shape{"8", 8, 1, "8 cores, 1 package, 1 NUMA node, 1 L3"}}) {
    const topology machine = topology::synthetic(s.text);
    ASSERT_EQ(machine.size(), s.cores) << s.text;
    EXPECT_TRUE(machine.is_synthetic());
    EXPECT_EQ(machine.summary(), s.summary) << s.text;
    for (int core : machine.all()) EXPECT_EQ(static_cast<int>(machine[core].os_units.size()), s.units_each) << s.text;
  }
}

TEST(topology, cores_that_are_neighbours_by_number_are_neighbours_in_caches) {
  const topology machine = topology::synthetic("package:2 l3:2 core:3 pu:2");
  for (int core : machine.all()) {
    EXPECT_EQ(machine[core].package, core / 6);
    EXPECT_EQ(machine[core].l3, core / 3);
  }
}

TEST(topology, of_a_synthetic_machine_with_a_cpuset_has_the_cores_that_it_leaves_in_their_places) {
  // The machine has 2 packages of 2 L3s of 3 cores of 2 units; left are one unit of core 0, all of core 4, core 11's
  // second unit.
  const topology machine = topology::synthetic("package:2 l3:2 core:3 pu:2", {23, 9, 8, 1});
  EXPECT_EQ(machine.summary(), "3 cores, 2 packages, 1 NUMA node, 3 L3s");
  EXPECT_EQ(machine[0].os_units, std::vector<int>{1});
  EXPECT_EQ(machine[1].os_units, (std::vector<int>{8, 9}));
  EXPECT_EQ(machine[2].os_units, std::vector<int>{23});
  EXPECT_EQ(machine[0].package, machine[1].package);
  EXPECT_NE(machine[1].package, machine[2].package);
  EXPECT_NE(machine[0].l3, machine[1].l3);
  EXPECT_EQ(machine.notes(), std::vector<std::string>{"This process may use 3 of the machine's 12 cores."});
  EXPECT_EQ(testing::refusal([] {
              topology::synthetic("core:4 pu:1", {0, 4});
            }),
            "\"core:4 pu:1\" has no processing unit 4; it has 4, from 0");
  EXPECT_EQ(testing::refusal([] { topology::synthetic("core:4 pu:1", std::vector<int>{}); }),
            "no processing unit of \"core:4 pu:1\" is allowed");
}

TEST(topology, within_a_cpu_quota_has_its_first_cores_as_many_as_the_quota_feeds) {
  const topology whole = topology::synthetic("package:2 core:2 pu:2");
  EXPECT_EQ(whole.cpu_quota(), std::nullopt);
  struct expected {
    double quota;
    int cores;
    std::vector<std::string> notes;
  };
  for (const expected& e :
       {expected{
            0.01,
            1,
            {"A CPU quota of 0.01 cores limits this process: 1 of 4 cores is used, and stopped for part of the time."}},
        expected{1, 1, {"A CPU quota of 1 core limits this process: 1 of 4 cores is used."}},
        expected{1.99, 1, {"A CPU quota of 1.99 cores limits this process: 1 of 4 cores is used."}},
        expected{3.5, 3, {"A CPU quota of 3.5 cores limits this process: 3 of 4 cores are used."}}, expected{4, 4, {}},
        expected{1e300, 4, {}}}) {
    const topology limited = whole.within_quota(e.quota);
    ASSERT_EQ(limited.size(), e.cores) << e.quota;
    EXPECT_EQ(limited.notes(), e.notes);
    EXPECT_EQ(limited.cpu_quota(), e.quota);
    for (int core : limited.all()) EXPECT_EQ(limited[core].os_units, whole[core].os_units);
  }
}

TEST(topology, within_a_cpu_quota_and_a_cpuset_is_limited_by_the_stricter_and_notes_both) {
  const topology cpuset = topology::synthetic("core:4 pu:2", {2, 3, 5});
  const topology limited = cpuset.within_quota(1.5);
  ASSERT_EQ(limited.size(), 1);
  EXPECT_EQ(limited[0].os_units, (std::vector<int>{2, 3}));
  EXPECT_EQ(limited.notes(),
            (std::vector<std::string>{"This process may use 2 of the machine's 4 cores.",
                                      "A CPU quota of 1.5 cores limits this process: 1 of 2 cores is used."}));
  EXPECT_EQ(cpuset.within_quota(3).notes().size(), 1u);
  EXPECT_EQ(
      topology::synthetic("pu:1").within_quota(0.5).notes(),
      std::vector<std::string>{
          "A CPU quota of 0.5 cores limits this process: 1 of 1 core is used, and stopped for part of the time."});
}

TEST(topology, a_text_that_is_no_topology_is_refused_by_name) {
  for (const char* text : {"", "nonsense", "core:0", "core:-1 pu:1", "pu:1 core:2"}) {
    const std::string message = testing::refusal([&] { topology::synthetic(text); });
    EXPECT_NE(message.find(std::string("\"").append(text).append("\"")), std::string::npos)
        << text << " -> " << message;
  }
}

// hwloc would take a minute for the smallest of these.
TEST(topology, a_machine_that_would_be_read_for_long_is_refused) {
  for (const char* text :
       {"core:65536 pu:1", "core:12000 pu:1", "8192 8", "333 8 8", "65536 1", "1000000000000000000000",
        "pu:1000000 pu:1000000", "package:256 core:16 pu:16", "16384 1 1 1"}) {
    const std::string message = testing::refusal([&] { topology::synthetic(text); });
    EXPECT_NE(message.find("would read it for long"), std::string::npos) << text << " -> " << message;
  }
  EXPECT_EQ(topology::synthetic("package:64 core:64 pu:2").size(), 4096);
  EXPECT_EQ(topology::synthetic("core:2048 pu:1").size(), 2048);
}

// 4093 is a prime: no groups of one size make it.
TEST(topology, of_many_cores_side_by_side_has_exactly_these) {
  for (const int cores : {3001, 4093, 4096, 10'000}) {
    const topology made = topology::synthetic("core:" + std::to_string(cores) + " pu:1");
    ASSERT_EQ(made.size(), cores);
    EXPECT_EQ(made.notes(), std::vector<std::string>());
    for (const int i : {0, cores / 2, cores - 1}) {
      EXPECT_EQ(made[i].os_units, std::vector<int>{i});
      EXPECT_EQ(made[i].package, made[0].package);
      EXPECT_EQ(made[i].l3, made[0].l3);
      EXPECT_EQ(made[i].numa_node, made[0].numa_node);
    }
  }
  const topology threads = topology::synthetic("core:3001 pu:2 kinds:1xP,3000xE@0.5");
  EXPECT_EQ(threads.size(), 3001);
  EXPECT_EQ(threads[3000].os_units, (std::vector<int>{6000, 6001}));
  EXPECT_EQ(threads[3000].kind, 1);
}

TEST(topology, of_a_negative_number_of_cores_is_refused_for_it) {
  EXPECT_EQ(testing::refusal([] { topology::synthetic("core:-1"); }),
            "the synthetic topology \"core:-1\" has a negative number of objects; expected was 1 or more");
}

}  // namespace
}  // namespace weir
