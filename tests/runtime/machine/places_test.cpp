#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/runtime/language/witness.hpp"
#include "tests/support/json.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/scratch_folder.hpp"

// Environments that are more limited than this machine: a small program (places_program.cpp) runs there and reports its
// findings. Each environment is real, made for one process. If this machine does not allow that, the test is skipped.
namespace weir::testing {
namespace {

namespace fs = std::filesystem;
using units = std::vector<int>;

constexpr int not_possible = 77;  // exit code: the place could not be made

class a_process : public ::testing::Test {
 protected:
  // The program's findings after `enter` prepared its process; null if that was not possible, or it failed.
  nlohmann::json run(const std::function<bool()>& enter, const std::vector<std::string>& environment = {}) {
    int ends[2];
    if (::pipe(ends) != 0) return nullptr;
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      for (const std::string& e : environment) ::putenv(const_cast<char*>(e.c_str()));
      char name[] = "places_program";
      char* const arguments[] = {name, nullptr};
      ::alarm(60);  // remains after exec, and ends a program that hangs
      // Opened first: the folder may be out of reach later.
      if (FILE* const program = std::fopen(WEIR_PLACES_PROGRAM, "rb"); program && enter())
        ::fexecve(::fileno(program), arguments, environ);
      ::_exit(not_possible);
    }
    ::close(ends[1]);
    std::string said;
    char part[4096];
    for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    possible_ = !WIFEXITED(status) || WEXITSTATUS(status) != not_possible;
    if (!possible_) return nullptr;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    // Its last line; notes are logged before it.
    const std::size_t before = said.find_last_of('\n', said.size() < 2 ? said.npos : said.size() - 2);
    return parsed(said.substr(before == said.npos ? 0 : before + 1));
  }

  static bool stay() { return true; }

  // The program ran its networks correctly, and unbound threads had the affinity of the environment.
  static void expect_right(const nlohmann::json& seen) {
    ASSERT_TRUE(seen.is_object());
    EXPECT_TRUE(seen["right"].get<bool>());
    EXPECT_EQ(seen["unbound"], seen["whole"]);
  }

  // No thread ran outside its grant, and there is at most one grant per core.
  static void expect_bound(const nlohmann::json& seen) {
    for (const auto& where : seen["bound"])
      EXPECT_NE(std::find(seen["granted"].begin(), seen["granted"].end(), where), seen["granted"].end()) << seen;
  }

  static int noted(const nlohmann::json& seen, const std::string& words) {
    return static_cast<int>(std::count_if(seen["notes"].begin(), seen["notes"].end(), [&](const auto& note) {
      return note.template get<std::string>().find(words) != std::string::npos;
    }));
  }

