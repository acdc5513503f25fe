#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

  // The file, when the other process does not have it yet; else -1. It has it now.
  int to_pass();

  bool is_empty() const { return used_ == 0; }

 private:
  void grow(std::uint64_t size);

  descriptor file_;
  mapping all_;
  std::uint64_t used_ = 0;
  bool is_passed_ = false;
  int little_used_ = 0;  // calls in a row
};

// A file of memory that another process has passed. Throws protocol_error unless it can never get shorter: reading
// behind its end would end this process.
class passed_file {
 public:
  explicit passed_file(descriptor file);

  // A block in it: valid until the next call that reads behind the mapped part, and as long as this object. Throws
  // protocol_error when the file is shorter.
  std::span<const std::byte> at(std::uint64_t offset, std::uint64_t size);

 private:
  descriptor file_;
  mapping all_;
};

}  // namespace weir::detail::processes
