#include "bench/support/number_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "bench/support/bad_input.hpp"

namespace weir::program {

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

namespace {

// Refuses a range with more than `count` members before it is made.
void require_few(const std::string& option, const std::string& text, double members, std::size_t count) {
  if (members > static_cast<double>(count))
    throw bad_input(fmt::format("{}: \"{}\" is more than {} numbers", option, text, count));
}

double parse_real(const std::string& option, const std::string& text, double least, double most) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (stopped != end || error != std::errc{} || !std::isfinite(value))
    throw bad_input(fmt::format("{}: \"{}\" is not a number", option, text));
  if (value < least || value > most) throw bad_input(fmt::format("{}: {} is not in {}..{}", option, text, least, most));
  return value;
}

std::vector<double> parse_real_range(const std::string& option, const std::string& text, double least, double most,
                                     std::size_t count) {
  const auto parts = split_text(text, ':');
  if (parts.size() != 3) throw bad_input(fmt::format("{}: \"{}\" is not LO:HI:STEP", option, text));
  const double low = parse_real(option, parts[0], least, most);
  const double high = parse_real(option, parts[1], least, most);
  const double step = parse_real(option, parts[2], 0, most);
  if (step <= 0) throw bad_input(fmt::format("{}: in \"{}\" the step is 0", option, text));
  if (low > high) throw bad_input(fmt::format("{}: in \"{}\" {} is more than {}", option, text, low, high));
  const double steps = std::floor((high - low) / step + 1e-9);  // 0:1:0.1 ends with 1, whatever 0.1 rounds to
  require_few(option, text, steps + 1, count);
  std::vector<double> values;
  for (double i = 0; i <= steps; ++i) values.push_back(std::min(low + i * step, high));
  return values;
}

// The parts between commas, each a number or a range; no number twice and not more than `count`.
template <typename Number, typename Parse>
std::vector<Number> parse_parts(const std::string& option, const std::string& text, std::size_t count, Parse parse) {
  std::vector<Number> values;
  std::unordered_set<Number> met;
  for (const std::string& part : split_text(text, ','))
    for (const Number value : parse(part)) {
      if (!met.insert(value).second) throw bad_input(fmt::format("{}: {} is listed twice", option, value));
      values.push_back(value);
      require_few(option, text, static_cast<double>(values.size()), count);
    }
  return values;
}

}  // namespace

std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text, std::int64_t least,
                                        std::int64_t most, std::size_t count) {
  return parse_parts<std::int64_t>(option, text, count, [&](const std::string& part) {
    return part.find(':') == std::string::npos ? std::vector{parse_number(option, part, least, most)}
                                               : parse_range(option, part, least, most);
  });
}

std::vector<double> parse_reals(const std::string& option, const std::string& text, double least, double most,
                                std::size_t count) {
  return parse_parts<double>(option, text, count, [&](const std::string& part) {
    return part.find(':') == std::string::npos ? std::vector{parse_real(option, part, least, most)}
                                               : parse_real_range(option, part, least, most, count);
  });
}

}  // namespace weir::program
