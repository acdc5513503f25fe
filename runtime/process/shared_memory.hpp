#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <weir/threads/primitives.hpp>
#include "runtime/process/descriptor.hpp"

namespace weir::detail::processes {

// A part of a file of memory in this process's address space. It is unmapped with this object.
class mapping {
 public:
  mapping() = default;
  // Throws std::system_error.
  mapping(int file, std::uint64_t size, bool writable);
  mapping(mapping&& other) noexcept;
  mapping& operator=(mapping&& other) noexcept;
  ~mapping();

  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// A file of memory into which the blocks of messages are put for another process. Its pages are used again for the next
// call, so that none has to be cleared; its number with the other process is 0. One thread at a time.
class shared_area {
 public:
  // Puts a block behind those that are there. Returns its offset. Throws std::system_error, and std::bad_alloc where
  // the system has no memory.
  std::uint64_t put(std::span<const std::byte> block);

  // The blocks that were put so far are needed no longer.
  void reset();

  // The file, while it holds blocks and the other process does not have it yet; else -1.
  int unpassed() const { return is_empty() || is_passed_ ? -1 : file_.get(); }
  void note_passed() { is_passed_ = true; }

  bool is_empty() const { return used_ == 0; }

 private:
  void grow(std::uint64_t size);

  descriptor file_;
  mapping all_;
  std::uint64_t used_ = 0;
  bool is_passed_ = false;
  int little_used_ = 0;  // calls in a row
};

// A file of memory, made here or passed by another process.
class memory_file {
 public:
  // Makes one of zeros, which can be written. Throws std::system_error, and std::bad_alloc.
  explicit memory_file(std::uint64_t size);
  // Takes one that was passed, to be read. Throws protocol_error unless it can never get shorter: reading behind its
  // end would end this process.
  explicit memory_file(descriptor passed);

  // A block in it: valid as long as this object, and until the next call that reads behind the mapped part. Throws
  // protocol_error when the file is shorter.
  std::span<const std::byte> at(std::uint64_t offset, std::uint64_t size);

  int number() const { return file_.get(); }
  std::byte* data() const { return all_.data(); }

  // Another process has it, too: it is not written any more. Any thread may ask.
  void share() { is_shared_.store(true, std::memory_order_relaxed); }  // relaxed: a writer has all copies
  bool is_shared() const { return is_shared_.load(std::memory_order_relaxed); }

 private:
  descriptor file_;
  mapping all_;
  threads::atomic<bool> is_shared_{false};
};

}  // namespace weir::detail::processes
