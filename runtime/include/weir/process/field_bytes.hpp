#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <weir/process/scratch_file.hpp>
#include <weir/record/label.hpp>

// How values of labels are bytes: on a command line, in a file or on a stream. The types of its labels are all that a
// command is compiled for. Users need none of this header.
namespace [[gnu::visibility("default")]] weir {
namespace detail {

// Bytes that a process wrote and that are no value of the label's type: throws std::runtime_error, which shows them.
[[noreturn]] void refuse_bytes(std::string_view bytes, const char* expected);
// Without white space at both ends, such as the newline that programs print.
std::string_view trimmed(std::string_view text);

// For one type of values. A value is bytes, or it is a file, whose path counts.
struct field_bytes {
  // The bytes of a value; those that are made lie in `room`. Null: it is a file.
  std::string_view (*bytes)(const slot_word& of, std::string& room);
  std::filesystem::path (*path)(const slot_word& of);  // null: it is no file
  slot_word (*from_bytes)(std::string&& bytes);        // throws std::runtime_error; null: cannot be made of bytes
  slot_word (*from_file)(scratch_file&& file);         // null: the file is read
  bool is_text;                                        // may stand as an argument by itself
};

template <class T>
inline constexpr bool is_character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;
template <class T>
concept plain_number = std::is_arithmetic_v<T> && !std::same_as<T, bool> && !is_character<T>;
template <class T>
concept byte = std::same_as<T, char> || std::same_as<T, unsigned char> || std::same_as<T, signed char> ||
    std::same_as<T, std::byte>;
template <class T>
inline constexpr bool is_block = false;
template <byte B>
inline constexpr bool is_block<std::vector<B>> = true;

template <class T>
inline constexpr bool has_bytes = plain_number<T> || std::same_as<T, std::string> || is_block<T> ||
                                  std::same_as<T, std::filesystem::path> || std::same_as<T, scratch_file>;

template <plain_number T>
std::string text_of(T value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}
template <plain_number T>
std::string_view bytes_of_number(const slot_word& of, std::string& room) {
  return room = text_of(word_as<T>(of));
}
template <plain_number T>
slot_word number_from(std::string&& bytes) {
  const std::string_view text = trimmed(bytes);
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    refuse_bytes(bytes, std::is_integral_v<T> ? "an integer" : "a number");
  return make_word<T>(value);
}
template <class T>
std::string_view bytes_of_block(const slot_word& of, std::string&) {
  const T& value = word_as<T>(of);
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}
template <class T>
slot_word block_from(std::string&& bytes) {
  if constexpr (std::same_as<T, std::string>) {
    return make_word<T>(std::move(bytes));
  } else {
    const auto* const first = reinterpret_cast<const typename T::value_type*>(bytes.data());
    return make_word<T>(first, first + bytes.size());
  }
}

template <class T>
constexpr field_bytes bytes_for() {
  if constexpr (plain_number<T>)
    return {&bytes_of_number<T>, nullptr, &number_from<T>, nullptr, true};
  else if constexpr (std::same_as<T, std::filesystem::path>)
    return {nullptr, [](const slot_word& of) { return word_as<T>(of); }, nullptr, nullptr, true};
  else if constexpr (std::same_as<T, scratch_file>)
    return {nullptr, [](const slot_word& of) { return word_as<T>(of).path(); }, nullptr,
            [](scratch_file&& file) { return make_word<T>(std::move(file)); }, true};
  else
    return {&bytes_of_block<T>, nullptr, &block_from<T>, nullptr, std::same_as<T, std::string>};
}
template <class T>
inline constexpr field_bytes field_bytes_of = bytes_for<T>();

// A label, with how its values are bytes.
struct bytes_label {
  const label_info* label;
  const field_bytes* as;
};

// For a message about a type that a command cannot be given.
template <class T>
bytes_label bytes_label_of(const field<T>& label) {
  static_assert(has_bytes<T>,
                "weir::command: values of this type are no bytes: give a field of std::string, a vector of bytes, a "
                "number, std::filesystem::path or scratch_file, and let a box make it");
  if constexpr (has_bytes<T>)
    return {label.info(), &field_bytes_of<T>};
  else
    return {};
}
template <label_kind Kind>
bytes_label bytes_label_of(const integer_label<Kind>& label) {
  return {label.info(), &field_bytes_of<std::int64_t>};
}

}  // namespace detail
}  // namespace weir
