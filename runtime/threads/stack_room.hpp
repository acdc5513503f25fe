#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::detail {

// The part of a thread's stack in which calls of the user's code may begin inside one another: its upper half. Plain
// data; has_more() is for code on that thread.
//
// How much stack a box takes is not known, and may differ from record to record. So a reserve stands for it: a box that
// begins inside another one finds at least half of the stack that it would find alone. A box is then safe in any
// network if half of a thread's stack is enough for it.
class stack_room {
 public:
  // Nothing is known: there is no room.
  stack_room() = default;

  // The calling thread's, whatever stack it is on at present. If the system does not tell the bounds of its stack, a
  // quarter of a megabyte below the first caller counts as all of it. Programs usually give a thread at least that.
  static stack_room of_this_thread() noexcept;

  // Whether the caller is in that part. False also on a stack that is not the thread's own, such as that of a fiber.
  [[gnu::always_inline]] bool has_more() const noexcept { return here() - from_ < size_; }

  // Whether the calling thread has at least half of the stack that a new thread gets. Boxes may count on that.
  static bool suits_boxes() noexcept;

  // Whether that many bytes of the calling thread's stack are left. True on a stack that is not the thread's own.
  [[gnu::visibility("default")]] static bool has(std::size_t bytes) noexcept;

 private:
  struct bounds;
  static const bounds& known() noexcept;
  [[gnu::always_inline]] static std::uintptr_t here() noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }
  stack_room(std::uintptr_t from, std::size_t size) : from_(from), size_(size) {}

  std::uintptr_t from_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::detail
