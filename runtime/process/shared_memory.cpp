#include "runtime/process/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "runtime/process/message.hpp"
#include "runtime/process/refusal.hpp"

namespace weir::detail::processes {

namespace {

constexpr std::uint64_t cache_line = 64;  // a block begins with one, so that an array of it is aligned for any use
constexpr std::uint64_t least_area = std::uint64_t{1} << 20;

// A file that was larger than this, and of which 64 calls in a row used less than an eighth, goes back to the system.
constexpr std::uint64_t kept_area = std::uint64_t{16} << 20;
constexpr int kept_for_calls = 64;

constexpr const char* no_growth = "a file of shared memory cannot grow";

[[noreturn]] void throw_errno(const char* what) {
  if (errno == ENOMEM) throw std::bad_alloc();
  refuse(errno, what);
}

descriptor sealed_file() {
  descriptor made(memfd_create("weir", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made) throw_errno("no file of shared memory");
  if (fcntl(made.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) throw_errno("a file of shared memory cannot be sealed");
  return made;
}

}  // namespace

mapping::mapping(int file, std::uint64_t size, bool writable) : size_(size) {
  if (size == 0) return;
  void* const at = mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) throw_errno("shared memory cannot be mapped");
  data_ = static_cast<std::byte*>(at);
}
mapping::mapping(mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
mapping& mapping::operator=(mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}
mapping::~mapping() {
  if (data_) munmap(data_, size_);
}

void shared_area::grow(std::uint64_t size) {
  if (!file_) {
    file_ = sealed_file();
    is_passed_ = false;
  }
  const std::uint64_t wanted =
      std::min(std::max({size, least_area, all_.size() + all_.size() / 2}) / 4096 * 4096 + 4096,
               most_bytes_of_file(size, no_growth));
  if (ftruncate(file_.get(), static_cast<off_t>(wanted)) != 0) throw_errno(no_growth);
  all_ = mapping(file_.get(), wanted, true);
}

std::uint64_t shared_area::put(std::span<const std::byte> block) {
  const std::uint64_t offset = (used_ + cache_line - 1) / cache_line * cache_line;
  if (offset + block.size() > all_.size()) grow(offset + block.size());
  std::memcpy(all_.data() + offset, block.data(), block.size());
  used_ = offset + block.size();
  return offset;
}

void shared_area::reset() {
  little_used_ = all_.size() > kept_area && used_ < all_.size() / 8 ? little_used_ + 1 : 0;
  if (little_used_ > kept_for_calls) {
    all_ = mapping();
    file_ = descriptor();
    little_used_ = 0;
  }
  used_ = 0;
}

memory_file::memory_file(std::uint64_t size) : file_(sealed_file()) {
  most_bytes_of_file(size, no_growth);
  if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0) throw_errno(no_growth);
  all_ = mapping(file_.get(), size, true);
}

memory_file::memory_file(descriptor passed) : file_(std::move(passed)) {
  const int seals = fcntl(file_.get(), F_GET_SEALS);
  if (seals < 0 || !(seals & F_SEAL_SHRINK))
    throw protocol_error("it passes a file that is not sealed against shrinking");
  share();
}

std::span<const std::byte> memory_file::at(std::uint64_t offset, std::uint64_t size) {
  if (size > std::numeric_limits<std::uint64_t>::max() - offset) throw protocol_error("a block ends behind all memory");
  if (offset + size > all_.size()) {
    struct stat now {};
    if (fstat(file_.get(), &now) != 0) throw_errno("a file that was passed");
    const auto length = static_cast<std::uint64_t>(now.st_size);
    if (offset + size > length)
      throw protocol_error("a block ends at byte " + std::to_string(offset + size) + " of a file that has " +
                           std::to_string(length));
    all_ = mapping(file_.get(), length, false);
  }
  return {all_.data() + offset, size};
}

}  // namespace weir::detail::processes
