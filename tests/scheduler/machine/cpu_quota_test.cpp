#include "scheduler/machine/cpu_quota.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "scheduler/machine/memory_limit.hpp"
#include "tests/support/scratch_folder.hpp"

// The files of a Linux system's control groups, made in a folder: the tests do not read those of this machine.
namespace weir {
namespace {

namespace fs = std::filesystem;

class a_cpu_quota : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    const fs::path whole = root_ / file;
    fs::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  void groups(const std::string& lines) const { write("proc/self/cgroup", lines); }
  void mounts(const std::string& lines) const {
    write("proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime - proc proc rw\n" + lines);
  }
  void limit_v1(const std::string& folder, const std::string& quota, const std::string& period = "100000") const {
    write(folder + "/cpu.cfs_quota_us", quota + "\n");
    write(folder + "/cpu.cfs_period_us", period + "\n");
  }
  std::optional<double> quota() const { return cpu_quota(root_); }

  testing::scratch_folder folder_;
  const fs::path& root_ = folder_.path();
};

constexpr auto no_limit = std::nullopt;
const std::string v2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1 = "33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

TEST_F(a_cpu_quota, of_version_2_is_quota_over_period_and_max_is_none) {
  groups("0::/\n");
  mounts(v2);
  EXPECT_EQ(quota(), no_limit);  // the root group of a machine has no such file
  for (const auto& [text, cores] : {std::pair{"150000 100000\n", 1.5}, {"50000 100000\n", 0.5}, {"20000 10000", 2.0}}) {
    write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(quota(), cores) << text;
  }
  write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), no_limit);
}

// A reader finds a limit that has changed, and the limits of other groups once the process is in these.
TEST_F(a_cpu_quota, is_read_again_where_the_process_is) {
  groups("0::/one\n");
  mounts(v2);
  write("sys/fs/cgroup/one/cpu.max", "200000 100000");
  write("sys/fs/cgroup/other/cpu.max", "300000 100000");
  cpu_quota_reader reader(root_);
  EXPECT_EQ(reader.read(), 2);
  write("sys/fs/cgroup/one/cpu.max", "150000 100000");
  EXPECT_EQ(reader.read(), 1.5);
  write("sys/fs/cgroup/one/cpu.max", "max 100000");
  EXPECT_EQ(reader.read(), no_limit);
  groups("0::/other\n");
  EXPECT_EQ(reader.read(), 3);
  fs::remove_all(root_ / "sys");
  EXPECT_EQ(reader.read(), no_limit);
}

TEST_F(a_cpu_quota, of_version_1_is_that_of_the_controller_named_cpu_and_minus_one_is_none) {
  groups("5:cpuset:/\n4:cpuacct,cpu:/\n3:cpuacct:/other\n1:name=systemd:/init.scope\n");
  mounts(v1);
  limit_v1("sys/fs/cgroup/cpu,cpuacct", "250000");
  EXPECT_EQ(quota(), 2.5);
  limit_v1("sys/fs/cgroup/cpu,cpuacct", "-1");
  EXPECT_EQ(quota(), no_limit);

  groups("3:cpuacct:/\n2:cpuset:/\n");  // neither is `cpu`
  limit_v1("sys/fs/cgroup/cpu,cpuacct", "250000");
  EXPECT_EQ(quota(), no_limit);
}

