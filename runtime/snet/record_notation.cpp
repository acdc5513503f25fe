#include "runtime/snet/record_notation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {
namespace {

template <class T>
std::optional<T> number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

template <class T>
bool made_number(const value_type& type, std::string_view text, std::optional<slot_word>& word) {
  if (*type.type != typeid(T)) return false;
  if (const auto value = number<T>(text)) word = make_word<T>(*value);
  return true;
}

template <class... T>
bool made_one_of(const value_type& type, std::string_view text, std::optional<slot_word>& word) {
  return (made_number<T>(type, text, word) || ...);
}

class scanner {
 public:
  explicit scanner(std::string_view line) : line_(line) {}

  [[noreturn]] void fail(const std::string& why) const { throw record_fault(at_ + 1, why); }
  void space() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r')) ++at_;
  }
  bool take_if(char c) {
    space();
    const bool is_here = at_ < line_.size() && line_[at_] == c;
    at_ += is_here;
    return is_here;
  }
  void take(char c) {
    if (!take_if(c)) fail(std::string("expected '") + c + "', found " + found());
  }
  void end() {
    space();
    if (at_ < line_.size()) fail("expected the end of the record, found " + found());
  }
  std::string name() {
    space();
    const std::size_t from = at_;
    while (at_ < line_.size() && is_of_name(line_[at_], at_ == from)) ++at_;
    if (at_ == from) fail("expected a label, found " + found());
    return std::string(line_.substr(from, at_ - from));
  }
  std::string value() {
    space();
    if (at_ < line_.size() && line_[at_] == '"') return quoted();
    const std::size_t from = at_;
    while (at_ < line_.size() && line_[at_] != ',' && line_[at_] != '}') ++at_;
    std::size_t to = at_;
    while (to > from && (line_[to - 1] == ' ' || line_[to - 1] == '\t' || line_[to - 1] == '\r')) --to;
    return std::string(line_.substr(from, to - from));
  }
  std::size_t place() const { return at_; }
  void go_back(std::size_t to) { at_ = to; }

 private:
  static bool is_of_name(char c, bool first) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return is_letter || (!first && c >= '0' && c <= '9');
  }
  std::string found() const {
    return at_ < line_.size() ? "'" + shown(line_.substr(at_, 10)) + "'" : "the end of the line";
  }
  std::string quoted() {
    std::string text;
    for (++at_; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      if (line_[at_] != '\\') {
        text += line_[at_];
        continue;
      }
      if (++at_ == line_.size()) break;
      const char c = line_[at_];
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'x' ? byte() : c;
    }
    if (at_ == line_.size()) fail("a value without its second quote");
    ++at_;
    return text;
  }

  // The byte of `x1f`, to its last digit.
  char byte() {
    unsigned value = 0;
    const std::string_view digits = line_.substr(at_ + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || digits.size() < 2 || end != digits.data() + 2)
      fail("\\x needs two hexadecimal digits, as in \\x1f");
    at_ += 2;
    return static_cast<char>(value);
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

// The bytes of the first character, if it is UTF-8 and a terminal shows it; else 0.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 3> least{0xa0, 0x800, 0x10000};  // below 0xa0 are control characters
  return code < least[size - 2] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}

