#pragma once

#include <unistd.h>

#include <utility>

#include "runtime/threads/own_descriptor.hpp"

namespace weir::detail::processes {

// Owns a file descriptor, and closes it. Its number is none of a standard stream (own_descriptor()). -1: none.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int opened) : number_(own_descriptor(opened)) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

}  // namespace weir::detail::processes
