#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/json.hpp"
#include "tests/support/scratch_folder.hpp"

// Several real processes on the cores of this computer, and a real quota that changes: the cores that their runs have.
// Programs say when these change (cores_program.cpp). A program that says nothing more is ended after a minute.
namespace weir::testing {
namespace {

namespace fs = std::filesystem;

class program {
 public:
  explicit program(const std::map<std::string, std::string>& environment, const std::string& group = {}) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    id_ = ::fork();
    if (id_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::unsetenv("WEIR_NEIGHBOURS");
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      ::alarm(60);
      if (!group.empty()) std::ofstream(group + "/cgroup.procs") << "0" << std::flush;
      ::execl(WEIR_CORES_PROGRAM, "cores_program", nullptr);
      ::_exit(77);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = ::fdopen(out[0], "r");
  }
  ~program() {
    if (in_ >= 0) ::close(in_);
    if (out_) std::fclose(out_);
    end(SIGKILL);
  }
  program(const program&) = delete;

  void signal(int which) const { ::kill(id_, which); }
  void end(int by) {
    if (id_ <= 0) return;
    ::kill(id_, by);
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
  }

  // Reads until a line satisfies the condition; null: the program ended before. Lines that are not JSON are of the log.
  template <class Condition>
  nlohmann::json await(Condition is_it) {
    char line[4096];
    while (std::fgets(line, sizeof line, out_))
      if (line[0] == '{')
        if (const nlohmann::json said = parsed(line); is_it(said)) return said;
    return nullptr;
  }
  // Reads until the program has these cores, and oneTBB's limit is their number and one more, which follows them.
  nlohmann::json cores(const std::string& wanted) {
    const int limit = wanted == "0-1" ? 3 : 2;
    return await([&](const nlohmann::json& said) {
      return said.contains("cores") && said["cores"] == wanted && said["limit"] == limit;
    });
  }
  // Reads until the program has one core. Its name; empty: the program ended before.
  std::string one_core() {
    const auto said = await([](const nlohmann::json& now) {
      return now.contains("cores") && (now["cores"] == "0" || now["cores"] == "1") && now["limit"] == 2;
    });
    return said.is_null() ? "" : said["cores"].get<std::string>();
  }
  // The last line, after the end of its input.
  nlohmann::json last() {
    ::close(std::exchange(in_, -1));
    return await([](const nlohmann::json& said) { return said.contains("failed"); });
  }

 private:
  pid_t id_ = -1;
  int in_ = -1;
  FILE* out_ = nullptr;
};

void expect_complete(const nlohmann::json& last) {
  ASSERT_TRUE(last.is_object());
  EXPECT_EQ(last["failed"], 0);
  EXPECT_EQ(last["sent"], last["ended"]);
}

// Which of them has the first core depends on which of them looked at the file first.
void expect_one_core_each(program& a, program& b) {
  const std::string of_a = a.one_core(), of_b = b.one_core();
  EXPECT_FALSE(of_a.empty());
  EXPECT_FALSE(of_b.empty());
  EXPECT_NE(of_a, of_b);
}

class processes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() != 2) GTEST_SKIP() << "needs a computer of two cores";
  }
  std::map<std::string, std::string> sharing() const { return {{"XDG_RUNTIME_DIR", folder_.path()}}; }
  const scratch_folder folder_;
};

// Each of two processes has one core, of its own, and oneTBB's limit follows. When one ends the other has both.
TEST_F(processes, share_the_cores_and_get_them_back) {
  program a(sharing());
  EXPECT_FALSE(a.cores("0-1").is_null());
  program b(sharing());
  expect_one_core_each(a, b);
  expect_complete(b.last());
  EXPECT_FALSE(a.cores("0-1").is_null());
  const auto last = a.last();
  expect_complete(last);
  EXPECT_NE(last["notes"].dump().find("Other processes of this user run networks"), std::string::npos);
}

// A killed process leaves its cores to the other.
TEST_F(processes, leave_their_cores_when_they_are_killed) {
  program a(sharing());
  a.cores("0-1");
  program b(sharing());
  expect_one_core_each(a, b);
  b.end(SIGKILL);
  EXPECT_FALSE(a.cores("0-1").is_null());
  expect_complete(a.last());
}

// A stopped process leaves them, too, and has its part again when it goes on.
TEST_F(processes, leave_their_cores_while_they_are_stopped) {
  program a(sharing());
  a.cores("0-1");
  program b(sharing());
  expect_one_core_each(a, b);
  b.signal(SIGSTOP);
  EXPECT_FALSE(a.cores("0-1").is_null());
  b.signal(SIGCONT);
  EXPECT_FALSE(a.one_core().empty());
  expect_complete(a.last());
  expect_complete(b.last());
}

// A process without work leaves them, too, although its run goes on.
TEST_F(processes, leave_their_cores_while_they_have_no_work) {
  program a(sharing());
  a.cores("0-1");
  program b(sharing());
  expect_one_core_each(a, b);
  b.signal(SIGUSR1);
  EXPECT_FALSE(a.cores("0-1").is_null());
  b.signal(SIGUSR2);
  EXPECT_FALSE(a.one_core().empty());
  expect_complete(a.last());
  expect_complete(b.last());
}

