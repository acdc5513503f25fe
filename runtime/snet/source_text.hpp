#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::detail::snet {

// A place in a text: bytes before it.
using offset = std::uint32_t;

// The largest text that is read, in bytes.
inline constexpr std::size_t longest_text = std::size_t{64} << 20;

// Line and column, both from 1. A column is a byte, and a tab is one; so an editor that counts bytes finds it.
struct line_and_column {
  std::size_t line, column;
};

// A text and where its lines begin. Immutable after construction; its results refer to it.
class source_text {
 public:
  source_text(std::string name, std::string text);
  source_text(const source_text&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  offset size() const { return static_cast<offset>(text_.size()); }

  line_and_column at(offset place) const;
  std::string_view line(std::size_t number) const;  // from 1, without its end

 private:
  std::string name_, text_;
  std::vector<offset> lines_;  // where each begins
};

}  // namespace weir::detail::snet
