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
#include "runtime/threads/write_all.hpp"

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
  if (file_ >= 0 && ::fstat(file_, &is) == 0 && S_ISREG(is.st_mode) && ::ftruncate(file_, 0) != 0) fail(errno);
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
  if (const int failed = detail::write_all(file_, lines)) fail(failed);
}

void result_writer::close() {
  if (resumed_) return resumed_->close();
  if (file_ < 0) return;
  flush();
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
}

void result_writer::fail(int reason) const {
  throw std::runtime_error(fmt::format("{} could not be written: {}", excerpt(path_), std::strerror(reason)));
}

}  // namespace weir::program
