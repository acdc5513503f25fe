#include "runtime/process/guardian.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "runtime/process/memory_group.hpp"
#include "runtime/process/refusal.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail::processes {
namespace {

// The system tells neither variables nor arguments of a process that loads its program, which may take long on a busy
// machine or from a slow disk. It tells the program then, which threads of the kernel do not have. A round that meets
// such a process counts as one that found some. The process may begin to load behind the first look of a round and
// still load at the second, so two rounds in a row must find none. There is an end, since a process may be of another
// user.
constexpr const char* script =
    "trap '' HUP INT QUIT TERM\n"
    "read -r nothing\n"
    "rounds=0 empty=0\n"
    "while [ $rounds -lt 20 ] && [ $empty -lt 2 ]; do\n"
    "  rounds=$((rounds + 1)) empty=$((empty + 1))\n"
    "  for found in $(grep -Ls '' /proc/[0-9]*/cmdline 2>/dev/null); do\n"
    "    [ -e ${found%cmdline}exe ] || continue\n"
    "    empty=0\n"
    "    sleep 0.01\n"
    "    break\n"
    "  done\n"
    "  for found in $(grep -alsF \"$1=$2\" /proc/[0-9]*/environ 2>/dev/null); do\n"
    "    empty=0\n"
    "    found=${found#/proc/}\n"
    "    kill -KILL ${found%/environ} 2>/dev/null\n"
    "  done\n"
    "done\n"
    "rm -rf \"$3\"\n"
    "[ -n \"$4\" ] || exit 0\n"
    "for group in \"$4\"*; do\n"
    "  [ -d \"$group\" ] || break\n"
    "  rmdir \"$group\" || { echo 1 > \"$group/cgroup.kill\"; sleep 1; rmdir \"$group\"; }\n"
    "done 2>/dev/null";

constexpr const char* variable = "WEIR_CHILD_OF";

// The script needs grep, rm, sleep and rmdir, also in a program whose PATH has none of them.
std::string path_for_script() {
  const char* const set = std::getenv("PATH");
  return (set && *set ? std::string(set) + ':' : "") + "/usr/bin:/bin";
}

constexpr std::chrono::seconds longest_end{10};  // beyond that a process is left to the system

// A program may have closed its standard streams. The system gives their numbers to the next sockets, until these are
// moved up, and what another thread prints meanwhile would go to a worker. So /dev/null stays there.
void occupy_standard_streams() noexcept {
  for (int number = 0; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);  // has the lowest free number
    if (nothing > STDERR_FILENO) close(nothing);
  }
}

std::string new_mark() {
  std::array<unsigned char, 16> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    throw std::system_error(errno, std::generic_category(), "no random numbers");
  std::string mark = std::to_string(getpid()) + '-';
  for (const unsigned char byte : random) {
    mark += "0123456789abcdef"[byte >> 4];
    mark += "0123456789abcdef"[byte & 15];
  }
  return mark;
}

std::filesystem::path folder_for_files() {
  std::error_code none;
  const std::filesystem::path set = std::filesystem::temp_directory_path(none);
  return none ? "/tmp" : set;
}

// The socket of the guardian in use; -1: there is none.
std::atomic<int> socket_in_use{-1};

// A copy of this process made by fork() would keep the socket open when this process has been killed. The copy's
// objects believe that the number is theirs, so it stays in use. Calls only what a signal handler may.
void replace_socket_in_copy() noexcept {
  const int socket = socket_in_use.load();
  if (socket < 0) return;
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  dup3(nothing, socket, O_CLOEXEC);
  close(nothing);
}

void replace_socket_in_copies(int socket) {
  static const int registered = pthread_atfork(nullptr, nullptr, replace_socket_in_copy);
  static_cast<void>(registered);
  socket_in_use = socket;
}

// Before it is closed: its number may be that of another file afterwards.
void leave_socket_in_copies(int socket) noexcept { socket_in_use.compare_exchange_strong(socket, -1); }

