#include "bench/support/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace weir::program {

folder_lock::folder_lock(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0) return;
  int failed;
  do failed = ::flock(folder_, LOCK_EX | LOCK_NB);
  while (failed && errno == EINTR);
  is_held_ = !failed || errno != EWOULDBLOCK;
}

folder_lock::~folder_lock() {
  if (folder_ >= 0) ::close(folder_);
}

}  // namespace weir::program
