#include "runtime/machine/foreign_load.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "runtime/machine/lane_usage.hpp"
#include "runtime/machine/proc_children.hpp"
#include "runtime/machine/proc_stat.hpp"
#include "runtime/machine/proc_task.hpp"
#include "runtime/machine/worker_clocks.hpp"
#include "tests/runtime/machine/manual_clocks.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/work.hpp"

namespace weir::detail {
namespace {

using testing::manual_clocks;
using testing::scratch_folder;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// ---- the numbers of the system ----

class files_of_a_system : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = root() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::filesystem::path root() const { return folder_.path(); }

 private:
  scratch_folder folder_;
};

TEST_F(files_of_a_system, say_what_processing_units_spent_on_all_but_waiting) {
  write("proc/stat",
        "cpu  9999 9999 9999 9999 9999 9999 9999 9999 9999 9999\n"
        "cpu0 100 20 30 7000 8000 4 5 600 77 88\n"
        "cpu1 1 0 0 0 0 0 0 0 0 0\n"
        "cpu10 10 0 0 0 0 0 0 0 0 0\n"
        "intr 5 5 5\ncpu3 1 1 1 1\n");
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(busy_seconds({0}, root()), tick * (100 + 20 + 30 + 4 + 5 + 600)) << "guests are in user and nice";
  EXPECT_DOUBLE_EQ(busy_seconds({10, 1}, root()), tick * 11) << "cpu1 and cpu10 are two";
  EXPECT_TRUE(std::isnan(busy_seconds({0, 2}, root()))) << "of one it says nothing";
  EXPECT_TRUE(std::isnan(busy_seconds({}, root())));
}

TEST_F(files_of_a_system, say_nothing_where_they_are_missing_short_or_nonsense) {
  EXPECT_TRUE(std::isnan(busy_seconds({0}, root())));
  for (const char* text :
       {"", "cpu0\n", "cpu0 1 2 3\n", "cpu0 a b c d\n", "cpux 1 2 3 4\n", "\n\n", "cpu0x 1 2 3 4\n"}) {
    write("proc/stat", text);
    EXPECT_TRUE(std::isnan(busy_seconds({0}, root()))) << text;
  }
  write("proc/stat", "cpu0 10 0 5 900\n");  // Linux 2.4
  EXPECT_GT(busy_seconds({0}, root()), 0);
}

TEST_F(files_of_a_system, tell_a_file_of_a_container_from_the_kernel_s) {
  EXPECT_TRUE(is_of_kernel(root())) << "nothing says otherwise";
  write("proc/self/mountinfo",
        "25 30 0:23 / /proc rw,nosuid - proc proc rw\n26 30 0:5 / /proc/statistics rw - x x rw\n");
  EXPECT_TRUE(is_of_kernel(root()));
  write("proc/self/mountinfo",
        "25 30 0:23 / /proc rw - proc proc rw\n99 25 0:66 /proc/stat /proc/stat rw - fuse.lxcfs lxcfs rw\n");
  EXPECT_FALSE(is_of_kernel(root()));
}

// A process's times are the last four numbers here, in ticks.
std::string stat_of(const std::string& name, const std::string& times) {
  return "7 (" + name + ") S 1 7 7 0 -1 4194560 96 0 0 0 " + times + " 20 0 1 0 33 0 0\n";
}

TEST_F(files_of_a_system, say_what_children_computed_that_still_run_and_theirs) {
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(seconds_of_running_children(root()), 0) << "it does not tell";
  write("proc/self/stat", stat_of("self", "9999 9999 9999 9999"));
  write("proc/self/task/1/children", "");
  EXPECT_EQ(seconds_of_running_children(root()), 0);
  write("proc/self/task/1/children", "20 30 ");
  write("proc/self/task/2/children", "40 ");
  write("proc/20/stat", stat_of("a) R 1 2 3 (b", "100 20 3 4"));
  write("proc/20/task/20/children", "50 ");
  write("proc/20/task/21/children", "");
  write("proc/30/stat", "30 (cut) S 1 7");
  write("proc/50/stat", stat_of("of a child", "1000 0 0 0"));
  write("proc/60/stat", stat_of("of another", "5 5 5 5"));
  EXPECT_DOUBLE_EQ(seconds_of_running_children(root()), tick * (127 + 1000)) << "40 has ended";
}

// ---- the share of others ----

class foreign : public ::testing::Test {
 protected:
  foreign() { machine_.used = {.by_all = 1000, .by_process = 50, .units = 2}; }

  // Seconds pass, in which others and this process use the cores.
  double after(double seconds, double others, double own) {
    machine_.time += seconds;
    machine_.used.by_all += others + own;
    machine_.used.by_process += own;
    load_.sample({});
    return load_.latest();
  }

