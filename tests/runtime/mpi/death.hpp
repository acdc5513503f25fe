#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>

// How the programs that are tested as ranks die, and know when.
namespace weir::detail::mpi {

inline constexpr double in_time = 3;  // seconds, until the others have heard of it

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A number that all ranks on this machine see.
class shared_time {
 public:
  explicit shared_time(const char* path) {
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof(double)) != 0) std::_Exit(4);
    at_ = static_cast<std::atomic<double>*>(mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
  }
  std::atomic<double>& operator*() const { return *at_; }

 private:
  std::atomic<double>* at_;
};

// kill: by SIGKILL. stop: SIGSTOP, and SIGKILL five seconds later. pause: SIGSTOP, and SIGCONT five seconds later.
inline void die(const std::string& how) {
  const std::string self = std::to_string(getpid());
  const std::string later =
      how == "kill" ? "" : "(sleep 5; kill -" + std::string(how == "stop" ? "KILL " : "CONT ") + self + ") &";
  if (!later.empty() && std::system(later.c_str()) != 0) std::_Exit(5);
  kill(getpid(), how == "kill" ? SIGKILL : SIGSTOP);
}

}  // namespace weir::detail::mpi
