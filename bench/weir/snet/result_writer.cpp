#include "bench/weir/snet/result_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"

namespace weir::program {

result_writer::result_writer(const std::string& path, const record_format& format, resumed_output* resumed)
    : format_(format), resumed_(resumed) {
  if (path.empty() || resumed) return;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  is_new_ = file_ >= 0;
  if (!is_new_) file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0)
    throw bad_input(fmt::format("--output: {} cannot be written: {}", excerpt(path), std::strerror(errno)));
  path_ = path;
}

result_writer::~result_writer() {
  if (file_ < 0) return;
  try {
    flush();
  } catch (const std::exception&) {  // what ended the run is said already
  }
  ::close(file_);
  if (is_new_ && !has_begun_) ::unlink(path_.c_str());
}

void result_writer::begin() {
  has_begun_ = true;
  struct ::stat is {};
  if (file_ >= 0 && ::fstat(file_, &is) == 0 && S_ISREG(is.st_mode) && ::ftruncate(file_, 0) != 0) fail();
}

void result_writer::write(const record& r) {
  if (resumed_) return resumed_->write(r);
  const std::string line = format_.written(r) + "\n";
  if (file_ < 0) {
    print(line);
    return check_standard_output();
  }
  constexpr std::size_t enough = 1 << 16;  // bytes: a system call costs little next to making them
  lines_ += line;
  if (lines_.size() >= enough) flush();
}

void result_writer::flush() {
  const std::string lines = std::exchange(lines_, {});
  for (std::string_view rest = lines; !rest.empty();) {
    const ::ssize_t n = ::write(file_, rest.data(), rest.size());
    if (n < 0 && errno != EINTR) fail();
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
  }
}

void result_writer::close() {
  if (resumed_) return resumed_->close();
  if (file_ < 0) return;
  flush();
  if (::close(std::exchange(file_, -1)) != 0) fail();
}

void result_writer::fail() const {
  throw std::runtime_error(fmt::format("{} could not be written: {}", excerpt(path_), std::strerror(errno)));
}

}  // namespace weir::program
