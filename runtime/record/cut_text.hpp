#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

// Text of the user's values in errors, messages, reports and logs: the beginning, and how much is missing.
namespace weir::detail {

// Bytes of a value that are shown: enough to recognise it, and a few thousand failures are kept.
inline constexpr std::size_t most_of_value = 200;
// The same for the text of an exception, which may be the error of another run, with its record.
inline constexpr std::size_t most_of_exception = 1000;

// The text with its control characters as escapes, such as `\n` and `\x1b`. has_lines: line breaks and tabs stay.
std::string visible_text(std::string_view text, bool has_lines);

// The text, or its first `most` bytes and `... (1048376 bytes more)`. No character of UTF-8 is cut through. Control
// characters are shown as escapes, such as `\x1b`, except for line breaks and tabs: a message may have several lines.
std::string cut_text(std::string_view text, std::size_t most = most_of_value);

// A stream that keeps as much text as a message shows, and counts the rest. So a value is cut while it prints. All
// control characters are shown as escapes, so that no value begins a line of a log or moves a terminal's cursor.
// Numbers print as in the "C" locale. Once so much is missing that printing takes noticeable time, it throws
// std::ios_base::failure, and is_over().
class cut_output : public std::ostream {
 public:
  cut_output();
  std::string text() const;  // what was written, as cut_text() cuts it
  bool is_over() const { return buffer_.is_over(); }

 private:
  class buffer final : public std::streambuf {
   public:
    buffer();
    std::string text() const;
    bool is_over() const { return stopped_; }

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* from, std::streamsize count) override;

   private:
    bool keep();
    void keep(std::string_view more);

    static constexpr std::uint64_t most_counted = std::uint64_t{16} << 20;  // bytes: printing them takes some 0.1 s
    std::string kept_;
    std::uint64_t written_ = 0;
    bool stopped_ = false;
    std::array<char, 512> pending_;
  };
  buffer buffer_;
};

}  // namespace weir::detail
