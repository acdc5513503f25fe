#include "bench/support/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "runtime/threads/write_all.hpp"

namespace weir::program {
namespace {

namespace fs = std::filesystem;

void require(bool done) {
  if (!done) throw std::system_error(errno, std::generic_category());
}

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) { require(number >= 0); }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(const descriptor&) = delete;

  int number() const { return number_; }
  void close() {
    require(::close(std::exchange(number_, -1)) == 0);
  }  // some file systems report a failed write only here

 private:
  int number_;
};

void write_text(const descriptor& file, const std::string& text) {
  if (const int failed = detail::write_all(file.number(), text))
    throw std::system_error(failed, std::generic_category());
}

int open_new(const fs::path& path, mode_t mode) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

// A new file in the folder of the file that it replaces. It is removed unless it was renamed.
class replacement {
 public:
  explicit replacement(const fs::path& path) : path_(path), beside_(name_beside(path)), file_(open_like(path)) {}
  ~replacement() {
    if (!beside_.empty()) ::unlink(beside_.c_str());
  }
  replacement(const replacement&) = delete;

  // False where nothing can be renamed to the path, which is a mount point.
  bool write(const std::string& text) {
    write_text(file_, text);
    require(::fsync(file_.number()) == 0);
    file_.close();
    if (::rename(beside_.c_str(), path_.c_str()) != 0) {
      require(errno == EBUSY || errno == EXDEV);
      return false;
    }
    beside_.clear();
    const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
    const descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems cannot sync a folder; there nothing more can be done.
    require(::fsync(held.number()) == 0 || errno == EINVAL);
    return true;
  }

 private:
  static fs::path name_beside(const fs::path& path) {
    std::random_device random;
    const std::string begins = path.filename().string().substr(0, 200);  // names have at most 255 bytes
    return path.parent_path() / fmt::format("{}.{:08x}{:08x}.partial", begins, random(), random());
  }

  // With the mode and owner of the replaced file, set before anything is written.
  int open_like(const fs::path& path) {
    struct stat old {};
    const bool is_new = ::stat(path.c_str(), &old) != 0;
    const int file = open_new(beside_, is_new ? 0666 : 0600);
    if (file < 0) beside_.clear();  // the existing file is not ours to remove
    require(file >= 0);
    if (is_new) return file;
    struct stat own {};
    const bool is_alike = ::fstat(file, &own) == 0 && own.st_uid == old.st_uid && own.st_gid == old.st_gid;
    if ((is_alike || ::fchown(file, old.st_uid, old.st_gid) == 0) && ::fchmod(file, old.st_mode & 07777) == 0)
      return file;
    const int why = errno;
    ::close(file);
    ::unlink(beside_.c_str());
    throw std::system_error(why, std::generic_category(), "the owner and mode of what it replaces cannot be kept");
  }

  fs::path path_, beside_;
  descriptor file_;
};

void write_in_place(const fs::path& path, const std::string& text) {
  descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  write_text(file, text);
  require(::fsync(file.number()) == 0 || errno == EINVAL || errno == EROFS);  // pipes and devices cannot be synced
  file.close();
}

bool can_be_written_in_place(const fs::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file >= 0) ::close(file);
  return file >= 0;
}

}  // namespace

output_file::output_file(std::string option, const std::string& path) : option_(std::move(option)), path_(path) {
  std::error_code failed;
  if (path.empty() || fs::is_directory(path_, failed))
    throw bad_input(fmt::format("{}: \"{}\" is not a file that can be written", option_, path));
  if (const fs::path real = fs::canonical(path_, failed); !failed) path_ = real;  // keep a link and replace its target
  in_place_ = fs::exists(path_, failed) && !fs::is_regular_file(path_, failed);
  if (in_place_) return;
  try {
    const replacement trial(path_);
  } catch (const std::system_error& e) {
    in_place_ = can_be_written_in_place(path_);
    if (!in_place_) throw bad_input(fmt::format("{}: {} cannot be written: {}", option_, path, e.what()));
  }
}

void output_file::write(const std::string& text) const {
  try {
    if (in_place_ || !replacement(path_).write(text)) write_in_place(path_, text);
  } catch (const std::system_error& e) {
    throw std::runtime_error(fmt::format("{}: {} could not be written: {}", option_, path_.string(), e.what()));
  }
}

namespace {

// By path, or one file by two paths. Devices may be given twice.
bool are_same(const std::string& one, const std::string& other) {
  std::error_code none;
  return one == other || (std::filesystem::equivalent(one, other, none) && std::filesystem::is_regular_file(one, none));
}

}  // namespace

void write_all(const std::vector<std::function<void()>>& writes) {
  std::string failed;
  for (const auto& write : writes) try {
      write();
    } catch (const std::runtime_error& e) {
      failed += (failed.empty() ? "" : "; ") + std::string(e.what());
    }
  if (!failed.empty()) throw std::runtime_error(failed);
}

void require_different(const std::vector<std::pair<std::string, std::optional<std::string>>>& files) {
  for (auto one = files.begin(); one != files.end(); ++one)
    for (auto other = one + 1; other != files.end(); ++other)
      if (one->second && other->second && are_same(*one->second, *other->second))
        throw bad_input(fmt::format("{} and {}: both are {}", one->first, other->first, *one->second));
}

}  // namespace weir::program
