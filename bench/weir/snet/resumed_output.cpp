#include "bench/weir/snet/resumed_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/snet/json_key.hpp"
#include "runtime/snet/record_notation.hpp"

namespace weir::program {
namespace {

constexpr char not_finished = '\x18';  // CAN of ASCII: the text behind it does not count

void write_at(int file, std::string_view bytes, std::uint64_t place) {
  while (!bytes.empty()) {
    const ::ssize_t n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<::off_t>(place));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error(n < 0 ? std::strerror(errno) : "nothing could be written");
    bytes.remove_prefix(static_cast<std::size_t>(n));
    place += static_cast<std::uint64_t>(n);
  }
}

// Calls f(line, end) for each whole line, with the place behind it, until f returns false.
template <class F>
void each_line(int file, F f) {
  std::string text;
  std::uint64_t at = 0, place = 0;
  std::array<char, 1 << 16> part;
  for (;;) {
    const ::ssize_t n = ::pread(file, part.data(), part.size(), static_cast<::off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::runtime_error(std::strerror(errno));
    if (n == 0) return;
    at += static_cast<std::uint64_t>(n);
    text.append(part.data(), static_cast<std::size_t>(n));
    std::size_t from = 0;
    for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
      place += end + 1 - from;
      if (!f(std::string_view(text).substr(from, end - from), place)) return;
    }
    text.erase(0, from);
  }
}

}  // namespace

resumed_output::resumed_output(const std::string& path, const std::string& key, const record_format& format)
    : path_(path), key_(key), format_(format), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  const auto refuse = [&](const std::string& why) {
    if (file_ >= 0) ::close(file_);
    throw bad_input(fmt::format("--output: {} cannot be resumed: {}", excerpt(path), why));
  };
  if (file_ < 0) refuse(std::strerror(errno));
  struct ::stat is {};
  if (::fstat(file_, &is) != 0 || !S_ISREG(is.st_mode)) refuse("it is no regular file");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) refuse("another run writes it");
  try {
    read_keys();
    if (size_ < static_cast<std::uint64_t>(is.st_size) && ::ftruncate(file_, static_cast<::off_t>(size_)) != 0)
      throw std::runtime_error(std::strerror(errno));
  } catch (const std::runtime_error& e) {
    refuse(e.what());
  }
}

resumed_output::~resumed_output() { ::close(file_); }

void resumed_output::read_keys() {
  std::uint64_t number = 0;
  each_line(file_, [&](std::string_view line, std::uint64_t end) {
    ++number;
    if (line.starts_with(not_finished)) return false;
    if (!format_.is_left_out(line)) {
      try {
        std::string key = json_key(format_.value_in(line, key_));
        if (key.empty()) throw std::runtime_error(fmt::format("line {} has no {}", number, key_));
        done_.insert(std::move(key));
      } catch (const detail::snet::record_fault& e) {
        throw std::runtime_error(fmt::format("line {}, column {}: {}", number, e.column, e.what()));
      }
    }
    size_ = end;
    return true;
  });
}

std::string resumed_output::key_in(const record& r) const { return json_key(format_.value_when_read(r, key_)); }

std::string resumed_output::key_of(const record& r) const {
  std::string key = key_in(r);
  if (key.empty())
    throw std::runtime_error(fmt::format("--resume: there is no {}, which says of which input it is, in the record {}",
                                         key_, in_short(detail::cut_text(r))));
  return key;
}

void resumed_output::leave_out(const failure& of) {
  if (of.as_record) failed_.insert(key_of(*of.as_record));
}

bool resumed_output::add_input(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return inputs_.insert(key).second;
}

bool resumed_output::is_of_input(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return inputs_.count(key) > 0;
}

void resumed_output::write(const record& r) {
  std::string key = key_of(r);
  if (key != group_of_ && !is_of_input(key))
    throw std::runtime_error(
        fmt::format("--resume: no input has the {} of the result {}: a box or filter gives one of its own", key_,
                    in_short(detail::cut_text(r))));
  if (key != group_of_) finish_group();
  has_several_lines_ = !group_.empty();
  group_of_ = std::move(key);
  try {
    group_ += format_.written(r) + "\n";
  } catch (const unwritten_result&) {
    failed_.insert(group_of_);
    throw;
  }
}

void resumed_output::finish_group() {
  if (failed_.erase(group_of_) > 0) group_.clear();
  if (group_.empty()) return;
  try {
    const char first = group_[0];
    if (has_several_lines_) group_[0] = not_finished;
    write_at(file_, group_, size_);
    if (has_several_lines_) write_at(file_, {&first, 1}, size_);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(fmt::format("{} could not be written: {}", excerpt(path_), e.what()));
  }
  size_ += group_.size();
  group_.clear();
}

void resumed_output::close() {
  finish_group();
  if (::fdatasync(file_) != 0 && errno != EINVAL)
    throw std::runtime_error(fmt::format("{} could not be written: {}", excerpt(path_), std::strerror(errno)));
}

}  // namespace weir::program