std::string prefix_of_groups(const std::string& mark) {
  const auto folder = folder_for_memory_groups();
  return folder ? (*folder / ("weir-" + mark + '-')).string() : "";
}

// Others can read the name of the folder, and make one of that name where it was removed. Keeps errno.
bool is_own_folder(const std::filesystem::path& folder) {
  const int reason = errno;
  struct stat s {};
  const bool is_own = lstat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid();
  errno = reason;
  return is_own;
}

[[noreturn]] void refuse_folder(const std::filesystem::path& what) {
  throw std::system_error(errno, std::generic_category(), "the folder " + what.string() + " cannot be made");
}

}  // namespace

std::shared_ptr<guardian> guardian::of_process() {
  struct in_use {
    WEIR_LOCK(guardian) mutex;
    std::weak_ptr<guardian> last WEIR_GUARDED_BY(mutex);
  };
  static auto* const of = new in_use;  // never destroyed: threads may begin commands during static destruction
  const lock_guard lock(of->mutex);
  occupy_standard_streams();
  std::shared_ptr<guardian> now = of->last.lock();
  if (!now || now->owner_ != getpid()) of->last = now = std::make_shared<guardian>(new_mark());
  return now;
}

guardian::guardian(std::string mark)
    : mark_(std::move(mark)),
      folder_(folder_for_files() / ("weir-" + mark_)),
      groups_(prefix_of_groups(mark_)),
      owner_(getpid()) {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    refuse(errno, "no socket to the guardian of this program's processes");
  const descriptor input(ends[0]);
  lives_ = descriptor(ends[1]);
  replace_socket_in_copies(lives_.get());
  try {
    start_shell(input.get());
  } catch (...) {
    leave_socket_in_copies(lives_.get());
    throw;
  }
}

void guardian::start_shell(int input) {
  launch how{.arguments = {"/bin/sh", "-c", script, "weir-guardian", variable, mark_, folder_, groups_}};
  how.environment = {{variable, ""},  // of another guardian, whose program started this one
                     {"PATH", path_for_script()}};
  how.input = input;
  how.folder = "/";
  how.stays = true;
  try {
    shell_.emplace(child::start(how));
  } catch (const std::system_error& e) {
    if (e.code().value() != ENOENT && e.code().value() != EACCES) throw;
  }
}

guardian::~guardian() {
  if (owner_ != getpid()) return;  // a copy, made by fork()
  // A line says the same as the end of the stream, which does not come while a copy of this process that was made
  // without fork() has this end, too.
  static_cast<void>(send(lives_.get(), "\n", 1, MSG_NOSIGNAL));
  leave_socket_in_copies(lives_.get());
  lives_.close();
  try {
    if (shell_) shell_->wait(child::clock::now() + longest_end);
  } catch (const std::system_error&) {  // this process reaps all children itself
  }
  std::error_code ignored;
  if (has_folder_) std::filesystem::remove_all(folder_, ignored);
}

void guardian::mark(launch& how) {
  how.environment.emplace_back(variable, mark_);
  if (how.memory > 0 && !groups_.empty())
    how.group = groups_ + std::to_string(number_.fetch_add(1, std::memory_order_relaxed));
}

// Makes the folder again where a cleaner of temporary files has removed it.
std::filesystem::path guardian::next(const std::string& ending) {
  if (mkdir(folder_.c_str(), 0700) != 0 && !(errno == EEXIST && is_own_folder(folder_))) refuse_folder(folder_);
  has_folder_.store(true, std::memory_order_relaxed);
  return folder_ / (std::to_string(number_.fetch_add(1, std::memory_order_relaxed)) + ending);
}

std::filesystem::path guardian::new_file(const std::string& ending) { return next(ending); }

std::filesystem::path guardian::new_folder() {
  std::filesystem::path made = next("");
  if (mkdir(made.c_str(), 0700) != 0) refuse_folder(made);
  return made;
}

}  // namespace weir::detail::processes
