#include "runtime/process/child.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>

#include <weir/process/field_bytes.hpp>
#include "runtime/process/refusal.hpp"
#include "runtime/process/wake.hpp"
#include "runtime/threads/cpu_mask.hpp"
#include "runtime/threads/cpu_seconds.hpp"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

// glibc's other name of clone(). The thread sanitizer wraps the first, and takes its child for a fork with memory of
// its own.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);

namespace weir::detail::processes {
namespace {

constexpr std::chrono::seconds patience{1};         // between SIGTERM and SIGKILL
constexpr std::chrono::milliseconds first_look{5};  // of a shorter process no look is worth its cost
constexpr int looks_in_an_age = 4;                  // so an hour has 60 of them, and the last is at most a quarter old

// All that the child needs between its clone and its program, while it shares this process's memory and the calling
// thread waits. There it makes system calls only, past the functions that a sanitizer wraps to keep its own books.
struct entry {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder;           // null: none
  std::array<int, 3> standard;  // -1: /dev/null
  const std::vector<std::pair<int, int>>& passed;
  int free_number;        // above each number in the child
  const cpu_set_t* cpus;  // null: as they are
  std::size_t cpu_bytes;
  std::uint64_t memory;
  int group;  // the descriptor of a control group's folder; -1: none
  pid_t parent;
  bool stays;
  bool is_in_group = false;

  const char* failed = nullptr;  // what the child could not do
  int reason = 0;
  timespec began{};  // of the program, by CLOCK_MONOTONIC
};

int fail(entry& e, const char* what) {
  e.reason = errno;
  e.failed = what;
  return -1;
}

template <class... A>
int call(long number, A... arguments) {
  return static_cast<int>(syscall(number, arguments...));
}

// Above all numbers that descriptors get, so that none is overwritten before it is passed.
int moved_up(int from, int free_number) {
  return from >= free_number ? from : call(SYS_fcntl, from, F_DUPFD_CLOEXEC, free_number);
}

int place_descriptors(entry& e) {
  if (call(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return fail(e, "close_range (Linux 5.11)");
  std::array<int, 3> standard = e.standard;
  int null = -1;
  for (int& from : standard) {
    if (from < 0 && null < 0) {
      const int opened = call(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
      if (opened < 0 || (null = moved_up(opened, e.free_number)) < 0) return fail(e, "/dev/null");
    }
    from = from < 0 ? null : moved_up(from, e.free_number);
    if (from < 0) return fail(e, "a standard stream");
  }
  for (int n = 0; n < 3; ++n)
    if (call(SYS_dup3, standard[static_cast<std::size_t>(n)], n, 0) < 0) return fail(e, "a standard stream");
  for (const auto& [from, number] : e.passed)
    if (call(SYS_dup3, from, number, 0) < 0) return fail(e, "a descriptor that is passed");
  return 0;
}

// Without a terminal nothing can wait for a password there. A session of its own would do so, too, but Linux makes a
// group of the scheduler's for each, on every core.
void leave_terminal() {
  const int terminal = call(SYS_openat, AT_FDCWD, "/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return;
  call(SYS_ioctl, terminal, TIOCNOTTY);
  call(SYS_close, terminal);
}

// Its memory counts there from its program on.
bool enter_group(entry& e) {
  const int processes = call(SYS_openat, e.group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (processes < 0) return false;
  e.is_in_group = call(SYS_write, processes, "0", 1) == 1;
  call(SYS_close, processes);
  return e.is_in_group;
}

int set_up(entry& e) {
  if (!e.stays) {
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (call(SYS_getppid) != e.parent) call(SYS_exit_group, 127);  // it ended before
  }
  call(SYS_setpgid, 0, 0);
  leave_terminal();
  if (e.cpus && call(SYS_sched_setaffinity, 0, e.cpu_bytes, e.cpus) != 0 && errno != EPERM) return fail(e, "its cores");
  if (e.memory > 0 && !enter_group(e)) {
    const rlimit bound{e.memory, e.memory};
    if (call(SYS_prlimit64, 0, RLIMIT_DATA, &bound, nullptr) != 0) return fail(e, "the bound of its memory");
  }
  if (e.folder && call(SYS_chdir, e.folder) != 0) return fail(e, "its folder");
  return place_descriptors(e);
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int enter(void* at) {
  entry& e = *static_cast<entry*>(at);
  if (set_up(e) == 0) {
    // Handlers of this process are gone once the program is loaded, and until here signals are blocked. A program
    // expects that SIGPIPE ends it.
    const std::uint64_t no_action[4]{}, no_signals = 0;  // as the system has them: all zeros are the default
    call(SYS_rt_sigaction, SIGPIPE, no_action, nullptr, sizeof(no_signals));
    call(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof(no_signals));
    call(SYS_clock_gettime, CLOCK_MONOTONIC, &e.began);
    call(SYS_execve, e.program, e.arguments, e.environment);
    fail(e, "the program");
  }
  call(SYS_exit_group, 127);
  __builtin_unreachable();
}

// No signal is delivered meanwhile.
class without_signals {
 public:
  without_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~without_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  without_signals(const without_signals&) = delete;

 private:
  sigset_t before_;
};

// The stack of the child is on the heap: left by execve(), it would mislead the address sanitizer about this thread's.
int clone_child(entry& e, int& ended) {
  constexpr std::size_t bytes = 32768;
  const auto stack = std::make_unique_for_overwrite<char[]>(bytes);
  const without_signals meanwhile;
  return __clone(&enter, stack.get() + bytes, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &e, &ended);
}

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

// "512 MB", "64 MiB": in the largest unit of which it is a multiple.
std::string in_units(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> decimal{" bytes", " kB", " MB", " GB", " TB"},
      binary{" bytes", " KiB", " MiB", " GiB", " TiB"};
  const auto in = [&](std::uint64_t base, const auto& units) {
    std::size_t unit = 0;
    std::uint64_t count = bytes;
    for (; count % base == 0 && unit + 1 < units.size(); ++unit) count /= base;
    return std::pair(count, std::to_string(count) + units[unit]);
  };
  return std::min(in(1024, binary), in(1000, decimal)).second;
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

std::string words_of_time(std::chrono::nanoseconds time) {
  const auto nanoseconds = static_cast<double>(time.count());
  return time >= std::chrono::seconds(1) ? text_of(nanoseconds / 1e9) + " s" : text_of(nanoseconds / 1e6) + " ms";
}

std::string name_of_signal(int number) {
  const char* const name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : "signal " + std::to_string(number);
}

std::string words_of_bound(std::uint64_t memory, const ending& e) {
  if (memory > 0 && e.out_of_memory) return "; it needed more memory than its bound, " + in_units(memory);
  constexpr int not_loaded = 127;  // of the loader, where there is no memory for its libraries
  return e.signal != 0 || e.code == not_loaded ? words_of_bound(memory) : "";
}

std::string words_of_bound(std::uint64_t memory) {
  return memory > 0 ? "; its memory is bounded to " + in_units(memory) : "";
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
  entry e{file.c_str(),
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
