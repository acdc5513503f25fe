#include "bench/weir/observations_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "bench/weir/bad_input.hpp"
#include "bench/weir/readable.hpp"

namespace weir::command {
namespace {

enum known { component, x, cores, seconds, start, cpu_seconds, width, core_set, queue, after_move, switches };
constexpr std::array<std::string_view, 11> column_names{"component", "x",           "cores",   "seconds",
                                                        "start",     "cpu_seconds", "width",   "core_set",
                                                        "queue",     "after_move",  "switches"};
constexpr int required = 4;

constexpr double most_counted = std::numeric_limits<std::uint32_t>::max();
constexpr double most_cores = std::numeric_limits<int>::max();

int column_of(std::string_view name) {
  const auto found = std::find(column_names.begin(), column_names.end(), name);
  return found == column_names.end() ? -1 : static_cast<int>(found - column_names.begin());
}

// A field and where it stands, for messages.
struct cell {
  const csv_reader& csv;
  std::string_view name, text;

  [[noreturn]] void refuse(const std::string& expected) const {
    csv.refuse(fmt::format("column {}: {} is not {}", name, excerpt(text), expected));
  }

  double number(const std::string& expected = "a number") const {
    double value = 0;
    const char* const stop = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), stop, value);
    if (stopped != stop || error != std::errc{} || !std::isfinite(value)) refuse(expected);
    return value;
  }

  double within(double least, double most, const std::string& expected) const {
    const double value = number(expected);
    if (value < least || value > most) refuse(expected);
    return value;
  }

  double whole(double least, double most) const {
    const std::string expected = fmt::format("a whole number in {:.0f}..{:.0f}", least, most);
    const double value = within(least, most, expected);
    if (value != std::floor(value)) refuse(expected);
    return value;
  }
};

// The first of "4-7"; a core set of another form is of no use here, and does not have to be understood.
std::uint32_t first_of(std::string_view set) {
  std::uint32_t first = 0;
  std::from_chars(set.data(), set.data() + set.size(), first);
  return first;
}

}  // namespace

observations_reader::observations_reader(const std::string& path) : csv_(path) {
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
  const auto& fields = csv_.fields();
  if (fields.size() != columns_.size())
    csv_.refuse(
        fmt::format("{}, expected were {} as in the first line", counted(fields.size(), "field"), columns_.size()));
  seen_ = observation{.component = seen_.component};  // where index_of looks first
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
  constexpr double least_time = 1e-12, most_time = 1e12;  // what is_usable() takes
  switch (column) {
    case component:
      if (text.empty()) c.refuse("the name of a component");
      seen_.component = index_of(text);
      break;
    case x:
      seen_.x = c.within(0, std::numeric_limits<double>::max(), "a finite number of at least 0");
      break;
    case cores:
      seen_.cores = static_cast<int>(c.whole(1, most_cores));
      break;
    case seconds:
      seen_.seconds = c.within(least_time, most_time, "a positive number of seconds, in 1e-12..1e12");
      break;
    case start:
      seen_.start = c.number("a finite number");
      break;
    case cpu_seconds:
      seen_.cpu_seconds = c.within(0, most_time, "a number of seconds in 0..1e12");
      break;
    case width:
      seen_.width = static_cast<int>(c.whole(1, most_cores));
      break;
    case core_set:
      seen_.first_core = first_of(text);
      break;
    case queue:
      seen_.queue = static_cast<std::uint32_t>(c.whole(0, most_counted));
      break;
    case after_move:
      seen_.after_move = c.whole(0, 1) == 1;
      break;
    case switches:
      seen_.switches = static_cast<std::uint32_t>(c.whole(0, most_counted));
      break;
    default:
      break;
  }
}

}  // namespace weir::command
