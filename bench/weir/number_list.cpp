#include "bench/weir/number_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bench/weir/bad_input.hpp"

namespace weir::command {

std::vector<std::string> split_text(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::int64_t parse_number(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stopped != end || (error != std::errc{} && error != std::errc::result_out_of_range))
    throw bad_input(fmt::format("{}: \"{}\" is not a whole number", option, text));
  if (error != std::errc{} || value < least || value > most)
    throw bad_input(fmt::format("{}: {} is not in {}..{}", option, text, least, most));
  return value;
}

std::vector<std::int64_t> parse_range(const std::string& option, const std::string& text, std::int64_t least,
                                      std::int64_t most) {
  const auto parts = split_text(text, ':');
  if (parts.size() != 3) throw bad_input(fmt::format("{}: \"{}\" is not LO:HI:STEP", option, text));
  const std::int64_t low = parse_number(option, parts[0], least, most);
  const std::int64_t high = parse_number(option, parts[1], least, most);
  const std::int64_t step = parse_number(option, parts[2], 1, most);
  if (low > high) throw bad_input(fmt::format("{}: in \"{}\" {} is more than {}", option, text, low, high));
  std::vector<std::int64_t> values;
  for (std::int64_t v = low; v <= high; v += step) values.push_back(v);
  return values;
}

std::vector<std::int64_t> parse_list(const std::string& option, const std::string& text, std::int64_t least,
                                     std::int64_t most) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split_text(text, ',')) {
    const std::int64_t value = parse_number(option, part, least, most);
    if (std::find(values.begin(), values.end(), value) != values.end())
      throw bad_input(fmt::format("{}: {} is listed twice", option, value));
    values.push_back(value);
  }
  return values;
}

}  // namespace weir::command
