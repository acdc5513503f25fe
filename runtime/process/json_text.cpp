#include "runtime/process/json_text.hpp"

#include <array>
#include <charconv>

#include "runtime/process/protocol_error.hpp"

namespace weir::detail::processes {

namespace {

constexpr int most_deep = 32;  // no message of the protocol is deeper than four

bool is_digit(char c) { return c >= '0' && c <= '9'; }
int hex_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The four digits of an escape; -1: they are none.
int code_unit(std::string_view text, std::size_t at) {
  int code = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const int digit = i < text.size() ? hex_of(text[i]) : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

void append_utf8(std::string& to, unsigned code) {
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xc0 | code >> 6);
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    to += static_cast<char>(0xe0 | code >> 12);
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    to += static_cast<char>(0xf0 | code >> 18);
    to += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  }
}

template <class Number>
std::optional<Number> read_as(std::string_view text) {
  Number n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace

class json_text::parser {
 public:
  parser(std::string_view text, std::vector<part>& parts) : text_(text), parts_(parts) {}

  void parse() {
    value(0);
    spaces();
    if (at_ != text_.size()) refuse();
  }

 private:
  [[noreturn]] void refuse() const { throw protocol_error("its head is no JSON at byte " + std::to_string(at_)); }
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool takes(char c) {
    if (now() != c) return false;
    ++at_;
    return true;
  }
  std::size_t begin(json_value::sort is) {
    parts_.push_back({is, static_cast<std::uint32_t>(at_), 0, 0, 0});
    return parts_.size() - 1;
  }
  void end(std::size_t number, std::size_t size = 0) {
    part& p = parts_[number];
    p.end = static_cast<std::uint32_t>(at_);
    p.after = static_cast<std::uint32_t>(parts_.size());
    p.size = static_cast<std::uint32_t>(size);
  }

  void value(int depth) {
    if (depth > most_deep) throw protocol_error("its head is nested too deep");
    spaces();
    switch (now()) {
      case '{':
      case '[':
        return several(depth, now() == '{');
      case '"':
        return text();
      case 't':
        return word("true", json_value::sort::boolean);
      case 'f':
        return word("false", json_value::sort::boolean);
      case 'n':
        return word("null", json_value::sort::null);
      default:
        return number();
    }
  }
  void several(int depth, bool is_object) {
    const std::size_t own = begin(is_object ? json_value::sort::object : json_value::sort::list);
    const char last = is_object ? '}' : ']';
    std::size_t size = 0;
    ++at_;
    spaces();
    if (!takes(last)) {
      do {
        if (is_object) {
          spaces();
          if (now() != '"') refuse();
          text();
          spaces();
          if (!takes(':')) refuse();
        }
        value(depth + 1);
        ++size;
        spaces();
      } while (takes(','));
      if (!takes(last)) refuse();
    }
    end(own, size);
  }
  void word(std::string_view expected, json_value::sort is) {
    const std::size_t own = begin(is);
    if (text_.substr(at_, expected.size()) != expected) refuse();
    at_ += expected.size();
    end(own);
  }
  void text() {
    const std::size_t own = begin(json_value::sort::text);
    for (++at_; now() != '"'; ++at_) {
      if (static_cast<unsigned char>(now()) < 0x20) refuse();  // also behind the end
      if (now() != '\\') continue;
      ++at_;
      if (now() == 'u') {
        if (code_unit(text_, at_ + 1) < 0) refuse();
        at_ += 4;
      } else if (now() == '\0' || std::string_view("\"\\/bfnrt").find(now()) == std::string_view::npos) {
        refuse();
      }
    }
    ++at_;
    end(own);
  }
  void digits() {
    if (!is_digit(now())) refuse();
    while (is_digit(now())) ++at_;
  }
  void number() {
    const std::size_t own = begin(json_value::sort::number);
    takes('-');
    if (!takes('0')) digits();
    if (takes('.')) digits();
    if (now() == 'e' || now() == 'E') {
      ++at_;
      if (!takes('-')) takes('+');
      digits();
    }
    end(own);
  }

  std::string_view text_;
  std::vector<part>& parts_;
  std::size_t at_ = 0;
};

json_text::json_text(std::string_view text) : text_(text) {
  parts_.reserve(16);
  parser(text_, parts_).parse();
}

json_value::sort json_value::is() const { return of_->parts_[at_].is; }
std::string_view json_value::raw() const {
  const json_text::part& p = of_->parts_[at_];
  return std::string_view(of_->text_).substr(p.begin, p.end - p.begin);
}
std::optional<std::uint64_t> json_value::natural() const {
  return is() == sort::number ? read_as<std::uint64_t>(raw()) : std::nullopt;
}
std::optional<std::int64_t> json_value::integer() const {
  return is() == sort::number ? read_as<std::int64_t>(raw()) : std::nullopt;
}
std::optional<double> json_value::number() const {
  return is() == sort::number ? read_as<double>(raw()) : std::nullopt;
}
std::optional<bool> json_value::boolean() const {
  if (is() != sort::boolean) return std::nullopt;
  return raw() == "true";
}
std::optional<std::string> json_value::text() const {
  if (is() != sort::text) return std::nullopt;
  const std::string_view written = raw().substr(1, raw().size() - 2);
  std::string plain(written.substr(0, written.find('\\')));
  for (std::size_t i = plain.size(); i < written.size(); ++i) {
    if (written[i] != '\\') {
      plain += written[i];
      continue;
    }
    const char escape = written[++i];
    constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
    if (const std::size_t l = letters.find(escape); l != std::string_view::npos) {
      plain += meant[l];
    } else if (escape != 'u') {
      plain += escape;
    } else {
      auto code = static_cast<unsigned>(code_unit(written, i + 1));
      i += 4;
      if (code >= 0xd800 && code < 0xdc00 && written.substr(i + 1, 2) == "\\u") {
        const auto low = static_cast<unsigned>(code_unit(written, i + 3));
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          i += 6;
        }
      }
      append_utf8(plain, code);
    }
  }
  return plain;
}
std::size_t json_value::size() const { return of_->parts_[at_].size; }
json_value json_value::first() const { return {*of_, at_ + 1}; }
json_value json_value::next() const { return {*of_, of_->parts_[at_].after}; }
json_value json_value::operator[](std::size_t number) const {
  json_value item = first();
  for (; number > 0; --number) item = item.next();
  return item;
}
std::optional<json_value> json_value::find(std::string_view name) const {
  if (is() != sort::object) return std::nullopt;
  const std::vector<json_text::part>& parts = of_->parts_;
  std::uint32_t member = at_ + 1;
  for (std::uint32_t left = parts[at_].size; left > 0; --left) {
    const std::uint32_t begin = parts[member].begin + 1, end = parts[member].end - 1;  // without its quotes
    if (std::string_view(of_->text_.data() + begin, end - begin) == name) return json_value(*of_, member + 1);
    member = parts[member + 1].after;
  }
  return std::nullopt;
}

}  // namespace weir::detail::processes