// A process that ignores neighbours has all cores, is no neighbour of others, and makes no file.
TEST_F(processes, may_ignore_each_other) {
  auto ignoring = sharing();
  ignoring["WEIR_NEIGHBOURS"] = "ignore";
  program b(ignoring), c(ignoring);
  EXPECT_FALSE(b.cores("0-1").is_null());
  EXPECT_FALSE(c.cores("0-1").is_null());
  expect_complete(b.last());
  expect_complete(c.last());
  EXPECT_TRUE(folder_.is_empty());
}

// The environment may be wrong: a note says so.
TEST_F(processes, are_told_of_a_wish_that_is_not_understood) {
  auto wrong = sharing();
  wrong["WEIR_NEIGHBOURS"] = "yes";
  program a(wrong);
  a.cores("0-1");
  EXPECT_NE(a.last()["notes"].dump().find("WEIR_NEIGHBOURS is 'yes' in the environment, expected share or ignore"),
            std::string::npos);
}

// Nothing that is at the place of the file stops a run: no folder, a folder in the file's place, a file of garbage.
// Each process writes its own slot of the latter anew.
TEST_F(processes, run_without_the_file_where_it_cannot_be_used) {
  fs::create_directories(folder_.path() / "weir/neighbours-1");
  for (const std::string& at : {std::string("/proc/nowhere"), std::string("not absolute"), folder_.path().string()}) {
    program a({{"XDG_RUNTIME_DIR", at}}), b({{"XDG_RUNTIME_DIR", at}});
    EXPECT_FALSE(a.cores("0-1").is_null());
    EXPECT_FALSE(b.cores("0-1").is_null());
    expect_complete(a.last());
    expect_complete(b.last());
  }
  fs::remove_all(folder_.path() / "weir/neighbours-1");
  std::ofstream(folder_.path() / "weir/neighbours-1") << std::string(20000, 'x');
  program a(sharing());
  a.cores("0-1");
  program b(sharing());
  expect_one_core_each(a, b);
  expect_complete(a.last());
  expect_complete(b.last());
}

// A control group of one controller, removed with this object.
class control_group {
 public:
  control_group(const std::vector<std::string>& above, const std::string& has) {
    for (const std::string& folder : above) {
      std::error_code none;
      const std::string path = folder + "/weir_test_" + std::to_string(::getpid());
      if (!fs::create_directory(path, none)) continue;
      path_ = path;
      if (fs::exists(path_ + '/' + has)) return;
      ::rmdir(path_.c_str());
      path_.clear();
    }
  }
  ~control_group() {
    if (!path_.empty()) ::rmdir(path_.c_str());
  }
  control_group(const control_group&) = delete;

  const std::string& path() const { return path_; }  // empty: this process may not make one
  bool set(const std::string& file, const std::string& text) const {
    std::ofstream out(path_ + '/' + file);
    out << text << std::flush;
    return out.good();
  }

 private:
  std::string path_;
};

// A quota that changes while a process runs: cores are taken and given, more than at its start, and no record is lost.
TEST_F(processes, follow_a_cpu_quota) {
  const control_group v2({"/sys/fs/cgroup"}, "cpu.max");
  const control_group v1({"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}, "cpu.cfs_quota_us");
  const control_group& group = v2.path().empty() ? v1 : v2;
  if (group.path().empty()) GTEST_SKIP() << "this process may make no control group with a CPU limit";
  const auto limit = [&](const std::string& of) {
    return &group == &v2 ? group.set("cpu.max", (of == "-1" ? "max" : of) + " 100000")
                         : group.set("cpu.cfs_quota_us", of);
  };
  ASSERT_TRUE(limit("150000"));
  program a({}, group.path());
  EXPECT_EQ(a.cores("0")["machine"], 1);
  ASSERT_TRUE(limit("-1"));
  EXPECT_FALSE(a.cores("0-1").is_null());
  ASSERT_TRUE(limit("100000"));
  EXPECT_FALSE(a.cores("0").is_null());
  ASSERT_TRUE(limit("200000"));
  EXPECT_EQ(a.cores("0-1")["machine"], 2);
  const auto last = a.last();
  expect_complete(last);
  EXPECT_NE(last["notes"].dump().find("have changed while it ran"), std::string::npos);
}

// The same for the cpuset of a control group, which the system applies to threads that are bound, too.
TEST_F(processes, follow_a_cpuset) {
  const control_group group({"/sys/fs/cgroup/cpuset"}, "cpuset.mems");
  if (group.path().empty()) GTEST_SKIP() << "this process may make no control group with a cpuset";
  ASSERT_TRUE(group.set("cpuset.cpus", "0-1") && group.set("cpuset.mems", "0"));
  program a({}, group.path());
  EXPECT_FALSE(a.cores("0-1").is_null());
  ASSERT_TRUE(group.set("cpuset.cpus", "1"));
  EXPECT_EQ(a.cores("1")["machine"], 1);
  ASSERT_TRUE(group.set("cpuset.cpus", "0-1"));
  EXPECT_EQ(a.cores("0-1")["machine"], 2);
  ASSERT_TRUE(group.set("cpuset.cpus", "0"));
  EXPECT_EQ(a.cores("0")["machine"], 1);
  const auto last = a.last();
  expect_complete(last);
  EXPECT_EQ(last["notes"].dump().find("left its thread"), std::string::npos) << "no box is blamed for it: " << last;
  EXPECT_EQ(last["notes"].dump().find("refused"), std::string::npos) << last;
}

}  // namespace
}  // namespace weir::testing
