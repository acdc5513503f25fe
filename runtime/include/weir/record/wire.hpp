#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/record/codec.hpp>

namespace [[gnu::visibility("default")]] weir {

namespace detail {
// Throws std::runtime_error: what was sent is no value of the type that is read.
[[noreturn]] void does_not_fit();
}  // namespace detail

// A value is written to this when its record goes to another process: a head of bytes, and separate blocks. Blocks are
// large parts that are sent from where they lie. One thread at a time.
//
// Both processes run the same program on the same kind of machine, so bytes are as they are in memory.
class wire_writer {
 public:
  // A block of this size or more is sent by itself. Below, copying it into the head costs less than a message.
  static constexpr std::size_t block_bytes = 32 * 1024;

  // Writes a value by the codec of its type.
  template <class T>
  void put(const T& value) {
    codec<T>::write(*this, value);
  }

  // The same with all blocks in the head: for a part that is used while the rest is still read, such as the key of a
  // map.
  template <class T>
  void put_whole(const T& value) {
    const bool before = std::exchange(whole_, true);
    put(value);
    whole_ = before;
  }

  // Bytes of the head, copied.
  void bytes(const void* data, std::size_t size);

  // A number of elements: one byte below 128, two below 16,384, and so on.
  void count(std::size_t n);

  // A part of `count` elements side by side. It is not copied when it is large: it must stay as it is for as long as
  // the value that is written.
  template <class T>
  void block(const T* data, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "weir::wire_writer: a block is of trivially copyable elements");
    add_block(std::as_bytes(std::span(data, count)));
  }

  // The bytes written so far.
  std::vector<std::byte>& head() { return head_; }
  // The blocks, in the order in which they were written.
  std::vector<std::span<const std::byte>>& blocks() { return blocks_; }

 private:
  void add_block(std::span<const std::byte> whole);

  std::vector<std::byte> head_;
  std::vector<std::span<const std::byte>> blocks_;
  bool whole_ = false;
};

// A value is read from this, in the order in which it was written. The head is there; blocks arrive after the value was
// made, in the memory that `block` was given. One thread at a time.
class wire_reader {
 public:
  // `sizes`: in bytes, of the blocks that will arrive. Both spans must outlive the reader.
  explicit wire_reader(std::span<const std::byte> head, std::span<const std::size_t> sizes = {})
      : head_(head), sizes_(sizes), length_(head.size()) {}

  // Reads a value by the codec of its type. It, and all below, throw std::runtime_error when what was written is no
  // such value, and what T's constructors throw.
  template <class T>
  T get() {
    return codec<T>::read(*this);
  }

  // Reads a value that put_whole wrote.
  template <class T>
  T get_whole() {
    struct restored {
      bool& flag;
      bool before;
      ~restored() { flag = before; }
    } const as_before{whole_, std::exchange(whole_, true)};
    return get<T>();
  }

  // Bytes of the head.
  void bytes(void* to, std::size_t size);

  // A number of elements, none of which takes fewer than `least` bytes: there are as many left, in the head or in the
  // next block. So who asks for memory by it asks for no more than was sent. 0: any number.
  std::size_t count(std::size_t least = 1);

  // A part of `count` elements, to be written to this memory: now, or, if it is large, after the value was made and
  // moved to its place. So the memory must be on the heap, and stay where it is when the value is moved.
  template <class T>
  void block(T* to, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "weir::wire_reader: a block is of trivially copyable elements");
    fill_block(std::as_writable_bytes(std::span(to, count)));
  }

  // The bytes of the head that are not yet read.
  std::span<const std::byte> rest() const { return head_; }
  // Where the blocks go.
  std::vector<std::span<std::byte>>& places() { return places_; }

 private:
  void fill_block(std::span<std::byte> whole);

  std::span<const std::byte> head_;
  std::span<const std::size_t> sizes_;
  std::size_t length_;  // of the whole head
  std::vector<std::span<std::byte>> places_;
  bool whole_ = false;
};

}  // namespace weir
