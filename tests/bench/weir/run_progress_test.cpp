#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/weir/made_observations.hpp"
#include "tests/bench/weir/running_weir.hpp"

// How far `weir run` is, on standard error.
namespace weir::testing {
namespace {

class progress_of_a_run : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return write_file(folder_.at(name), text);
  }
  std::vector<std::string> arguments() const {
    return {"run", net_, "--boxes", boxes_, "--input", in_, "--output", folder_.at("out.jsonl")};
  }

  const scratch_folder folder_;
  // One input has a result, one fails, and one waits for a writer of the pipe.
  const std::string net_ = file("n.snet", "net x { box f((a) -> (b)); } connect f;\n");
  const std::string boxes_ =
      file("b.json", R"({"fields": {"a": "text", "b": "text"}, "boxes": {"f": {"output": "b", "blocking": 4, "command":
        ["sh", "-c", "case $1 in fails) exit 3;; waits) cat \"$2\";; esac", "sh", {"value": "a"}, ")" +
                         folder_.at("pipe") + "\"]}}}");
  const std::string in_ = file("in.jsonl", "{\"a\": \"is done\"}\n{\"a\": \"fails\"}\n\n{\"a\": \"waits\"}\n");
};

// The text of a terminal, as it comes.
class screen {
 public:
  explicit screen(int terminal) : terminal_(terminal) {}
  ~screen() { ::close(terminal_); }
  screen(const screen&) = delete;

  // Whether the words come before everything has ended.
  bool shows(const std::string& words) {
    while (text_.find(words) == std::string::npos) {
      std::array<char, 4096> some;
      pollfd of{terminal_, POLLIN, 0};
      if (::poll(&of, 1, 90000) <= 0) return false;
      const ::ssize_t n = ::read(terminal_, some.data(), some.size());
      if (n <= 0) return false;
      text_.append(some.data(), static_cast<std::size_t>(n));
    }
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  int terminal_;
  std::string text_;
};

// A terminal of the command's standard error, and the command.
class on_a_terminal {
 public:
  on_a_terminal(std::vector<std::string> words, const char* kind) {
    int ours = -1, theirs = -1;
    if (::openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0) throw std::runtime_error("there is no terminal");
    words.insert(words.begin(), WEIR_COMMAND);
    child_ = ::fork();
    if (child_ == 0) {
      ::setenv("TERM", kind, 1);
      ::dup2(theirs, STDERR_FILENO);
      ::dup2(::open("/dev/null", O_RDWR), STDOUT_FILENO);
      ::close(ours), ::close(theirs);
      std::vector<char*> all;
      for (std::string& w : words) all.push_back(w.data());
      all.push_back(nullptr);
      ::execv(WEIR_COMMAND, all.data());
      ::_exit(127);
    }
    ::close(theirs);
    shown_.emplace(ours);
  }
  screen& shown() { return *shown_; }
  int code() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WEXITSTATUS(status);
  }

 private:
  pid_t child_ = -1;
  std::optional<screen> shown_;
};

TEST_F(progress_of_a_run, is_on_a_terminal_what_has_come_out_and_failed_of_how_many) {
  ASSERT_EQ(::mkfifo(folder_.at("pipe").c_str(), 0600), 0);
  on_a_terminal run(arguments(), "xterm");
  screen& shown = run.shown();
  EXPECT_TRUE(shown.shows("1 result, 1 failed of 3 inputs")) << shown.text();
  EXPECT_TRUE(shown.shows(" 66 % ")) << shown.text();
  ::close(::open(folder_.at("pipe").c_str(), O_WRONLY));
  EXPECT_FALSE(shown.shows("nothing else"));
  EXPECT_NE(shown.text().find("\r\033[K"), std::string::npos) << "the line is taken away";
  EXPECT_EQ(run.code(), 1);
}

TEST_F(progress_of_a_run, has_no_escapes_on_a_terminal_that_is_dumb) {
  file("pipe", "");
  on_a_terminal run(arguments(), "dumb");
  EXPECT_TRUE(run.shown().shows("2 results, 1 failed of 3 inputs: 100 %")) << run.shown().text();
  EXPECT_FALSE(run.shown().shows("nothing else"));
  EXPECT_EQ(run.shown().text().find('\033'), std::string::npos) << run.shown().text();
  EXPECT_EQ(run.code(), 1);
}

TEST_F(progress_of_a_run, is_elsewhere_told_when_it_is_asked_for) {
  file("pipe", "");
  EXPECT_EQ(running_weir(arguments()).end().err.find("inputs"), std::string::npos);
  std::vector<std::string> asked = arguments();
  asked.emplace_back("--progress");
  const outcome o = running_weir(asked).end();
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("2 results, 1 failed of 3 inputs: 100 %"), std::string::npos) << o.err;
}

TEST_F(progress_of_a_run, counts_what_is_refused_as_failed_and_what_was_done_before_not_at_all) {
  file("pipe", "");
  std::vector<std::string> asked = arguments();
  asked.insert(asked.end(), {"--progress", "--resume", "id"});
  file("in.jsonl", "{\"a\": \"x\", \"id\": 1}\n{\"a\": 7}\n");
  EXPECT_NE(running_weir(asked).end().err.find("1 result, 1 failed of 2 inputs: 100 %"), std::string::npos);
  file("in.jsonl", "{\"a\": \"x\", \"id\": 1}\n{\"a\": \"y\", \"id\": 2}\n");
  EXPECT_NE(running_weir(asked).end().err.find("1 result, 0 failed of 1 input: 100 %"), std::string::npos);
}

}  // namespace
}  // namespace weir::testing
