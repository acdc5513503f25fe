#include "runtime/process/said.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runtime/process/refusal.hpp"

namespace weir::detail::processes {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::chrono::milliseconds between_looks{10};  // a person sees no difference

void write_all(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(to, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

said::said() : file_(memfd_create("weir stderr", MFD_CLOEXEC)) {
  if (!file_ || fcntl(file_.get(), F_SETFL, O_APPEND) != 0) refuse(errno, "no file for the error stream of a worker");
}

void said::pass_on() {
  struct stat now {};
  if (fstat(file_.get(), &now) != 0) return;
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (size == passed_) return;
  const std::uint64_t before = passed_;
  std::array<char, 8192> some;
  while (passed_ < size) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size - passed_, some.size()));
    const ssize_t got = pread(file_.get(), some.data(), part, static_cast<off_t>(passed_));
    if (got <= 0) break;
    write_all(STDERR_FILENO, some.data(), static_cast<std::size_t>(got));
    end_.add({some.data(), static_cast<std::size_t>(got)});
    passed_ += static_cast<std::uint64_t>(got);
  }
  // Its length stays, since the worker appends; its memory goes.
  if (passed_ / page > before / page)
    static_cast<void>(fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                                static_cast<off_t>(passed_ / page * page)));
}

void said::pass_on_now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  pass_on();
}

std::string said::last_lines() {
  pass_on();
  const std::string text = end_.lines();
  return text.empty() ? text : "; it said: \"" + text + '"';
}

}  // namespace weir::detail::processes
