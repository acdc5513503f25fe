#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "tests/support/eventually.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::testing {

// A named pipe: who opens it for reading waits for a writer, and the other way round.
class fifo_pair {
 public:
  fifo_pair() {
    if (mkfifo(path().c_str(), 0600) != 0) throw std::system_error(errno, std::generic_category(), path());
  }
  std::string path() const { return folder_.at("fifo"); }

 private:
  scratch_folder folder_;
};

// Processes that open path() for reading hang, since nothing is ever written there. A process that writes a line to
// told() tells that it runs.
class watched_processes {
 public:
  watched_processes() : writes_(open_both(hangs_)), hears_(open_both(told_)) {}
  ~watched_processes() {
    close(writes_);
    close(hears_);
  }
  watched_processes(const watched_processes&) = delete;

  std::string path() const { return hangs_.path(); }
  std::string told() const { return told_.path(); }
  void wait_for_one() const {
    char c = 0;
    while (c != '\n')
      if (read(hears_, &c, 1) != 1) throw std::system_error(errno, std::generic_category());
  }

  // None has the pipe open any more: it is not found to have a reader, once this object's own one is closed.
  bool all_have_ended() {
    const int write_only = open(path().c_str(), O_WRONLY | O_CLOEXEC);
    close(writes_);
    writes_ = write_only;
    return eventually([&] {
      const int again = open(path().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      if (again >= 0) close(again);
      return again < 0 && errno == ENXIO;
    });
  }

 private:
  static int open_both(const fifo_pair& of) {
    const int made = open(of.path().c_str(), O_RDWR | O_CLOEXEC);
    if (made < 0) throw std::system_error(errno, std::generic_category(), of.path());
    return made;
  }
  fifo_pair hangs_, told_;
  int writes_, hears_;
};

}  // namespace weir::testing
