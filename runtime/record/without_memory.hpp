#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "runtime/threads/available_memory.hpp"

namespace weir::detail {

// Memory ran out, in a process or for a value from outside. The text says where.
class without_memory final : public std::bad_alloc {
 public:
  explicit without_memory(const std::string& text) : text_(text) {}
  const char* what() const noexcept override { return text_.what(); }

 private:
  std::runtime_error text_;  // its copies throw nothing
};

// The result of `take`, which allocates and uses these bytes for what came from outside. A system that
// overcommits would rather end this process than refuse them, so it is asked before. Where there are too few, this
// throws without_memory, with the text that `say` makes of "12 MiB of memory are left" or "memory for them is refused".
template <class Take, class Say>
auto with_memory(std::uint64_t bytes, Take take, Say say) {
  constexpr std::uint64_t few = std::uint64_t{64} << 20;  // asking takes tens of microseconds, using these milliseconds
  const std::uint64_t left = bytes <= few ? few : available_memory();
  try {
    if (bytes <= left) return take();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw without_memory(
      say(bytes > left ? std::to_string(left >> 20) + " MiB of memory are left" : "memory for them is refused"));
}

}  // namespace weir::detail
