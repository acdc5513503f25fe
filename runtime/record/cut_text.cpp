#include "runtime/record/cut_text.hpp"

#include <algorithm>
#include <locale>

namespace weir::detail {

namespace {

// The most bytes up to `most` that end with a whole character. Text that is no UTF-8 is cut at `most`.
std::size_t whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  constexpr std::size_t longest = 4;  // bytes of a character
  for (std::size_t at = most; at > 0 && most - at < longest; --at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) return at;
  return most;
}

std::string cut(std::string_view beginning, std::size_t most, std::uint64_t size, bool is_more, bool has_lines) {
  const std::size_t shown = whole_characters(beginning, most);
  std::string text = visible_text(beginning.substr(0, shown), has_lines);
  if (shown < size)
    text += std::string("... (") + (is_more ? "more than " : "") + std::to_string(size - shown) + " bytes more)";
  return text;
}

}  // namespace

std::string visible_text(std::string_view text, bool has_lines) {
  constexpr std::string_view digits = "0123456789abcdef", named = "\t\n\r", names = "tnr";
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_one = byte < 0x20 || byte == 0x7F;
    // U+0080 to U+009F, as UTF-8: terminals obey some of these, too.
    const bool is_two = byte == 0xC2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xE0) == 0x80;
    if ((!is_one && !is_two) || (has_lines && (byte == '\n' || byte == '\t'))) {
      shown += text[i];
    } else if (const std::size_t at = named.find(text[i]); is_one && at != std::string_view::npos) {
      (shown += '\\') += names[at];
    } else {
      for (const std::size_t end = i + (is_two ? 2 : 1); i < end; ++i) {
        const auto part = static_cast<unsigned char>(text[i]);
        ((shown += "\\x") += digits[part / 16]) += digits[part % 16];
      }
      --i;
    }
  }
  return shown;
}

std::string cut_text(std::string_view text, std::size_t most) { return cut(text, most, text.size(), false, true); }

cut_output::buffer::buffer() { setp(pending_.data(), pending_.data() + pending_.size()); }

void cut_output::buffer::keep(std::string_view more) {
  written_ += more.size();
  // One byte beyond tells whether a character ends there.
  kept_.append(more.substr(0, most_of_value + 1 - std::min(kept_.size(), most_of_value + 1)));
}

// Takes the pending text; false: no more is wanted.
bool cut_output::buffer::keep() {
  keep({pbase(), static_cast<std::size_t>(pptr() - pbase())});
  setp(pending_.data(), pending_.data() + pending_.size());
  stopped_ = stopped_ || written_ > most_counted;
  return !stopped_;
}

cut_output::buffer::int_type cut_output::buffer::overflow(int_type c) {
  if (!keep()) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

std::streamsize cut_output::buffer::xsputn(const char* from, std::streamsize count) {
  if (count < epptr() - pptr()) {
    std::copy_n(from, count, pptr());
    pbump(static_cast<int>(count));
    return count;
  }
  if (!keep()) return 0;
  keep({from, static_cast<std::size_t>(count)});
  return count;
}

std::string cut_output::buffer::text() const {
  buffer all;
  all.kept_ = kept_;
  all.written_ = written_;
  all.keep({pbase(), static_cast<std::size_t>(pptr() - pbase())});
  return cut(all.kept_, most_of_value, all.written_, stopped_, false);
}

cut_output::cut_output() : std::ostream(nullptr) {
  rdbuf(&buffer_);
  imbue(std::locale::classic());
  exceptions(badbit);  // ends a loop that prints
}

std::string cut_output::text() const { return buffer_.text(); }

}  // namespace weir::detail
