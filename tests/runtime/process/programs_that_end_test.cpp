#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <random>
#include <string>
#include <system_error>

#include "runtime/process/child.hpp"
#include "tests/runtime/process/marked_processes.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::detail::processes {
namespace {

using testing::eventually;
using testing::marked_by;
using testing::scratch_folder;

// A program with a run of workers and commands, which have children of their own and files.
class program {
 public:
  // It ends in this way behind this number of results.
  program(const std::string& way, int results) {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no pipe");
    output_ = descriptor(ends[0]);
    const descriptor theirs(ends[1]);
    launch how{.arguments = {WEIR_ENDING_PROGRAM, way, std::to_string(results)}};
    how.environment = {{"TMPDIR", folder_.path()}};
    how.output = theirs.get();
    child_.emplace(child::start(how));
    pid_ = child_->pid();
  }

  // Waits for this number of results; false: it ended before.
  bool gave(int results) {
    char c = 0;
    while (results > 0) {
      if (read(output_.get(), &c, 1) != 1) return false;
      --results;
    }
    return true;
  }
  // Not its group: its workers and commands are in others.
  void kill() { ::kill(pid_, SIGKILL); }
  std::optional<ending> wait() { return child_->wait(); }

  bool has_processes() const { return !marked_by(pid_).empty(); }
  void expect_nothing_left() const {
    EXPECT_TRUE(eventually([&] { return !has_processes(); })) << marked_by(pid_).size() << " processes are left";
    EXPECT_TRUE(eventually([&] { return folder_.is_empty(); })) << "files are left";
  }

 private:
  scratch_folder folder_;
  descriptor output_;
  std::optional<child> child_;
  pid_t pid_ = 0;
};

class programs_that_end : public ::testing::TestWithParam<int> {};

TEST_P(programs_that_end, leave_nothing_when_they_are_killed_at_any_moment) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (int i = 0; i < (testing::slow ? 2 : 10) && !HasFailure(); ++i) {
    program one("goes on", 0);
    const int moment = static_cast<int>(random() % 3 == 0 ? random() % 4 : random() % 200);
    SCOPED_TRACE("killed behind " + std::to_string(moment) + " results");
    EXPECT_TRUE(one.gave(moment));
    if (moment > 50) {
      EXPECT_TRUE(one.has_processes());
    }
    one.kill();
    EXPECT_EQ(one.wait()->signal, SIGKILL);
    one.expect_nothing_left();
  }
}

TEST_P(programs_that_end, leave_nothing_in_whatever_way_they_end) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (const char* way : {"return", "exit", "quick_exit", "_exit", "abort", "exec", "stop", "throw"}) {
    const int moment = static_cast<int>(random() % 100);
    SCOPED_TRACE(std::string(way) + " behind " + std::to_string(moment) + " results");
    program one(way, moment);
    EXPECT_TRUE(one.gave(moment + 1));
    one.gave(1 << 30);  // all that it writes
    EXPECT_TRUE(one.wait());
    one.expect_nothing_left();
  }
}

INSTANTIATE_TEST_SUITE_P(all, programs_that_end, WEIR_PROGRAMS_THAT_END);

}  // namespace
}  // namespace weir::detail::processes
