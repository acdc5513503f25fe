#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace weir::detail::processes {

// Memory ran out, in a process or for a value that it gave. The text says where.
class without_memory final : public std::bad_alloc {
 public:
  explicit without_memory(const std::string& text) : text_(text) {}
  const char* what() const noexcept override { return text_.what(); }

 private:
  std::runtime_error text_;  // its copies throw nothing
};

}  // namespace weir::detail::processes
