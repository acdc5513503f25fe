#include "bench/weir/snet/json_values.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include <weir/process/scratch_file.hpp>
#include "bench/support/readable.hpp"
#include "bench/weir/snet/field_kinds.hpp"
#include "runtime/record/printed_value.hpp"

namespace weir::program {
namespace {

using bytes = std::vector<std::byte>;
constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64_of(std::string_view from) {
  std::string made;
  made.reserve((from.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < from.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < from.size() ? static_cast<unsigned char>(from[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) made += i + k <= from.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return made;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string made;
  made.reserve(text.size() / 4 * 3);
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool is_last = i + 4 == text.size();
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_padding = is_last && k + padding >= 4;
      const std::size_t digit = is_padding ? 0 : digits.find(text[i + k]);
      if (digit == std::string_view::npos) return std::nullopt;
      three = three << 6 | static_cast<std::uint32_t>(digit);
    }
    const std::size_t count = is_last ? 3 - padding : 3;
    for (std::size_t k = 0; k < count; ++k) made += static_cast<char>(three >> (16 - 8 * k) & 0xff);
  }
  return made;
}

std::string_view view_of(const bytes& b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

std::string in_base64(std::string_view from) { return "{\"base64\": \"" + base64_of(from) + "\"}"; }

std::string bytes_in_file(const std::string& field, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  if (!file)
    throw std::runtime_error(fmt::format("the file of field {} cannot be read: {}", field, excerpt(path.string())));
  return std::move(all).str();
}

[[noreturn]] void refuse(const placed_json& found, const std::string& expected) {
  throw std::invalid_argument(fmt::format("found {}, expected {}", found_words(found), expected));
}

std::string decoded(const placed_json& value, const char* expected) {
  const placed_json* const text = value.find("base64");
  if (!text || value.members.size() != 1 || text->what != placed_json::text) refuse(value, expected);
  std::optional<std::string> made = bytes_of_base64(text->words);
  if (!made) throw std::invalid_argument("no base64: " + excerpt(text->words));
  return *std::move(made);
}

std::string text_of(const placed_json& value) {
  return value.what == placed_json::text ? value.words : decoded(value, R"(a text, or {"base64": ".."})");
}

template <class T>
T number_of(const placed_json& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (value.what != placed_json::truth) refuse(value, "true or false");
    return value.flag;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value.what == placed_json::integer || value.what == placed_json::number) return static_cast<T>(value.real);
    if (value.what == placed_json::text)
      for (const double special : {std::nan(""), HUGE_VAL, -HUGE_VAL})
        if (value.words == fmt::format("{}", special)) return static_cast<T>(special);
    refuse(value, R"(a number, "nan", "inf" or "-inf")");
  } else {
    constexpr auto most = std::numeric_limits<T>::max();
    const bool fits = value.what == placed_json::integer && std::in_range<T>(value.whole);
    if (!fits) refuse(value, fmt::format("an integer from {} to {}", std::numeric_limits<T>::min(), most));
    return static_cast<T>(value.whole);
  }
}

template <class T>
std::vector<T> list_of(const placed_json& value) {
  if (value.what != placed_json::list) refuse(value, "a list of numbers");
  std::vector<T> made;
  made.reserve(value.items.size());
  for (const placed_json& item : value.items) made.push_back(number_of<T>(item));
  return made;
}

template <class T>
std::string number_text(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (!std::is_floating_point_v<T>)
    return fmt::format("{}", value);
  else if (value == 0 && std::signbit(value))
    return "-0.0";  // -0 would be read as an integer
  else if (std::isfinite(value))
    return fmt::format("{}", value);
  else
    return std::isnan(value) ? "\"nan\"" : fmt::format("\"{}\"", value);
}

template <class T>
std::string list_text(const std::vector<T>& values) {
  std::string text = "[";
  for (const T v : values) text += (text.size() > 1 ? ", " : "") + number_text(v);
  return text + "]";
}

// Calls f with a null pointer to the C++ type that this is, if it is one of these.
template <class... T, class F>
bool with_one_of(const value_type& type, F f) {
  return ((*type.type == typeid(T) && (f(static_cast<T*>(nullptr)), true)) || ...);
}
template <class F>
bool with_number(const value_type& type, F f) {
  return with_one_of<bool, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long,
                     float, double>(type, f);
}
template <class F>
bool with_list(const value_type& type, F f) {
  return with_one_of<std::vector<int>, std::vector<std::int64_t>, std::vector<float>, std::vector<double>>(type, f);
}

}  // namespace

std::ostream& operator<<(std::ostream& to, const kept_json& value) { return to << value.text; }

detail::slot_word word_of(const placed_json& value, const value_type& type, const registry& known) {
  std::optional<detail::slot_word> made;
  if (*type.type == typeid(std::string)) return detail::make_word<std::string>(text_of(value));
  if (*type.type == typeid(std::filesystem::path)) return detail::make_word<std::filesystem::path>(text_of(value));
  if (*type.type == typeid(bytes)) {
    const std::string all = decoded(value, R"({"base64": ".."})");
    const auto* const first = reinterpret_cast<const std::byte*>(all.data());
    return detail::make_word<bytes>(first, first + all.size());
  }
  if (const detail::field_reader* read = known.reader_for(type)) {
    if (value.what != placed_json::text) refuse(value, "a text, as the library reads it");
    return (*read)(value.words);
  }
  with_number(type, [&]<class T>(T*) { made = detail::make_word<T>(number_of<T>(value)); });
  with_list(type, [&]<class T>(T*) { made = detail::make_word<T>(list_of<typename T::value_type>(value)); });
  if (!made) throw std::invalid_argument("its type, " + type_name(type) + ", is not read from JSON");
  return *made;
}

bool has_text(const value_type& type) {
  return type.print || *type.type == typeid(bytes) || with_list(type, [](auto*) {});
}

std::string json_text_of(const std::string& from) {
  try {
    return nlohmann::json(from).dump();
  } catch (const nlohmann::json::type_error&) {  // no UTF-8
    return in_base64(from);
  }
}

std::string json_of(const detail::label_info& label, const detail::slot_word& word) {
  if (!label.type) return fmt::format("{}", static_cast<std::int64_t>(word));
  const value_type& type = *label.type;
  std::string made;
  if (*type.type == typeid(std::string)) return json_text_of(detail::word_as<std::string>(word));
  if (*type.type == typeid(kept_json)) return detail::word_as<kept_json>(word).text;
  if (*type.type == typeid(std::filesystem::path))
    return json_text_of(detail::word_as<std::filesystem::path>(word).string());
  if (*type.type == typeid(bytes)) return in_base64(view_of(detail::word_as<bytes>(word)));
  if (*type.type == typeid(scratch_file))
    return in_base64(bytes_in_file(label.name, detail::word_as<scratch_file>(word).path()));
  with_number(type, [&]<class T>(T*) { made = number_text(detail::word_as<T>(word)); });
  with_list(type, [&]<class T>(T*) { made = list_text(detail::word_as<T>(word)); });
  return made.empty() ? json_text_of(detail::printed_value(label, word)) : made;
}

}  // namespace weir::program