  bool possible_ = false;
  const scratch_folder empty_;  // where hwloc finds neither /sys nor /proc
};

bool go_to(const units& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

// From here on the kernel answers EPERM to these two system calls, as in a sandbox.
bool forbid(unsigned first, unsigned second) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program{std::size(rules), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Mounts an empty folder over this one, for this process alone.
bool hide(const char* folder) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder, "tmpfs", 0, nullptr) == 0;
}

TEST_F(a_process, that_nothing_hinders_binds_its_threads_and_has_nothing_to_note_of_that) {
  const auto seen = run(stay);
  expect_right(seen);
  expect_bound(seen);
  EXPECT_EQ(seen["whole"], affinity());
  EXPECT_EQ(noted(seen, "refused"), 0) << seen;
  EXPECT_EQ(noted(seen, "assumed"), 0) << seen;
}

TEST_F(a_process, in_a_cpuset_of_one_core_has_that_core) {
  const units one{affinity().back()};
  const auto seen = run([&] { return go_to(one); });
  if (!possible_) GTEST_SKIP() << "this system does not let affinity be set";
  expect_right(seen);
  EXPECT_EQ(seen["cores"], 1);
  EXPECT_EQ(seen["whole"], one);
  EXPECT_EQ(seen["bound"], nlohmann::json::array({one}));
  EXPECT_EQ(seen["granted"], nlohmann::json::array({one}));
}

// OpenMP's library binds the calling thread to one place. The process has its cores all the same.
TEST_F(a_process, whose_environment_has_openmp_bind_its_thread_has_all_its_cores_and_notes_the_variable) {
  const auto usual = run(stay);
  const auto seen = run(stay, {"OMP_PROC_BIND=true"});
  if (seen["calling"].size() != 1 || seen["whole"].size() == 1) GTEST_SKIP() << "no OpenMP library, or one core";
  expect_right(seen);
  expect_bound(seen);
  EXPECT_EQ(seen["cores"], usual["cores"]);
  EXPECT_EQ(noted(seen, "OMP_PROC_BIND=true"), 1) << seen;
  EXPECT_EQ(noted(usual, "OMP_PROC_BIND"), 0) << usual;
}

// Its cpuset holds: of the machine's cores it has no others.
TEST_F(a_process, whose_environment_has_openmp_bind_its_thread_keeps_to_its_cpuset) {
  const units one{affinity().back()};
  const auto seen = run([&] { return go_to(one); }, {"OMP_PROC_BIND=close"});
  if (!possible_) GTEST_SKIP() << "this system does not let affinity be set";
  expect_right(seen);
  EXPECT_EQ(seen["cores"], 1);
  EXPECT_EQ(seen["bound"], nlohmann::json::array({one}));
}

TEST_F(a_process, that_may_not_bind_runs_all_the_same_and_notes_it) {
  const auto usual = run(stay);
  const auto seen = run([] { return forbid(__NR_sched_setaffinity, __NR_sched_setaffinity); });
  if (!possible_) GTEST_SKIP() << "this system allows no seccomp filter";
  expect_right(seen);
  EXPECT_EQ(seen["cores"], usual["cores"]);
  EXPECT_EQ(seen["bound"], nlohmann::json::array({affinity()}));
  EXPECT_EQ(noted(seen, "refused to bind"), 1) << seen;
}

TEST_F(a_process, that_may_not_even_ask_where_it_runs_runs_all_the_same_and_notes_it) {
  if (sanitized) GTEST_SKIP() << "sanitizers ask it for every thread";
  const auto seen = run([] { return forbid(__NR_sched_setaffinity, __NR_sched_getaffinity); });
  if (!possible_) GTEST_SKIP() << "this system allows no seccomp filter";
  expect_right(seen);
  EXPECT_GE(seen["cores"], 1);
  EXPECT_EQ(noted(seen, "does not say where"), 1) << seen;
  EXPECT_EQ(noted(seen, "refused to bind"), 1) << seen;
}

TEST_F(a_process, without_sys_counts_processing_units_or_what_the_processor_says) {
  const auto seen = run([] { return hide("/sys"); });
  if (!possible_) GTEST_SKIP() << "this process may not hide a folder";
  expect_right(seen);
  expect_bound(seen);
  EXPECT_EQ(seen["whole"], affinity());
  EXPECT_EQ(noted(seen, "refused"), 0) << seen;
}

TEST_F(a_process, without_proc_keeps_to_the_affinity_of_its_thread) {
  if (sanitized) GTEST_SKIP() << "sanitizers need /proc";
  const units one{affinity().back()};
  const auto seen = run([&] { return go_to(one) && hide("/proc"); });
  if (!possible_) GTEST_SKIP() << "this process may not hide a folder";
  expect_right(seen);
  EXPECT_EQ(seen["cores"], 1);
  EXPECT_EQ(seen["bound"], nlohmann::json::array({one}));
}

// hwloc looks for /sys and /proc in another folder, and does not ask the processor.
TEST_F(a_process, whose_hwloc_finds_no_sys_has_a_core_for_each_processing_unit_and_says_so) {
  const auto seen =
      run(stay, {"HWLOC_FSROOT=" + empty_.path().string(), "HWLOC_THISSYSTEM=1", "HWLOC_COMPONENTS=-x86"});
  expect_right(seen);
  expect_bound(seen);
  EXPECT_EQ(noted(seen, "every processing unit counts as one"), 1) << seen;
}

TEST_F(a_process, whose_hwloc_looks_elsewhere_without_being_told_that_it_is_here_says_so) {
  const auto seen = run(stay, {"HWLOC_FSROOT=" + empty_.path().string()});
  expect_right(seen);
  EXPECT_EQ(noted(seen, "another machine"), 1) << seen;
  EXPECT_EQ(seen["bound"], nlohmann::json::array({affinity()}));
}

TEST_F(a_process, whose_hwloc_reads_nothing_has_a_core_for_each_unit_that_it_may_use_and_says_so) {
  const units one{affinity().back()};
  for (const bool whole : {true, false}) {
    const auto seen = run([&] { return whole || go_to(one); }, {"HWLOC_COMPONENTS=stop"});
    if (!possible_) GTEST_SKIP() << "this system does not let affinity be set";
    expect_right(seen);
    EXPECT_EQ(noted(seen, "hwloc could not read this machine"), 1) << seen;
    if (whole) continue;
    EXPECT_EQ(seen["cores"], 1);
    EXPECT_EQ(seen["granted"], nlohmann::json::array({one}));
  }
}

// hwloc is told that the first two processing units are siblings; binding is real.
TEST_F(a_process, on_a_core_of_two_siblings_is_bound_to_both_and_to_the_one_that_a_cpuset_leaves) {
  const std::vector<std::string> siblings{"HWLOC_SYNTHETIC=core:1 pu:2", "HWLOC_THISSYSTEM=1"};
  for (const units& allowed : {units{0, 1}, units{1}, units{0}}) {
    const auto seen = run([&] { return go_to(allowed) && affinity() == allowed; }, siblings);
    if (!possible_) GTEST_SKIP() << "needs the processing units 0 and 1";
    expect_right(seen);
    EXPECT_EQ(seen["cores"], 1);
    EXPECT_EQ(seen["granted"], nlohmann::json::array({allowed}));
    EXPECT_EQ(seen["bound"], nlohmann::json::array({allowed}));
  }
}

// A control group with a CPU limit, removed with this object. Empty name: this process may not make one.
class limited_group {
 public:
  explicit limited_group(int percent) {
    const std::string name = "/weir_test_" + std::to_string(::getpid());
    for (const char* above : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"}) {
      std::error_code none;
      if (!fs::create_directory(above + name, none)) continue;
      path_ = above + name;
      const std::string quota = std::to_string(1000 * percent);
      if (write("cpu.max", quota + " 100000") ||
          (write("cpu.cfs_period_us", "100000") && write("cpu.cfs_quota_us", quota)))
        return;
      ::rmdir(path_.c_str());
      path_.clear();
    }
  }
  ~limited_group() {
    if (!path_.empty()) ::rmdir(path_.c_str());
  }
  limited_group(const limited_group&) = delete;

