#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/weir/command.hpp"
#include "tests/support/eventually.hpp"

namespace weir::testing {

// The command in its own process, to which signals are sent.
class running_weir {
 public:
  // It ignores one signal that asks it to end, or none, whatever this process ignores.
  explicit running_weir(std::vector<std::string> arguments, int ignored = 0) {
    arguments.insert(arguments.begin(), WEIR_COMMAND);
    child_ = ::fork();
    if (child_ != 0) return;
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) ::signal(signal, signal == ignored ? SIG_IGN : SIG_DFL);
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
      const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(child_) + "/task", failed);
      return !failed && std::distance(std::filesystem::begin(tasks), std::filesystem::end(tasks)) >= count;
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
  bool has_ended() const {
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
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

}  // namespace weir::testing
