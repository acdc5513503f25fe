#include "runtime/process/child.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "runtime/process/child_entry.hpp"
#include "runtime/process/refusal.hpp"
#include "runtime/process/wake.hpp"
#include "runtime/threads/cpu_mask.hpp"
#include "runtime/threads/cpu_seconds.hpp"

namespace weir::detail::processes {
namespace {

constexpr std::chrono::seconds patience{1};         // between SIGTERM and SIGKILL
constexpr std::chrono::milliseconds first_look{5};  // of a shorter process no look is worth its cost
constexpr int looks_in_an_age = 4;                  // so an hour has 60 of them, and the last is at most a quarter old

// Null-terminated pointers to texts, as execve takes them.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& t : texts) all.push_back(const_cast<char*>(t.c_str()));
  all.push_back(nullptr);
  return all;
}

// This process's variables, but for those that are set anew.
std::vector<char*> environment_of(const std::vector<std::string>& set) {
  std::vector<char*> all = pointers_to(set);
  all.pop_back();
  for (char** v = environ; v && *v; ++v) {
    const char* const equals = std::strchr(*v, '=');
    const auto names = [&](const std::string& s) {
      const std::size_t length = s.find('=') + 1;
      return equals && static_cast<std::size_t>(equals - *v) + 1 == length && s.compare(0, length, *v, length) == 0;
    };
    if (std::none_of(set.begin(), set.end(), names)) all.push_back(*v);
  }
  all.push_back(nullptr);
  return all;
}

// The affinity of a thread; no elements: the system does not tell.
std::vector<cpu_set_t> mask_of_thread(pid_t thread, std::size_t sets) {
  std::vector<cpu_set_t> mask(sets);
  if (sched_getaffinity(thread, sets * sizeof(cpu_set_t), mask.data()) != 0) mask.clear();
  return mask;
}

// The processing units as the system takes them. None: those of this process's first thread.
std::vector<cpu_set_t> mask_of(const std::vector<int>& cpus) {
  constexpr std::size_t enough = 8;  // for 8192 processing units
  if (cpus.empty()) return mask_of_thread(getpid(), enough);
  return cpu_mask(cpus);
}

[[noreturn]] void refuse_start(const launch& how, const std::string& file, const std::string& what, int reason) {
  std::string text = "cannot start \"" + how.arguments.front() + '"';
  if (file != how.arguments.front()) text += " (" + file + ')';
  if (!what.empty() && what != "the program") text += ", for " + what;
  if (what == "the program" && reason == ENOEXEC) text += ": it is no program, nor a script that begins with #!";
  if (what == "the program" && reason == ENOENT && access(file.c_str(), F_OK) == 0)
    text += ": the program of its first line, #!, or the loader that it needs, is not there";
  refuse(reason, std::move(text));
}

// None where the system refuses. That is no error: another bound stands in.
std::optional<memory_group> group_for(const launch& how) {
  if (how.memory == 0 || how.group.empty()) return std::nullopt;
  try {
    return memory_group(how.group, how.memory);
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

std::uint64_t bytes_of(const rusage& used) { return static_cast<std::uint64_t>(used.ru_maxrss) * 1024; }

// The peak memory of a process that runs; 0: unknown.
std::uint64_t peak_of(int pid) noexcept {
  char path[32];
  std::snprintf(path, sizeof(path), "/proc/%d/status", pid);
  const processes::descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return 0;
  std::array<char, 4096> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size() - 1);
  if (size <= 0) return 0;
  text[static_cast<std::size_t>(size)] = '\0';
  const char* const at = std::strstr(text.data(), "VmHWM:");
  return at ? std::strtoull(at + 6, nullptr, 10) * 1024 : 0;
}

// Somebody else has waited for the child.
[[noreturn]] void refuse_unknown_end(int reason) {
  throw std::system_error(reason, std::generic_category(),
                          "how a child ended is not known: this program ignores SIGCHLD, or waits for all children");
}

}  // namespace

int poll_until(std::span<pollfd> all, child::clock::time_point until) {
  for (;;) {
    timespec left{};
    if (until != child::never) {
      using namespace std::chrono_literals;
      const auto rest = std::max<std::chrono::nanoseconds>(until - child::clock::now(), 0ns);
      left.tv_sec = static_cast<time_t>(rest / 1s);
      left.tv_nsec = static_cast<long>((rest % 1s).count());
    }
    const int ready = ppoll(all.data(), all.size(), until == child::never ? nullptr : &left, nullptr);
    if (ready >= 0) return ready;
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  }
}

child child::start(const launch& how) {
  const std::string file = (how.program.empty() ? find_program(how.arguments.at(0)) : how.program).string();
  std::vector<std::string> variables;
  for (const auto& [name, value] : how.environment) variables.push_back(name + '=' + value);
  const std::vector<char*> arguments = pointers_to(how.arguments), environment = environment_of(variables);
  std::vector<cpu_set_t> mask = mask_of(how.cpus);
  const std::vector<cpu_set_t> inherited = mask_of_thread(0, mask.size());
  const std::size_t mask_bytes = mask.size() * sizeof(cpu_set_t);
  // A mask that is set already would be set at the cost of a turn of the scheduler.
  if (!inherited.empty() && CPU_EQUAL_S(mask_bytes, mask.data(), inherited.data())) mask.clear();

  int free_number = 3;
  for (const auto& p : how.passed) free_number = std::max(free_number, p.second + 1);
  std::vector<std::pair<int, int>> passed = how.passed;
  std::vector<processes::descriptor> moved;
  for (auto& p : passed)
    if (p.first < free_number) {
      moved.emplace_back(moved_up(p.first, free_number));
      if (!moved.back()) refuse_start(how, file, "a descriptor that is passed", errno);
      p.first = moved.back().get();
    }

  std::optional<memory_group> group = group_for(how);
  child_entry e{file.c_str(),
                arguments.data(),
                environment.data(),
                how.folder.empty() ? nullptr : how.folder.c_str(),
                {how.input, how.output, how.error},
                passed,
                free_number,
                mask.empty() ? nullptr : mask.data(),
                mask_bytes,
                how.memory,
                group ? group->descriptor() : -1,
                getpid(),
                how.stays};
  int ended = -1;
  const int pid = clone_child(e, ended);
  if (pid < 0) refuse_start(how, file, "", errno);
  if (!e.is_in_group) group.reset();
  // This thread may go on long after the program has begun.
  const auto began = std::chrono::seconds(e.began.tv_sec) + std::chrono::nanoseconds(e.began.tv_nsec);
  child started(pid, ended, std::move(group), clock::time_point(began));
  if (e.failed) refuse_start(how, file, e.failed, e.reason);
  return started;
}

child::child(int pid, int ended, std::optional<memory_group> group, clock::time_point began) noexcept
    : pid_(pid),
      owner_(getpid()),
      ended_(ended),
      group_(std::move(group)),
      started_(began),
      next_look_(group_ && group_->peak_bytes() > 0 ? never : started_ + first_look) {
  rusage own{};
  if (getrusage(RUSAGE_SELF, &own) == 0) shared_peak_ = bytes_of(own);
}

child::child(child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      owner_(other.owner_),
      ended_(std::move(other.ended_)),
      group_(std::move(other.group_)),
      started_(other.started_),
      next_look_(other.next_look_),
      shared_peak_(other.shared_peak_),
      seen_peak_(other.seen_peak_),
      ending_(other.ending_) {}

child::~child() {
  if (pid_ < 0 || owner_ != getpid()) return;
  kill_group(SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void child::kill_group(int signal) const noexcept {
  if (pid_ < 0) return;  // it is reaped; kill(-1, ..) would be for all processes of the user
  // The child may not lead its group yet, if it could not be set up, or may have left it to others.
  if (kill(-pid_, signal) != 0 || getpgid(pid_) != pid_) kill(pid_, signal);
}

void child::look_at_memory() noexcept {
  seen_peak_ = std::max(seen_peak_, peak_of(pid_));
  const auto now = clock::now();
  // Above the shared peak wait4() tells exactly.
  next_look_ = seen_peak_ > shared_peak_ ? never : now + (now - started_) / looks_in_an_age;
}

bool child::wait_for(std::span<pollfd> others, clock::time_point deadline) {
  if (ending_) return true;
  std::array<pollfd, 8> few;
  std::vector<pollfd> many;
  std::span<pollfd> all = few;
  if (others.size() + 1 > few.size()) {
    many.resize(others.size() + 1);
    all = many;
  }
  all = all.first(others.size() + 1);
  all[0] = {ended_.get(), POLLIN, 0};
  std::copy(others.begin(), others.end(), all.begin() + 1);
  for (;;) {
    const int ready = poll_until(all, std::min(deadline, next_look_));
    std::copy(all.begin() + 1, all.end(), others.begin());
    if (ready > 0) return true;
    if (clock::now() >= next_look_) look_at_memory();
    if (clock::now() >= deadline) return false;
  }
}

std::optional<ending> child::wait(clock::time_point deadline, const std::stop_token& stop) {
  if (ending_) return ending_;
  const wake stopped(stop);
  std::array<pollfd, 1> others{{{stopped.get(), POLLIN, 0}}};
  wait_for(others, deadline);
  pollfd ended{ended_.get(), POLLIN, 0};
  if (poll_until({&ended, 1}, clock::now()) == 0) return std::nullopt;
  return reap();
}

ending child::end() {
  if (ending_) return *ending_;
  kill_group(SIGTERM);
  if (!wait_for({}, clock::now() + patience)) {
    kill_group(SIGKILL);
    wait_for({});
  }
  return reap();
}

ending child::reap() {
  if (pid_ < 0) refuse_unknown_end(ECHILD);
  kill_group(SIGKILL);  // while the child is not reaped, no other group has its number
  int status = 0;
  rusage used{};
  int got;
  while ((got = wait4(pid_, &status, 0, &used)) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (got < 0) refuse_unknown_end(errno);
  const std::uint64_t peak = bytes_of(used);
  ending_ = ending{WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                   cpu_seconds_in(used), peak > shared_peak_ ? peak : seen_peak_, false};
  if (!group_) return *ending_;
  ending_->out_of_memory = group_->has_killed();
  if (const std::uint64_t largest = group_->peak_bytes(); largest > 0) ending_->peak_bytes = largest;
  group_.reset();
  return *ending_;
}

}  // namespace weir::detail::processes
