#include "bench/corpus/common/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "bench/support/interruption.hpp"

extern char** environ;

namespace weir::corpus {
namespace {

std::vector<std::string> environment_with(const child_process::variables& extra) {
  std::vector<std::string> all;
  for (char** at = environ; *at; ++at) {
    bool is_ours = true;
    for (const auto& [name, value] : extra) is_ours = is_ours && std::string(*at).rfind(name + "=", 0) != 0;
    if (is_ours) all.emplace_back(*at);
  }
  for (const auto& [name, value] : extra)
    if (!value.empty()) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& w : words) all.push_back(w.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

child_process::child_process(const std::vector<std::string>& program, const variables& extra, bool has_input) {
  std::vector<std::string> arguments = program, environment = environment_with(extra);
  int ends[2] = {-1, -1};
  if (has_input && ::pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (has_input)
    posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&how, 0);
  sigset_t heeded;  // as in the children of runtime/process: also where this process ignores them
  sigemptyset(&heeded);
  sigaddset(&heeded, SIGINT);  // wait() sends it
  for (const int ends_it : {SIGPIPE, SIGXFSZ}) sigaddset(&heeded, ends_it);
  posix_spawnattr_setsigdefault(&how, &heeded);
  const int error = ::posix_spawnp(&id_, arguments[0].c_str(), &files, &how, pointers_to(arguments).data(),
                                   pointers_to(environment).data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  if (has_input) ::close(ends[0]);
  input_ = ends[1];
  if (error != 0) {
    id_ = -1;
    end_input();
    throw std::runtime_error("cannot start " + program[0] + ": " + std::strerror(error));
  }
}

child_process::~child_process() {
  end_input();
  if (id_ < 0) return;
  ::kill(-id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

void child_process::feed(const std::string& bytes) {
  // A reader that is gone is no reason to end us: its exit code says why it is.
  sigset_t pipe_only, before;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  std::size_t done = 0;
  bool is_gone = false;
  while (done < bytes.size() && !is_gone) {
    const ssize_t n = ::write(input_, bytes.data() + done, bytes.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    is_gone = n < 0 && errno == EPIPE;
    if (n < 0 && errno != EINTR && !is_gone) break;
  }
  const timespec at_once{};
  if (is_gone) ::sigtimedwait(&pipe_only, nullptr, &at_once);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void child_process::end_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

int child_process::wait() {
  end_input();
  bool is_asked = false;
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(id_, &status, WNOHANG);
    if (ended == id_) break;
    if (ended < 0 && errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
    if (program::interruption::asked() && !is_asked) {
      ::kill(id_, SIGINT);
      is_asked = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace weir::corpus
