#include "runtime/process/child_entry.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

// glibc's other name of clone(). The thread sanitizer wraps the first, and takes its child for a fork with memory of
// its own.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);

namespace weir::detail::processes {
namespace {

int fail(child_entry& e, const char* what) {
  e.reason = errno;
  e.failed = what;
  return -1;
}

template <class... A>
int call(long number, A... arguments) {
  return static_cast<int>(syscall(number, arguments...));
}

int place_descriptors(child_entry& e) {
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
bool enter_group(child_entry& e) {
  const int processes = call(SYS_openat, e.group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (processes < 0) return false;
  e.is_in_group = call(SYS_write, processes, "0", 1) == 1;
  call(SYS_close, processes);
  return e.is_in_group;
}

int set_up(child_entry& e) {
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
  child_entry& e = *static_cast<child_entry*>(at);
  if (set_up(e) == 0) {
    // Handlers of this process are gone once the program is loaded, and until here signals are blocked. A program
    // expects that SIGPIPE ends it, and SIGXFSZ: without them a write fails, which few programs look at.
    const std::uint64_t no_action[4]{}, no_signals = 0;  // as the system has them: all zeros are the default
    for (const int ends_it : {SIGPIPE, SIGXFSZ})
      call(SYS_rt_sigaction, ends_it, no_action, nullptr, sizeof(no_signals));
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

}  // namespace

int moved_up(int from, int free_number) {
  return from >= free_number ? from : call(SYS_fcntl, from, F_DUPFD_CLOEXEC, free_number);
}

// The stack of the child is on the heap: left by execve(), it would mislead the address sanitizer about this thread's.
int clone_child(child_entry& e, int& ended) {
  constexpr std::size_t bytes = 32768;
  const auto stack = std::make_unique_for_overwrite<char[]>(bytes);
  const without_signals meanwhile;
  return __clone(&enter, stack.get() + bytes, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &e, &ended);
}

}  // namespace weir::detail::processes
