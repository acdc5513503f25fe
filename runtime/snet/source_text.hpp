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

// One message about a place in a text.
struct remark {
  offset place;
  std::string words;
};

// An error, and what else helps to understand it: `name:3:7: error: ..` and `name:1:1: note: ..`.
struct fault {
  remark what;
  std::vector<remark> notes;
};

// Collects the errors of a text. Beyond `most` it only counts: a text of 10 MB may have as many errors.
class fault_list {
 public:
  static constexpr std::size_t most = 50;

  void add(offset place, std::string words, std::vector<remark> notes = {});
  bool empty() const { return count_ == 0; }
  bool is_full() const { return faults_.size() >= most; }
  const std::vector<fault>& kept() const { return faults_; }  // as they were found

  // All errors in the order of their places, each with its line and a caret under its column. Bytes that a terminal
  // does not show print as '?', and of a long line only the part around the column, so that it is a few kilobytes.
  // `kind`: what they are, such as "warning".
  std::string to_string(const source_text& of, const std::string& kind = "error") const;

 private:
  std::vector<fault> faults_;
  std::size_t count_ = 0;
};

// The names that are nearest to `name`, as ` (did you mean a or b?)`; "" when none is near.
std::string nearest_to(std::string_view name, const std::vector<std::string_view>& known);

// The same; when none is near all, if they are few.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

// The text without bytes that a terminal does not show, cut after `most` bytes.
std::string shown(std::string_view text, std::size_t most = 60);

}  // namespace weir::detail::snet
