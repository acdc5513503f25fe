#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/bench/weir/command.hpp"
#include "tests/support/eventually.hpp"

// After Ctrl-C the run drains and reports its results; a second one ends it immediately; the code is 130 in both cases.
namespace weir::testing {
namespace {

namespace fs = std::filesystem;

// The command in its own process, to which signals are sent.
class running_weir {
 public:
  explicit running_weir(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), WEIR_COMMAND);
    child_ = ::fork();
    if (child_ != 0) return;
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    for (const auto& [name, to] : {std::pair("out", STDOUT_FILENO), std::pair("err", STDERR_FILENO)})
      ::dup2(::open(folder_.at(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
    std::vector<char*> words;
    for (std::string& a : arguments) words.push_back(a.data());
    words.push_back(nullptr);
    ::execv(WEIR_COMMAND, words.data());
    ::_exit(127);
  }
  ~running_weir() {
    if (child_ > 0) ::kill(child_, SIGKILL), ::waitpid(child_, nullptr, 0);
  }

  // Waits until the process has `count` threads.
  bool wait_for_threads(int count) const {
    return eventually([&] {
      std::error_code failed;
      const fs::directory_iterator tasks("/proc/" + std::to_string(child_) + "/task", failed);
      return !failed && std::distance(fs::begin(tasks), fs::end(tasks)) >= count;
    });
  }
  // Waits until the process has used a second of CPU.
  bool wait_for_work() const {
    return eventually([&] {
      const std::string stat = contents("/proc/" + std::to_string(child_) + "/stat");
      std::istringstream after_name(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
      std::string skipped;  // fields 3 to 13; 14 and 15 are the ticks in user and in kernel mode
      for (int field = 3; field < 14; ++field) after_name >> skipped;
      long user = 0, kernel = 0;
      return after_name >> user >> kernel && user + kernel >= ::sysconf(_SC_CLK_TCK);
    });
  }
  bool wait_for_error_text(const std::string& part) const {
    return eventually([&] { return contents(folder_.at("err")).find(part) != std::string::npos; });
  }
  void interrupt(int signal = SIGINT) const { ::kill(child_, signal); }
  outcome end() {
    outcome o;
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    if (WIFEXITED(status)) o.code = WEXITSTATUS(status);
    o.out = contents(folder_.at("out"));
    o.err = contents(folder_.at("err"));
    return o;
  }

 private:
  const scratch_folder folder_;
  pid_t child_ = -1;
};

// The caller's thread, the controller, the thread that reports observations, a sender and a worker: with these a record
// has been sent.
constexpr int threads_of_a_run = 5;

TEST(an_interrupted, matmul_reports_the_records_that_came_and_keeps_its_files) {
  const scratch_folder folder;
  const std::string out = folder.at("observations.csv");
  running_weir weir({"matmul", "--json", "--kernel", "emulated", "--repeat", "100000", "--out", out});
  ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
  weir.interrupt();
  const outcome o = weir.end();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_NE(o.err.find("ending with what there is"), std::string::npos) << o.err;
  const auto run = o.json();
  EXPECT_EQ(run.at("interrupted"), true);
  EXPECT_GE(run.at("records"), 1);
  EXPECT_LT(run.at("records"), 100000);
  EXPECT_GE(lines_of(contents(out)).size(), 2u);
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(out).parent_path()), {}), 1) << "nothing half-written";
}

// The signals of a batch system and of a closed terminal end a run like Ctrl-C.
TEST(an_interrupted, command_ends_by_any_signal_that_asks_for_it_with_what_there_is) {
  for (const auto& [signal, code] : {std::pair(SIGTERM, 143), std::pair(SIGHUP, 129)}) {
    const scratch_folder folder;
    const std::string out = folder.at("observations.csv");
    running_weir weir({"matmul", "--json", "--kernel", "emulated", "--repeat", "100000", "--out", out});
    ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
    weir.interrupt(signal);
    const outcome o = weir.end();
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_EQ(o.json().at("interrupted"), true);
    EXPECT_GE(lines_of(contents(out)).size(), 2u);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing half-written";

    running_weir again({"compare", "--workload", "emulated", "--scale", "100", "--policies", "equal", "--json"});
    ASSERT_TRUE(again.wait_for_threads(threads_of_a_run));
    again.interrupt(signal);
    ASSERT_TRUE(again.wait_for_error_text("ending with what there is"));
    again.interrupt(signal);
    EXPECT_EQ(again.end().code, code);
  }
}

// As under nohup.
TEST(an_interrupted, command_goes_on_where_hanging_up_is_ignored) {
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGHUP, &ignored, &before);
  running_weir weir({"matmul", "--json", "--kernel", "emulated", "--repeat", "100000"});
  ::sigaction(SIGHUP, &before, nullptr);
  ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
  weir.interrupt(SIGHUP);
  weir.interrupt(SIGTERM);
  EXPECT_EQ(weir.end().code, 143);
}

TEST(an_interrupted, compare_reports_what_ran) {
  running_weir weir({"compare", "--workload", "emulated", "--scale", "0.01", "--records", "10000", "--policies",
                     "adaptive,equal", "--repeat", "3", "--json"});
  ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
  weir.interrupt();
  const outcome o = weir.end();
  EXPECT_EQ(o.code, 130) << o.err;
  const auto all = o.json();
  EXPECT_EQ(all.at("interrupted"), true);
  EXPECT_EQ(all.at("rounds"), 1);
  ASSERT_EQ(all.at("policies").size(), 1u) << "the first was cut short, the others had not begun";
  EXPECT_LT(all.at("runs")[0].at("records"), 10000);
}

// Also where a source in the network sends, and where there is no network.
TEST(an_interrupted, compare_of_short_records_takes_no_more_of_them) {
  for (const std::string policy : {"equal", "free-for-all"}) {
    SCOPED_TRACE(policy);
    running_weir weir(
        {"compare", "--workload", "mixed", "--records", "1000000", "--repeat", "1", "--policies", policy, "--json"});
    ASSERT_TRUE(weir.wait_for_work());
    weir.interrupt();
    const outcome o = weir.end();
    EXPECT_EQ(o.code, 130) << o.err;
    const auto all = o.json();
    EXPECT_EQ(all.at("interrupted"), true);
    const auto& run = all.at("runs")[0];
    EXPECT_GE(run.at("records"), 1);
    EXPECT_LT(run.at("records"), 1000000);
    EXPECT_EQ(all.at("policies")[0].at("checks").at("results"), run.at("records")) << "what was taken came out";
    EXPECT_EQ(all.at("policies")[0].at("checks").at("wrong"), 0);
  }
}

TEST(an_interrupted, command_leaves_at_once_when_it_is_asked_again) {
  running_weir weir({"compare", "--workload", "emulated", "--scale", "100", "--policies", "equal", "--json"});
  ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
  weir.interrupt();
  ASSERT_TRUE(weir.wait_for_error_text("Ctrl-C again leaves at once"));
  weir.interrupt();
  const outcome o = weir.end();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_EQ(o.out, "");
}

}  // namespace
}  // namespace weir::testing
