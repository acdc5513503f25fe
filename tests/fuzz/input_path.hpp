#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

// The fuzzer's input as a file in memory, for parsers that take a path. The file ends with the object.
class input_path {
 public:
  input_path(const std::uint8_t* data, std::size_t size) : file_(memfd_create("input", 0)) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t more = write(file_, data + done, size - done);
      if (more <= 0) std::abort();
      done += static_cast<std::size_t>(more);
    }
  }
  ~input_path() { close(file_); }
  input_path(const input_path&) = delete;

  std::string text() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  const int file_;
};
