#include "runtime/process/memory_group.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <weir/weir.hpp>

#include <weir/process.hpp>
#include "runtime/process/child.hpp"
#include "runtime/process/guardian.hpp"
#include "tests/runtime/process/watched_processes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::detail::processes {
namespace {

using std::filesystem::path;
using testing::scratch_folder;
using testing::watched_processes;

constexpr std::uint64_t mib = 1u << 20;

// ---- where groups are made ----

// A system's files. Its hierarchy has the groups a and a/b.
class memory_groups : public ::testing::Test {
 protected:
  memory_groups() {
    write("proc/self/mountinfo",
          "24 1 0:22 / /sys rw - sysfs sysfs rw\n25 24 0:22 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 c rw\n");
    for (const char* group : {"", "a/", "a/b/"}) {
      controls(group, "cpu");
      write(top + group + "cgroup.procs", "");
    }
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << text;
  }
  void controls(const std::string& group, const std::string& what) {
    write(top + group + "cgroup.subtree_control", what + "\n");
  }
  void is_in(const std::string& group) {
    write("proc/self/cgroup", "4:memory:/other\n1:name=systemd:/init.scope\n0::" + group + "\n");
  }
  // Where they are made, from the topmost group on.
  std::string place() {
    const auto found = folder_for_memory_groups(root());
    return found ? found->lexically_relative(root() / "sys/fs/cgroup").string() : "nowhere";
  }
  path root() const { return folder_.path(); }
  const std::string top = "sys/fs/cgroup/";

 private:
  const scratch_folder folder_;
};

TEST_F(memory_groups, are_made_in_the_own_group_or_in_the_one_above_where_that_bounds_memory) {
  is_in("/a/b");
  EXPECT_EQ(place(), "nowhere") << "none bounds memory";
  controls("", "cpu memory");
  EXPECT_EQ(place(), "nowhere") << "two above";
  controls("a/", "cpu memory pids");
  EXPECT_EQ(place(), "a");
  controls("a/b/", "memory");
  EXPECT_EQ(place(), "a/b");
  is_in("/");
  EXPECT_EQ(place(), ".");
}

TEST_F(memory_groups, are_made_nowhere_above_the_topmost_group_that_is_seen) {
  write(top + "../cgroup.subtree_control", "memory\n");
  write(top + "../cgroup.procs", "");
  is_in("/");
  EXPECT_EQ(place(), "nowhere");
}

TEST_F(memory_groups, are_found_where_a_part_of_the_hierarchy_is_seen) {
  write("proc/self/mountinfo",
        "25 24 0:22 /outer /elsewhere rw - cgroup2 c rw\n26 24 0:22 /docker/1 /sys/fs/cgroup rw - cgroup2 c rw\n");
  controls("a/", "memory");
  is_in("/docker/1/a/b");
  EXPECT_EQ(place(), "a");
  is_in("/docker/2/a/b");
  EXPECT_EQ(place(), "nowhere");
  is_in("/../a/b");
  EXPECT_EQ(place(), "nowhere") << "outside of what is seen";
}

TEST_F(memory_groups, are_made_nowhere_on_a_system_without_version_2) {
  controls("", "memory");
  EXPECT_EQ(place(), "nowhere") << "no group is told";
  write("proc/self/cgroup", "4:memory:/a\n");
  EXPECT_EQ(place(), "nowhere");
  is_in("/");
  write("proc/self/mountinfo", "25 24 0:22 / /sys/fs/cgroup rw - cgroup c rw,memory\n25 cgroup2\n");
  EXPECT_EQ(place(), "nowhere");
}

TEST_F(memory_groups, are_made_by_root_only_where_systemd_leaves_them_to_others) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may write where systemd alone does";
  is_in("/a/b");
  controls("a/", "memory");
  write("run/systemd/system/x", "");
  EXPECT_EQ(place(), "nowhere");
  if (setxattr((root() / top / "a").c_str(), "user.delegate", "1", 1, 0) != 0)
    GTEST_SKIP() << "this file system has no such marks";
  EXPECT_EQ(place(), "a");
  controls("a/b/", "memory");
  EXPECT_EQ(place(), "a/b") << "and below";
}