TEST_F(a_cpu_quota, is_the_least_of_the_group_and_all_groups_around_it) {
  groups("0::/kubepods/pod 1:a/inner\n");
  mounts(v2);
  write("sys/fs/cgroup/kubepods/pod 1:a/inner/cpu.max", "max 100000");
  EXPECT_EQ(quota(), no_limit);
  write("sys/fs/cgroup/kubepods/cpu.max", "700000 100000");
  EXPECT_EQ(quota(), 7);
  write("sys/fs/cgroup/kubepods/pod 1:a/cpu.max", "300000 100000");
  EXPECT_EQ(quota(), 3);
  write("sys/fs/cgroup/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2);
  write("sys/fs/cgroup/kubepods/pod 1:a/inner/cpu.max", "100000 100000");
  EXPECT_EQ(quota(), 1);
  write("sys/fs/cgroup/kubepods/pod 2/cpu.max", "10000 100000");  // another group's
  EXPECT_EQ(quota(), 1);
}

TEST_F(a_cpu_quota, in_a_hybrid_system_is_found_wherever_the_controller_is) {
  groups("4:cpu,cpuacct:/job\n0::/job\n");
  mounts("32 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" + v1);
  write("sys/fs/cgroup/unified/job/cpu.stat", "usage_usec 1\n");
  limit_v1("sys/fs/cgroup/cpu,cpuacct/job", "400000", "200000");
  EXPECT_EQ(quota(), 2);
}

TEST_F(a_cpu_quota, is_found_where_only_the_containers_own_group_is_mounted) {
  // The group and the mount are named as seen from outside the container.
  groups("4:cpu,cpuacct:/docker/1f/sub\n");
  mounts("33 31 0:29 /docker/1f /sys/fs/cgroup/cpu rw master:11 shared:9 - cgroup cgroup rw,cpu,cpuacct\n");
  limit_v1("sys/fs/cgroup/cpu", "150000");
  EXPECT_EQ(quota(), 1.5);
  limit_v1("sys/fs/cgroup/cpu/sub", "50000");
  EXPECT_EQ(quota(), 0.5);
  limit_v1("sys/fs/cgroup/cpu/docker/1f", "10000");  // not a group of this process
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(a_cpu_quota, is_that_of_the_mount_where_none_shows_the_group_by_its_name) {
  mounts("33 31 0:29 /docker/1f /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
  write("sys/fs/cgroup/cpu.max", "150000 100000");
  for (const char* name : {"0::/\n", "0::/docker/1\n", "0::/docker/1f2\n"}) {
    groups(name);
    EXPECT_EQ(quota(), 1.5) << name;
  }
  groups("0::/../neighbour\n");  // outside the namespace
  EXPECT_EQ(quota(), no_limit);
  mounts(v2 + "33 31 0:29 /docker/1f /mnt rw - cgroup2 cgroup rw\n");  // one mount shows it, so the other belongs to
                                                                       // another group
  write("mnt/cpu.max", "10000 100000");
  groups("0::/\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(a_cpu_quota, is_found_through_any_mount_line) {
  groups("0::/a\n");
  for (const char* optional : {"", "shared:1 ", "shared:1 master:2 propagate_from:3 unbindable "}) {
    mounts(std::string("30 24 0:26 / /mnt/a\\040b\\134c rw,nosuid ") + optional + "- cgroup2 none rw\n");
    write("mnt/a b\\c/a/cpu.max", "150000 100000");
    EXPECT_EQ(quota(), 1.5) << optional;
  }
  mounts("30 24 0:26 / /mnt/\\04 rw - cgroup2 none rw\n");  // not an escape: that has three digits
  write("mnt/\\04/a/cpu.max", "250000 100000");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(a_cpu_quota, that_nobody_can_make_sense_of_is_none) {
  groups("0::/a\n");
  mounts(v2);
  for (const char* text : {"", "\n", "max", "150000", "-150000 100000", "0 100000", "150000 0", "150000 -1", "max max",
                           "many cores", "1e999 1", "150000x 100000", "nan nan"}) {
    write("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(quota(), no_limit) << text;
  }
  write("sys/fs/cgroup/a/cpu.max", "150000 100000");
  for (const char* text : {"", "\n", "0", "0:", "0::", "0::a", ":::", "x", "1:cpux:/a", "1:xcpu,y:/a"}) {
    groups(text);
    EXPECT_EQ(quota(), no_limit) << text;
  }
  groups("garbage\n0::/a\n\n");
  EXPECT_EQ(quota(), 1.5);
  for (const char* text :
       {"", "- - - -", "30 24 0:26 / /sys/fs/cgroup rw cgroup2 cgroup2 rw", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2",
        "30 24 0:26 / /sys/fs/cgroup - cgroup2 x rw", "30 24 0:26  - - - - - - - -", "1 2 3 4 5 6 7 8 9 10 11 12 -"}) {
    write("proc/self/mountinfo", text);
    EXPECT_EQ(quota(), no_limit) << text;
  }
}

TEST_F(a_cpu_quota, is_none_where_files_are_missing_or_are_folders) {
  EXPECT_EQ(quota(), no_limit);
  EXPECT_EQ(cpu_quota(root_ / "nowhere"), no_limit);
  groups("4:cpu:/a\n0::/a\n");
  EXPECT_EQ(quota(), no_limit);
  mounts(v1 + v2);
  EXPECT_EQ(quota(), no_limit);
  fs::create_directories(root_ / "sys/fs/cgroup/a/cpu.max");
  EXPECT_EQ(quota(), no_limit);
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000");  // without a period
  EXPECT_EQ(quota(), no_limit);
}

TEST_F(a_cpu_quota, is_none_where_files_may_not_be_read) {
  groups("0::/a\n");
  mounts(v2);
  write("sys/fs/cgroup/a/cpu.max", "150000 100000");
  write("sys/fs/cgroup/cpu.max", "250000 100000");
  const auto as_user = [this] {  // root may read everything
    const bool is_root = ::geteuid() == 0;
    if (is_root && ::seteuid(65534) != 0) return std::optional<double>(-1);
    const auto seen = quota();
    if (is_root && ::seteuid(0) != 0) std::abort();
    return seen;
  };
  fs::permissions(root_, fs::perms(0755));
  EXPECT_EQ(as_user(), 1.5);
  fs::permissions(root_ / "sys/fs/cgroup/a", fs::perms::none);
  EXPECT_EQ(as_user(), 2.5);
  fs::permissions(root_ / "sys/fs/cgroup/cpu.max", fs::perms::none);
  EXPECT_EQ(as_user(), no_limit);
  fs::permissions(root_ / "proc/self/mountinfo", fs::perms::none);
  EXPECT_EQ(as_user(), no_limit);
  fs::permissions(root_ / "sys/fs/cgroup/a", fs::perms(0755));
}

// The least limit of all groups around the process counts. The word "max" is no limit, and neither is a number beyond
// the memory of the machine.
TEST_F(a_cpu_quota, stands_in_the_same_groups_as_a_limit_of_memory) {
  groups("5:memory:/user/a\n0::/user/a\n");
  mounts(v2);
  const std::int64_t all = memory_limit(root_);
  EXPECT_GT(all, 0);
  write("sys/fs/cgroup/user/memory.max", "max\n");
  EXPECT_EQ(memory_limit(root_), all);
  write("sys/fs/cgroup/user/memory.max", "20000000\n");
  write("sys/fs/cgroup/user/a/memory.max", "30000000\n");
  EXPECT_EQ(memory_limit(root_), 20'000'000);
  mounts("33 31 0:29 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n");
  write("sys/fs/cgroup/memory/user/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit(root_), all);
  write("sys/fs/cgroup/memory/user/a/memory.limit_in_bytes", "10000000\n");
  EXPECT_EQ(memory_limit(root_), 10'000'000);
}

}  // namespace
}  // namespace weir
