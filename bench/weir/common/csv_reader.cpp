#include "bench/weir/common/csv_reader.hpp"

#include <fmt/format.h>

#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"

namespace weir::program {
namespace {

constexpr std::size_t block_size = 65536;

// Well-formed by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned first = at(i);
    const std::size_t more = first < 0x80 ? 0 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (more > 0 && (first < 0xC2 || first > 0xF4)) return false;
    if (i + more >= text.size()) return false;
    unsigned low = 0x80, high = 0xBF;  // of the second byte
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
    for (std::size_t k = 1; k <= more; ++k, low = 0x80, high = 0xBF)
      if (at(i + k) < low || at(i + k) > high) return false;
    i += 1 + more;
  }
  return true;
}

}  // namespace

csv_reader::csv_reader(const std::string& path) : path_(path), file_(open_input(path)), block_(block_size) {
  static constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (peek() == end || std::string_view(block_.data(), filled_).substr(0, mark.size()) != mark) return;
  at_ = mark.size();
  bytes_ += mark.size();
}

void csv_reader::refuse(const std::string& what) const {
  throw bad_input(fmt::format("{}: line {}: {}", path_, row_line_, what));
}

int csv_reader::peek() {
  if (at_ == filled_) {
    file_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
    at_ = 0;
    filled_ = static_cast<std::size_t>(file_.gcount());
    if (file_.bad()) throw bad_input(fmt::format("{} could not be read beyond line {}", path_, line_));
  }
  return at_ == filled_ ? end : static_cast<unsigned char>(block_[at_]);
}

int csv_reader::take() {
  const int c = peek();
  if (c == end) return c;
  ++at_;
  ++bytes_;
  if (c == '\n') ++line_;
  return c;
}

void csv_reader::keep(int c) {
  if (c == 0) refuse("it holds a NUL byte, so this is not text");
  if (text_.size() == longest_row) refuse(fmt::format("it is longer than {} MB", longest_row >> 20));
  text_ += static_cast<char>(c);
}

void csv_reader::quoted_field() {
  take();
  for (;;) {
    const int c = take();
    if (c == end) refuse("a quote is not closed before the end of the file");
    if (c == '"' && peek() != '"') break;
    if (c == '"') take();
    if (text_.size() == longest_row) refuse(fmt::format("a quote is not closed within {} MB", longest_row >> 20));
    keep(c);
  }
  const int c = peek();
  if (c != ',' && c != '\n' && c != '\r' && c != end) refuse("there is text right after a closing quote");
}

void csv_reader::field() {
  if (peek() == '"') return quoted_field();
  for (int c = peek(); c != ',' && c != '\n' && c != '\r' && c != end; c = peek()) {
    if (c == '"') refuse("there is a quote in the middle of a field that does not begin with one");
    keep(take());
  }
}

void csv_reader::pass_end_of_line() {
  if (take() != '\r') return;
  if (peek() == '\n') {
    take();
  } else {
    ++line_;
  }
}

void csv_reader::read_row() {
  row_line_ = line_;
  text_.clear();
  stops_.clear();
  fields_.clear();
  for (;;) {
    field();
    stops_.push_back(text_.size());
    if (stops_.size() > longest_row) refuse("it has more than a million fields");
    if (peek() != ',') break;
    take();
  }
  pass_end_of_line();
  std::size_t begin = 0;
  for (const std::size_t stop : stops_) {
    fields_.push_back(std::string_view(text_).substr(begin, stop - begin));
    if (!is_utf8(fields_.back())) refuse("it is not UTF-8 text");
    begin = stop;
  }
}

bool csv_reader::next() {
  while (peek() == '\n' || peek() == '\r') pass_end_of_line();
  if (peek() == end) return false;
  read_row();
  return true;
}

}  // namespace weir::program