// As a service with Delegate=memory and DelegateSubgroup=b.
TEST_F(memory_groups, are_made_in_a_group_that_systemd_delegates_and_that_does_not_bound_memory_yet) {
  is_in("/a/b");
  write(top + "a/cgroup.controllers", "cpu memory pids\n");
  EXPECT_EQ(place(), "nowhere");
  if (setxattr((root() / top / "a").c_str(), "user.delegate", "1", 1, 0) != 0)
    GTEST_SKIP() << "this file system has no such marks";
  EXPECT_EQ(place(), "a");
  EXPECT_EQ(testing::contents(root() / top / "a/cgroup.subtree_control"), "+memory");
  controls("a/", "cpu");
  write(top + "a/cgroup.controllers", "cpu pids\n");
  EXPECT_EQ(place(), "nowhere") << "memory is not delegated";
}

TEST_F(memory_groups, are_made_by_others_only_where_they_may_write) {
  is_in("/a/b");
  controls("a/", "memory");
  EXPECT_EQ(place(), "a");
  std::filesystem::permissions(root() / top / "a/cgroup.procs", std::filesystem::perms::owner_read);
  if (access((root() / top / "a/cgroup.procs").c_str(), W_OK) == 0) GTEST_SKIP() << "root may write everywhere";
  EXPECT_EQ(place(), "nowhere");
}

// ---- a group ----

TEST(a_memory_group, writes_its_bounds_and_reads_what_the_system_tells) {
  const scratch_folder folder;
  const memory_group group(folder.at("g"), 64 * mib);
  EXPECT_EQ(testing::contents(folder.at("g/memory.max")), "67108864");
  EXPECT_EQ(testing::contents(folder.at("g/memory.swap.max")), "0");
  EXPECT_EQ(testing::contents(folder.at("g/memory.oom.group")), "1");
  EXPECT_EQ(group.peak_bytes(), 0u) << "it is not told";
  EXPECT_FALSE(group.has_killed());
  std::ofstream(folder.at("g/memory.peak")) << "12345678\n";
  std::ofstream(folder.at("g/memory.events")) << "low 0\nhigh 7\nmax 3\noom 2\noom_kill 0\noom_group_kill 9\n";
  EXPECT_EQ(group.peak_bytes(), 12345678u);
  EXPECT_FALSE(group.has_killed());
  std::ofstream(folder.at("g/memory.events")) << "max 3\noom 2\noom_kill 2\n";
  EXPECT_TRUE(group.has_killed());
}

TEST(a_memory_group, that_cannot_be_made_is_one_error_that_names_it) {
  const scratch_folder folder;
  EXPECT_EQ(testing::refusal<std::system_error>([&] { memory_group(folder.at("no/g"), mib); }),
            "the control group " + folder.at("no/g") + " cannot be made: No such file or directory");
}

TEST(a_bound_of_memory, is_named_where_it_may_be_why_a_process_ended) {
  ending e;
  e.signal = SIGSEGV;
  EXPECT_EQ(words_of_bound(64 * mib, e), "; its memory is bounded to 64 MiB");
  EXPECT_EQ(words_of_bound(0, e), "");
  e.out_of_memory = true;
  EXPECT_EQ(words_of_bound(3 * 512 * mib, e), "; it needed more memory than its bound, 1536 MiB");
  EXPECT_EQ(words_of_bound(1'000'000'001, e), "; it needed more memory than its bound, 1000000001 bytes");
  ending said;
  said.code = 1;
  EXPECT_EQ(words_of_bound(mib, said), "");
  said.code = 127;
  EXPECT_EQ(words_of_bound(std::uint64_t{2} << 40, said), "; its memory is bounded to 2 TiB");
}

// ---- groups of this system ----

// Skips where this process may make none.
class a_child_in_a_memory_group : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = folder_for_memory_groups();
    if (!found) GTEST_SKIP() << "no control group in which memory can be bounded is delegated to this process";
    folder_ = *found;
  }
  void TearDown() override {
    if (folder_.empty()) return;
    EXPECT_EQ(groups(), std::vector<path>{}) << "a group is left";
  }
  std::vector<path> groups() const {
    std::vector<path> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().filename().string().starts_with("weir-")) all.push_back(entry.path());
    return all;
  }
  launch shell(const std::string& script, std::uint64_t memory) const {
    launch how{.arguments = {"sh", "-c", script}};
    how.memory = memory;
    how.group = folder_ / "weir-test";
    return how;
  }
  path folder_;
};