// Whether a value reads as it is, without quotes.
bool is_plain(std::string_view text) {
  if (text.starts_with('"') || text.starts_with(' ') || text.ends_with(' ')) return false;
  while (!text.empty()) {
    const std::size_t size = text[0] == ',' || text[0] == '}' ? 0 : shown_bytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string in_quotes(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string made = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t size = shown_bytes(text);
    if (c == '"' || c == '\\')
      made += {'\\', c};
    else if (size > 0)
      made += text.substr(0, size);
    else if (c == '\n' || c == '\t' || c == '\r')
      made += {'\\', c == '\n' ? 'n' : c == '\t' ? 't' : 'r'};
    else
      made += {'\\', 'x', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return made + '"';
}

std::pair<const value_type*, slot_word> untyped(const std::string& text, bool is_quoted) {
  if (const auto value = is_quoted ? std::nullopt : number<std::int64_t>(text))
    return {&value_type_of<std::int64_t>, make_word<std::int64_t>(*value)};
  return {&value_type_of<std::string>, make_word<std::string>(text)};
}

bool is_path(const value_type& type) { return *type.type == typeid(std::filesystem::path); }

}  // namespace

record_words::~record_words() {
  for (const labelled_word& w : all)
    if (w.type && !w.type->inlined) let_go(w.word, *w.type);
}

record record_words::take() && {
  if (all.empty()) return record();
  record_body* const body = body_of(all.data(), all.size());
  all.clear();
  return record::adopt(body);
}

// Nothing: the text is no value of the type.
std::optional<slot_word> record_notation::typed(const value_type& type, const std::string& text) const {
  if (const field_reader* reader = known_.reader_for(type)) return (*reader)(text);
  std::optional<slot_word> word = further_.read ? further_.read(type, text, known_) : std::nullopt;
  if (word) return word;
  if (*type.type == typeid(std::string)) return make_word<std::string>(text);
  if (is_path(type)) return make_word<std::filesystem::path>(text);
  if (*type.type == typeid(bool)) {
    if (text == "1" || text == "true") return make_word<bool>(true);
    if (text == "0" || text == "false") return make_word<bool>(false);
    return std::nullopt;
  }
  if (*type.type == typeid(char)) {
    if (text.size() == 1) return make_word<char>(text[0]);
    return std::nullopt;
  }
  if (made_one_of<short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long, float,
                  double>(type, text, word))
    return word;
  throw std::invalid_argument("its type, " + type_name(*type.type) + ", is not read from text; see registry::reads");
}

record record_notation::read(std::string_view line, std::string_view only) const {
  scanner in(line);
  record_words made;
  std::unordered_set<std::uint64_t> keys;
  in.take('{');
  if (!in.take_if('}')) {
    do {
      in.space();
      const std::size_t place = in.place();
      if (made.all.size() >= most_labels) in.fail("more than " + std::to_string(most_labels) + " labels in one record");
      const bool is_tag = in.take_if('<');
      const bool is_binding = is_tag && in.take_if('#');
      const std::string name = in.name();
      if (is_tag) in.take('>');
      in.take('=');
      in.space();
      const std::size_t value_place = in.place();
      const std::string text = in.value();
      const auto refuse = [&](const std::string& why) {
        in.go_back(value_place);
        in.fail(why);
      };
      const label_kind kind = is_binding ? label_kind::binding_tag : is_tag ? label_kind::tag : label_kind::field;
      const char* const kept = kept_name(name);
      labelled_word w{kept, label_key(kept, kind), kind, nullptr, 0};
      if (!only.empty() && weir::to_string(*w.info()) != only) continue;
      if (is_tag) {
        const auto value = number<std::int64_t>(text);
        if (!value) refuse("a tag is an integer of 64 bits, got '" + shown(text, 30) + "'");
        w.word = static_cast<slot_word>(*value);
      } else if (const auto known = fields_.find(name); known != fields_.end()) {
        w.type = known->second;
        std::optional<slot_word> word;
        try {
          word = typed(*w.type, text);
        } catch (const std::exception& e) {
          refuse("field " + name + ": " + e.what());
        }
        if (!word) refuse("field " + name + " is " + type_name(*w.type) + ", got '" + shown(text, 30) + "'");
        w.word = *word;
      } else {
        std::tie(w.type, w.word) = untyped(text, line.substr(value_place).starts_with('"'));
      }
      made.all.push_back(w);
      if (!keys.insert(w.key).second) {
        in.go_back(place);
        in.fail("label " + weir::to_string(*w.info()) + " stands twice");
      }
    } while (in.take_if(','));
    in.take('}');
  }
  in.end();
  return std::move(made).take();
}

std::string record_notation::written(const record& r) const {
  if (!r.body()) return "{}";
  std::string line = "{";
  for (auto& [label, value] : detail::printed_values(*r.body())) {
    value = text_of(*label, r.body()->slots()[r.body()->shape->find(label->key)], std::move(value));
    line += (line.size() > 1 ? ", " : "") + weir::to_string(*label) + "=" +
            (is_read_so(*label, value) ? value : in_quotes(value));
  }
  return line + "}";
}

std::string record_notation::text_of(const label_info& label, const slot_word& word, std::string&& printed) const {
  if (!label.type) return std::move(printed);
  if (is_path(*label.type) && !known_.reader_for(*label.type))  // it prints in quotes of its own
    return word_as<std::filesystem::path>(word).string();
  std::optional<std::string> text = further_.write ? further_.write(label, word, known_) : std::nullopt;
  return text ? *std::move(text) : std::move(printed);
}

// Whether a value that prints so is read from that.
bool record_notation::is_read_so(const label_info& label, const std::string& text) const {
  if (label.kind != label_kind::field) return true;
  const bool is_text =
      (*label.type->type == typeid(std::string) || is_path(*label.type)) && fields_.find(label.name) == fields_.end();
  return is_plain(text) && !(is_text && number<std::int64_t>(text));
}

}  // namespace weir::detail::snet
