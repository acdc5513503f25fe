#include "runtime/process/refusal.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>

namespace weir::detail::processes {

void refuse(int reason, std::string what) {
  if (reason == EAGAIN) what += ": as many processes exist as `ulimit -u` or the control group allows";
  if (reason == EMFILE || reason == ENFILE) what += ": as many files are open as `ulimit -n` or the system allows";
  if (reason == EFBIG) what += ": a file would have more bytes than `ulimit -f` or the file system allows";
  if (reason == E2BIG)
    what += ": its arguments and variables have more bytes than the system takes, or one has " +
            std::to_string(32 * sysconf(_SC_PAGESIZE) / 1024) + " KiB";  // MAX_ARG_STRLEN of Linux
  throw std::system_error(reason, std::generic_category(), what);
}

std::uint64_t most_bytes_of_file(std::uint64_t wanted, const std::string& what) {
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::uint64_t>::max();
  if (wanted > most.rlim_cur) refuse(EFBIG, what);
  return most.rlim_cur;
}

}  // namespace weir::detail::processes
