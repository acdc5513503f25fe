#include "bench/weir/common/observations_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/accepted_numbers.hpp"

namespace weir::program {
namespace {

enum known {
  component,
  x,
  cores,
  seconds,
  start,
  cpu_seconds,
  width,
  core_set,
  queue,
  after_move,
  switches,
  delayed_seconds
};
constexpr std::array<std::string_view, 12> column_names{"component", "x",           "cores",    "seconds",
                                                        "start",     "cpu_seconds", "width",    "core_set",
                                                        "queue",     "after_move",  "switches", "delayed_seconds"};
constexpr int required = 4;

constexpr std::uint32_t most_counted = std::numeric_limits<std::uint32_t>::max();
constexpr int most_cores = std::numeric_limits<int>::max();

int column_of(std::string_view name) {
  const auto found = std::find(column_names.begin(), column_names.end(), name);
  return found == column_names.end() ? -1 : static_cast<int>(found - column_names.begin());
}

// A field and its place, for messages.
struct cell {
  const csv_reader& csv;
  std::string_view name, text;

  [[noreturn]] void refuse(std::string_view expected) const {
    csv.refuse(fmt::format("column {}: {} is not {}", name, excerpt(text), expected));
  }

  // Nothing if the field is not a finite number.
  std::optional<double> number() const {
    double value = 0;
    const char* const stop = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), stop, value);
    return stopped == stop && error == std::errc{} && std::isfinite(value) ? std::optional(value) : std::nullopt;
  }

  double within(const accepted_numbers& accepted, std::string_view expected) const {
    const auto value = number();
    if (!value) refuse(expected);
    if (!accepted.have(*value)) refuse(accepted.instead_of(*value));
    return *value;
  }

  template <typename Integer>
  Integer whole(Integer least, Integer most) const {
    const auto value = number();
    if (!value || *value < least || *value > most || *value != std::floor(*value))
      refuse(fmt::format("a whole number in {}..{}", least, most));
    return static_cast<Integer>(*value);
  }
};

// The first core of "4-7"; core_set_text() has the whole set.
std::uint32_t first_of(std::string_view set) {
  std::uint32_t first = 0;
  std::from_chars(set.data(), set.data() + set.size(), first);
  return first;
}

std::uintmax_t megabytes_in(const std::string& path) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  return unknown ? 0 : size >> 20;
}

}  // namespace

observations_reader::observations_reader(const std::string& path, bool progress)
    : csv_(path), bar_(megabytes_in(path), progress && megabytes_in(path) > 0) {
  bar_.label("reading " + path);
  if (!csv_.next())
    throw bad_input(fmt::format("{} is empty, expected was a line that names the columns: {}", path,
                                fmt::join(column_names.begin(), column_names.begin() + required, ",")));
  for (const std::string_view name : csv_.fields()) {
    const int column = column_of(name);
    if (column < 0)
      csv_.refuse(fmt::format("there is no column {}; there are {}", excerpt(name), fmt::join(column_names, ",")));
    if (std::find(columns_.begin(), columns_.end(), column) != columns_.end())
      csv_.refuse(fmt::format("column {} is named twice", name));
    columns_.push_back(column);
  }
  for (int column = 0; column < required; ++column)
    if (!has(column_names[static_cast<std::size_t>(column)]))
      csv_.refuse(fmt::format("column {} is missing", column_names[static_cast<std::size_t>(column)]));
}

bool observations_reader::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column_of(column)) != columns_.end();
}

bool observations_reader::next() {
  if (!csv_.next()) return false;
  for (; megabytes_ < csv_.bytes() >> 20; ++megabytes_) bar_.advance();
  const auto& fields = csv_.fields();
  if (fields.size() != columns_.size())
    csv_.refuse(
        fmt::format("{}, expected were {} as in the first line", counted(fields.size(), "field"), columns_.size()));
  seen_ = observation{.component = seen_.component};  // index_of tries this component first
  core_set_ = {};
  for (std::size_t i = 0; i < fields.size(); ++i) set(columns_[i], fields[i]);
  return true;
}

std::uint32_t observations_reader::index_of(std::string_view name) {
  // Rows of one component often follow one another.
  if (seen_.component < names_.size() && names_[seen_.component] == name) return seen_.component;
  const auto [found, is_new] = indices_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return found->second;
}

void observations_reader::set(int column, std::string_view text) {
  const cell c{csv_, column_names[static_cast<std::size_t>(column)], text};
  if (text.empty() && column >= required) return;
  switch (column) {
    case component:
      if (text.empty()) c.refuse("the name of a component");
      seen_.component = index_of(text);
      break;
    case x:
      seen_.x = c.within(size_or_zero, "a finite number of at least 0");
      break;
    case cores:
      seen_.cores = c.whole<int>(1, most_cores);
      break;
    case seconds:
      seen_.seconds = c.within(above_zero, "a positive number of seconds in 1e-12..1e12");
      break;
    case start:
      seen_.start = c.within({-1e15, 1e15}, "a finite number");
      break;
    case cpu_seconds:
      seen_.cpu_seconds = c.within(up_to_1e12, "a number of seconds in 0..1e12");
      break;
    case width:
      seen_.width = c.whole<int>(1, most_cores);
      break;
    case core_set:
      seen_.first_core = first_of(text);
      core_set_ = text;
      break;
    case queue:
      seen_.queue = c.whole<std::uint32_t>(0, most_counted);
      break;
    case after_move:
      seen_.after_move = c.whole<int>(0, 1) == 1;
      break;
    case switches:
      seen_.switches = c.whole<std::uint32_t>(0, most_counted);
      break;
    case delayed_seconds:
      seen_.delayed_seconds = c.within(up_to_1e12, "a number of seconds in 0..1e12");
      break;
    default:
      break;
  }
}

}  // namespace weir::program