TEST_F(a_child_in_a_memory_group, is_ended_with_all_its_processes_when_they_need_more) {
  const ending e =
      *child::start(shell("dd if=/dev/zero of=/dev/null bs=48M count=1 & dd if=/dev/zero of=/dev/null bs=512M count=1; "
                          "exit 0",
                          64 * mib))
           .wait();
  EXPECT_EQ(e.signal, SIGKILL);
  EXPECT_TRUE(e.out_of_memory);
}

TEST_F(a_child_in_a_memory_group, may_map_more_than_it_touches) {
  const ending e = *child::start(shell("exit 0", 8 * mib)).wait();
  EXPECT_EQ(e.signal, 0);
  EXPECT_FALSE(e.out_of_memory);
}

TEST_F(a_child_in_a_memory_group, has_its_own_peak_also_where_this_program_has_more_memory) {
  std::vector<char> large(256 * mib, 1);
  const ending e = *child::start(shell("dd if=/dev/zero of=/dev/null bs=32M count=1 2>/dev/null", 128 * mib)).wait();
  EXPECT_EQ(e.code, 0);
  EXPECT_GT(e.peak_bytes, 32 * mib);
  EXPECT_LT(e.peak_bytes, 48 * mib);
  EXPECT_EQ(large.back(), 1);
}

TEST_F(a_child_in_a_memory_group, ends_with_the_processes_that_left_its_process_group) {
  watched_processes watched;
  launch how = shell("setsid sh -c 'echo started > $0; exec cat $1' $0 $1 &", 64 * mib);
  how.arguments.insert(how.arguments.end(), {watched.told(), watched.path()});
  child c = child::start(how);
  watched.wait_for_one();
  EXPECT_EQ(c.wait()->code, 0);
  EXPECT_TRUE(watched.all_have_ended());
}

TEST_F(a_child_in_a_memory_group, of_a_command_costs_its_record_with_the_bound_in_words) {
  constexpr tag n{"n"};
  const network net = command("copy", takes(n), gives_none,
                              {"sh", "-c", "dd if=/dev/zero of=/dev/null bs=${0}M count=1 2>/dev/null", n})
                          .memory(64 * mib);
  execution run = start(net, {.on_error = on_error::collect});
  for (const int megabytes : {8, 512, 16}) run.send(n = megabytes);
  run.close();
  run.wait();
  ASSERT_EQ(run.errors().size(), 1u);
  const failure& f = run.errors().front();
  EXPECT_EQ(f.record, "{<n>=512}");
  EXPECT_NE(f.cause.find("was ended by SIGKILL (Killed); it needed more memory than its bound, 64 MiB"),
            std::string::npos)
      << f.cause;
}

TEST_F(a_child_in_a_memory_group, leaves_none_where_its_program_is_killed) {
  watched_processes watched;
  child program = child::start({.arguments = {WEIR_PROCESS_PARENT, watched.path(), watched.told(), "64"}});
  watched.wait_for_one();
  EXPECT_EQ(groups().size(), 1u);
  kill(program.pid(), SIGKILL);
  EXPECT_EQ(program.wait()->signal, SIGKILL);
  EXPECT_TRUE(watched.all_have_ended());
  EXPECT_TRUE(testing::eventually([&] { return groups().empty(); }));
}

}  // namespace
}  // namespace weir::detail::processes