  bool enter() const { return !path_.empty() && write("cgroup.procs", "0"); }  // 0: the writer itself

 private:
  bool write(const std::string& file, const std::string& text) const {
    if (!fs::exists(path_ + "/" + file)) return false;
    std::ofstream out(path_ + "/" + file);
    out << text << std::flush;
    return out.good();
  }

  std::string path_;
};

TEST_F(a_process, under_a_cpu_quota_uses_as_many_cores_as_that_feeds_and_keeps_its_affinity) {
  const auto usual = run(stay);
  for (const int percent : {150, 50}) {
    const limited_group group(percent);
    const auto seen = run([&] { return group.enter(); });
    if (!possible_) GTEST_SKIP() << "this process may make no control group with a CPU limit";
    expect_right(seen);
    expect_bound(seen);
    EXPECT_EQ(seen["cores"], 1);
    EXPECT_EQ(seen["whole"], usual["whole"]);
    EXPECT_EQ(seen["granted"].size(), 1u) << seen;
    const bool is_noted = usual["cores"] > 1 || percent < 100;
    EXPECT_EQ(noted(seen, percent == 150 ? "A CPU quota of 1.5 cores" : "A CPU quota of 0.5 cores"), is_noted) << seen;
  }
}

TEST_F(a_process, of_a_user_who_may_read_neither_its_folder_nor_the_machine_runs_all_the_same) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
  const fs::path& closed = empty_.path();
  const auto seen = run(
      [&] {
        return ::chdir(closed.c_str()) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0 &&
               ::access(closed.c_str(), R_OK) != 0;
      },
      {"HWLOC_FSROOT=" + closed.string(), "HWLOC_THISSYSTEM=1", "HOME=" + closed.string()});
  if (!possible_) GTEST_SKIP() << "this system does not let root become somebody else";
  expect_right(seen);
  expect_bound(seen);
  EXPECT_EQ(seen["whole"], affinity());
}

}  // namespace
}  // namespace weir::testing
