#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/json_text.hpp"
#include "runtime/process/protocol_error.hpp"

// Messages between a program and its workers, as PROTOCOL.md has them: sixteen bytes, a head in JSON, blocks of bytes.
// Pure functions of bytes: no descriptor, no clock.
namespace weir::detail::processes {

inline constexpr int protocol_version = 1;

// The sixteen bytes in front of a message.
struct message_prefix {
  static constexpr std::size_t bytes = 16;
  // A head has a few bytes for each value, and a text. A larger one is not read.
  static constexpr std::size_t most_head = std::size_t{1} << 20;
  // Larger values go in a file. A side that passes no files has this limit.
  static constexpr std::uint64_t most_body = std::uint64_t{1} << 30;

  std::size_t head = 0;    // bytes of JSON
  std::uint64_t body = 0;  // bytes of blocks behind it
};

// Throws protocol_error.
message_prefix read_prefix(std::span<const std::byte, message_prefix::bytes> from);
void write_prefix(const message_prefix& of, std::byte* to);

// Where a block lies.
struct block_place {
  static constexpr std::uint64_t in_body = ~std::uint64_t{};

  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // in the body or in the file
  std::uint64_t file = in_body;
};

class memory_file;

// A block of a message that came.
struct arrived_block {
  std::span<const std::byte> bytes;
  std::shared_ptr<memory_file> file{};  // of its own, which may be kept; null: the memory is used again
};

enum class message_kind { greeting, call, result, done, error, stop };

// The head of a message that came.
struct message {
  // A record has at most 32 labels; a value by a codec has any number of blocks.
  static constexpr std::size_t most_blocks = 65536;
  static constexpr std::size_t most_files = 64;  // passed with one message; the kernel takes 253

  message_kind kind = message_kind::stop;
  json_text head;
  std::vector<block_place> blocks;
  std::vector<std::uint64_t> files;  // numbers of the files that are passed with it

  // Members of the head. All throw protocol_error when there is none of this type.
  std::uint64_t number(std::string_view name) const;
  double seconds(std::string_view name) const;  // 0 or more
  std::string text(std::string_view name) const;
  json_value list(std::string_view name) const;
  std::optional<json_value> find(std::string_view name) const { return head.root().find(name); }
};

// Reads a head. `body`: how many bytes follow it. Throws protocol_error, and std::bad_alloc.
message read_head(std::string_view head, std::uint64_t body);

// Blocks in a body begin at multiples of this.
inline constexpr std::uint64_t block_alignment = 8;
constexpr std::uint64_t aligned(std::uint64_t size) {
  return (size + block_alignment - 1) / block_alignment * block_alignment;
}

// Appends an integer in decimal digits.
template <std::integral N>
void append_number(std::string& to, N n) {
  std::array<char, 24> text;
  to.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), n).ptr);
}

// A message to be sent: members of its head, and blocks, which must stay as they are until it is sent. One thread at a
// time.
class message_writer {
 public:
  explicit message_writer(message_kind kind);

  message_writer& number(std::string_view name, std::uint64_t value);
  message_writer& seconds(std::string_view name, double value);         // 0 or more, to a nanosecond
  message_writer& text(std::string_view name, std::string_view value);  // bytes that are no UTF-8 are replaced
  message_writer& json(std::string_view name, std::string_view value);  // a value that is JSON

  // Begins a list of values; each is JSON that is appended to head().
  void begin_values() { begin_list("values"); }
  void begin_list(std::string_view member);
  void next_value() {
    if (head_.back() != '[') head_ += ',';
  }
  void end_values() { head_ += ']'; }
  std::string& head() { return head_; }

  struct block_to_send {
    std::span<const std::byte> bytes;
    std::shared_ptr<memory_file> file;  // that they lie in; null: none
  };

  // Adds a block and returns its number. The second keeps the bytes; those of the third lie in this file, if any.
  std::size_t block(std::span<const std::byte> bytes) { return block(bytes, nullptr); }
  std::size_t block(std::vector<std::byte> bytes);
  std::size_t block(std::span<const std::byte> bytes, std::shared_ptr<memory_file> file);
  const std::vector<block_to_send>& blocks() const { return blocks_; }

  // Ends the head: with the places of its blocks, and the numbers of the files that go with it. Spaces make its length
  // a multiple of block_alignment.
  void finish(std::span<const block_place> places, std::span<const std::uint64_t> files);

 private:
  void name(std::string_view member);

  std::string head_;
  std::vector<block_to_send> blocks_;
  std::vector<std::vector<std::byte>> kept_;  // the bytes stay where they are when this grows
};

}  // namespace weir::detail::processes