  manual_clocks machine_;
  foreign_load load_{machine_};
};

TEST_F(foreign, load_is_what_all_cores_computed_less_what_this_process_did) {
  EXPECT_TRUE(std::isnan(load_.latest()));
  EXPECT_TRUE(std::isnan(after(0.25, 0, 0))) << "there is nothing to compare with yet";
  EXPECT_EQ(after(0.5, 0.75, 0.25), 0.75) << "of two cores";
  EXPECT_TRUE(load_.is_notable());
  EXPECT_EQ(after(0.5, 0, 1), 0) << "a machine that this process alone keeps busy";
  EXPECT_FALSE(load_.is_notable());
  EXPECT_EQ(after(1, 0.25, 0), 0.125);
  EXPECT_TRUE(load_.is_notable());
  EXPECT_EQ(after(1, 0.1875, 1), 0.09375);
  EXPECT_FALSE(load_.is_notable());
}

TEST_F(foreign, load_stays_within_0_and_1_where_ticks_are_miscounted) {
  after(1, 0, 0);
  EXPECT_EQ(after(1, -0.05, 1), 0);
  EXPECT_EQ(after(1, 2.5, 0), 1);
}

TEST_F(foreign, load_is_taken_over_stretches_in_which_ticks_can_be_counted) {
  after(0.25, 0, 0);
  EXPECT_TRUE(std::isnan(after(0.125, 0.25, 0))) << "too short";
  EXPECT_EQ(after(0.125, 0, 0), 0.5) << "both together";
}

TEST_F(foreign, load_of_long_ago_is_not_known_any_more) {
  after(0.25, 0, 0);
  after(0.25, 0.5, 0);
  machine_.time += 1;
  EXPECT_EQ(load_.latest(), 1);
  machine_.time += 0.01;
  EXPECT_TRUE(std::isnan(load_.latest()));
  EXPECT_EQ(after(0, 0, 0), 0) << "the next look tells of all that time";
}

TEST_F(foreign, load_of_cores_that_are_not_real_is_unknown) {
  machine_.used = {};
  for (int i = 0; i < 3; ++i) {
    machine_.time += 1;
    load_.sample({});
    EXPECT_TRUE(std::isnan(load_.latest()));
    EXPECT_FALSE(load_.is_notable());
  }
}

// Where the system does not count the cores' work, or counts this container's alone.
TEST_F(foreign, load_follows_from_the_waits_of_own_threads_where_nothing_else_tells_it) {
  for (const bool is_wrong : {false, true}) {
    machine_.used.by_all = is_wrong ? 1000 : unknown;
    machine_.delayed_in_all = 5;
    const auto waited = [&](double seconds) {
      machine_.time += 1;
      machine_.used.by_process += 0.5;
      machine_.delayed_in_all += seconds;
      load_.sample({});
      return load_.latest();
    };
    waited(0);
    waited(0);
    waited(0);
    EXPECT_DOUBLE_EQ(waited(0.8), 0.4);
    EXPECT_TRUE(load_.is_notable());
    EXPECT_DOUBLE_EQ(waited(9), 0.75) << "threads wait for each other, too: what they used, no other did";
    EXPECT_EQ(waited(-3), 0) << "threads have ended";
    machine_.delayed_in_all = unknown;
    EXPECT_TRUE(std::isnan(waited(0)));
    EXPECT_FALSE(load_.is_notable());
  }
  machine_.used.by_all = 1000;
  after(1, 0, 0);
  EXPECT_EQ(after(1, 0.5, 0), 0.25) << "the system tells it again";
}

TEST(a_real_platform, counts_a_child_that_still_runs_as_this_process) {
  const auto machine = local_platform();
  if (machine->cores_used(machine->cores()->all()).units == 0) GTEST_SKIP() << "the cores are not known";
  if (!std::filesystem::exists("/proc/self/task/" + std::to_string(gettid()) + "/children"))
    GTEST_SKIP() << "this system does not tell of children";
  const auto by_children = [&] {
    return machine->cores_used(machine->cores()->all()).by_process - static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  };
  const double before = by_children();
  const pid_t child = fork();
  if (child == 0)
    for (;;) testing::spend(1'000'000);
  EXPECT_TRUE(testing::eventually([&] { return by_children() > before + 0.1; }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GT(by_children(), before + 0.09) << "waited for, it counts as before";
}

TEST(a_real_platform, tells_what_cores_and_threads_did) {
  const auto machine = local_platform();
  const core_use before = machine->cores_used(machine->cores()->all());
  if (before.units == 0) GTEST_SKIP() << "the cores are not known";
  testing::spend(20'000'000);
  const core_use after = machine->cores_used(machine->cores()->all());
  EXPECT_GT(after.by_process, before.by_process);
  EXPECT_FALSE(after.by_all < before.by_all);
  EXPECT_EQ(thread_of_clock(machine->own_cpu_clock().id), gettid());
  const scheduled_seconds own = seconds_scheduled(gettid());
  if (std::isnan(own.waited)) GTEST_SKIP() << "this system keeps no waits";
  EXPECT_GT(own.on_core, 0);
  EXPECT_GE(machine->delay(machine->own_cpu_clock()), own.waited);
  EXPECT_GE(machine->delay_of_process(), own.waited);
  EXPECT_TRUE(std::isnan(seconds_scheduled(1 << 30).waited)) << "there is no such thread";
}

// ---- by how much an invocation was delayed ----

class delayed : public foreign {
 protected:
  // A lane with its own thread, number 0, and one worker, number 1. Others take cores.
  delayed() : clocks_(machine_, 1, &load_) {
    after(1, 0, 0);
    after(1, 1, 0);
    for (const int thread : {0, 1}) machine_.cpu[thread] = 100, machine_.delays[thread] = 10;
  }
  void worker_comes() {
    machine_.me = 1;
    clocks_.enter(0);
    machine_.me = 0;
  }
  void passes(int thread, double computed, double waited) {
    machine_.cpu[thread] += computed;
    machine_.delays[thread] += waited;
  }

  worker_clocks clocks_;
};

TEST_F(delayed, is_an_invocation_of_one_thread_by_as_long_as_that_thread_waited) {
  lane_usage usage(machine_, nullptr, true);
  usage.begin();
  passes(0, 3, 2);
  usage.end();
  EXPECT_DOUBLE_EQ(usage.delayed_seconds(1000), 2);
  EXPECT_DOUBLE_EQ(usage.cpu_seconds(), 3);
}

// A thread may lose its core while it reads its delay, before or after the invocation.
TEST_F(delayed, is_an_invocation_by_no_more_than_leaves_what_its_threads_computed) {
  lane_usage usage(machine_, nullptr, true);
  usage.begin();
  passes(0, 3, 2);
  usage.end();
  EXPECT_DOUBLE_EQ(usage.delayed_seconds(4), 1);
  EXPECT_EQ(usage.delayed_seconds(3), 0);
  EXPECT_EQ(usage.delayed_seconds(2), 0);

  lane_usage shared(machine_, &clocks_, true);
  shared.begin();
  worker_comes();
  passes(0, 4, 0);
  passes(1, 2, 2);
  shared.end();
  EXPECT_DOUBLE_EQ(shared.delayed_seconds(4), 1);
  EXPECT_DOUBLE_EQ(shared.delayed_seconds(3.5), 0.5) << "six seconds of work for two";
}

TEST_F(delayed, is_a_lane_whose_worker_does_nothing_by_as_long_as_its_own_thread_waited) {
  worker_comes();
  lane_usage usage(machine_, &clocks_, true);
  usage.begin();
  passes(0, 3, 2);
  usage.end();
  EXPECT_DOUBLE_EQ(usage.delayed_seconds(1000), 2);
}

// On cores of its own: 5 s. Here the worker has half a core, so its thread takes over some of its work: 20/3 s pass, in
// which two cores lose 10/3 s.
TEST_F(delayed, is_a_loop_that_balances_itself_by_the_mean_of_its_threads) {
  lane_usage usage(machine_, &clocks_, true);
  usage.begin();
  worker_comes();  // as oneTBB's workers do, after the invocation began
  passes(0, 20.0 / 3, 0);
  passes(1, 10.0 / 3, 10.0 / 3);
  usage.end();
  EXPECT_NEAR(20.0 / 3 - usage.delayed_seconds(1000), 5, 1e-9);
  EXPECT_NEAR(usage.cpu_seconds(), 20.0 / 3, 1e-9) << "CPU time of the longest thread does not tell";
}

TEST_F(delayed, is_an_invocation_also_by_workers_that_left_before_its_end) {
  lane_usage usage(machine_, &clocks_, true);
  usage.begin();
  worker_comes();
  passes(0, 4, 0);
  passes(1, 2, 2);
  machine_.me = 1;
  clocks_.leave(0);
  machine_.me = 0;
  machine_.delays[1] += 50;  // elsewhere
  usage.end();
  EXPECT_DOUBLE_EQ(usage.delayed_seconds(1000), 1);
}

TEST_F(delayed, is_nothing_where_it_is_not_asked_for_or_not_known) {
  for (const bool is_known : {true, false}) {
    if (!is_known) machine_.delays.clear();
    lane_usage usage(machine_, nullptr, !is_known);
    usage.begin();
    passes(0, 3, 2);
    if (!is_known) machine_.delays.clear();
    usage.end();
    EXPECT_EQ(usage.delayed_seconds(1000), 0);
  }
}

TEST_F(delayed, are_workers_by_nothing_while_others_take_no_cores) {
  worker_comes();
  passes(1, 1, 1);
  after(1, 0, 0);  // from now on
  EXPECT_EQ(clocks_.read_times(0).delayed, 0);
  lane_usage usage(machine_, &clocks_, true);
  usage.begin();
  passes(0, 2, 1);
  passes(1, 2, 1);
  usage.end();
  EXPECT_DOUBLE_EQ(usage.delayed_seconds(1000), 1.0 * 3 / 5) << "its own thread's alone";
}

TEST_F(delayed, are_workers_by_nothing_when_others_go_before_the_end) {
  worker_comes();
  passes(1, 1, 1);
  lane_usage usage(machine_, &clocks_, true);
  usage.begin();
  passes(0, 2, 1);
  after(1, 0, 0);
  usage.end();
  EXPECT_DOUBLE_EQ(usage.delayed_seconds(1000), 1) << "its own thread's alone";
}

}  // namespace
}  // namespace weir::detail
