#include "runtime/threads/stoppable_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/threads/own_descriptor.hpp"

namespace weir::detail {
namespace {

// Bytes that the C library has read of the standard input for somebody else, who left them.
std::size_t taken_from_stdin(char* to, std::size_t most) {
#ifdef __GLIBC__
  flockfile(stdin);
  const auto left = static_cast<std::size_t>(stdin->_IO_read_end - stdin->_IO_read_ptr);
  const std::size_t got = left == 0 ? 0 : std::fread(to, 1, std::min(left, most), stdin);
  funlockfile(stdin);
  return got;
#else
  return 0;
#endif
}

// Without waiting for a writer. A file that is leased to others cannot be opened so.
int opened(const std::filesystem::path& path) {
  const char* const file = path.c_str();
  if (path.native().find('\0') != std::string::npos) {  // the system would open another file
    errno = EINVAL;
    return -1;
  }
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
  for (int how = flags | O_NONBLOCK;;) {
    const int descriptor = ::open(file, how);
    if (descriptor >= 0) return own_descriptor(descriptor);
    if (errno == EWOULDBLOCK && how != flags)
      how = flags;
    else if (errno != EINTR)
      return -1;
  }
}

}  // namespace

// A descriptor that can be read once a stop is requested.
class stoppable_input::wake_up {
 public:
  explicit wake_up(const std::stop_token& stop) : descriptor_(::eventfd(0, EFD_CLOEXEC)) {
    if (descriptor_ >= 0) on_stop_.emplace(stop, signal{descriptor_});
  }
  ~wake_up() {
    on_stop_.reset();
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  wake_up(const wake_up&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  struct signal {
    int to;
    void operator()() const noexcept {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = ::write(to, &one, sizeof one);
    }
  };
  const int descriptor_;
  std::optional<std::stop_callback<signal>> on_stop_;
};

stoppable_input::stoppable_input(const std::filesystem::path& file, std::stop_token stop)
    : file_(file), stop_(std::move(stop)), descriptor_(file == "-" ? STDIN_FILENO : opened(file)) {
  struct stat is {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &is) != 0) fail("cannot open");
  may_wait_ = !S_ISREG(is.st_mode) && !S_ISBLK(is.st_mode);
}

stoppable_input::~stoppable_input() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

void stoppable_input::fail(const char* what) const {
  throw std::system_error(errno, std::generic_category(), std::string(what) + " '" + file_.string() + "'");
}

std::size_t stoppable_input::read(char* to, std::size_t most) {
  if (descriptor_ == STDIN_FILENO)
    if (const std::size_t got = taken_from_stdin(to, most)) return got;
  while (!stop_.stop_requested()) {
    if (may_wait_ && !wait()) break;
    const ssize_t got = ::read(descriptor_, to, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) fail("cannot read");
  }
  return 0;
}

bool stoppable_input::wait() {
  pollfd on[2] = {{descriptor_, POLLIN, 0}, {-1, POLLIN, 0}};
  if (::poll(on, 1, 0) == 1) return true;
  const wake_up by(stop_);
  if (by.descriptor() < 0) fail("cannot wait for");
  on[1].fd = by.descriptor();
  while (::poll(on, 2, -1) < 0)
    if (errno != EINTR) fail("cannot wait for");
  return on[1].revents == 0;
}

}  // namespace weir::detail
