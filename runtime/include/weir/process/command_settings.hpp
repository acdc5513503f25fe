#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <weir/process/command_argument.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

inline constexpr int most_retries = 100;  // of one record, by a command or a worker

// As nanoseconds; the longest or the least of these, some 292 years, for a time beyond them.
template <class Rep, class Period>
requires std::is_convertible_v<std::chrono::duration<Rep, Period>, std::chrono::nanoseconds>
constexpr std::chrono::nanoseconds bounded_time(std::chrono::duration<Rep, Period> time) {
  using exact = std::chrono::nanoseconds;
  const std::chrono::duration<long double> seconds = time;
  if (seconds >= std::chrono::duration<long double>(exact::max())) return exact::max();
  if (seconds <= std::chrono::duration<long double>(exact::min())) return exact::min();
  return time;
}

// All that command() and its properties say. Plain data.
struct command_settings {
  std::string name;
  std::vector<const label_info*> takes{}, gives{};
  bool is_sink = false;  // gives nothing, not even the labels that ride along
  std::vector<command_argument> arguments{};
  std::optional<bytes_label> input{}, output{};  // none: /dev/null
  bool in_lines = false;                         // `output` is a record for each line
  std::optional<std::chrono::nanoseconds> within{};
  std::optional<std::uint64_t> memory{};  // bytes
  int retries = 0;
  std::vector<int> succeeds_with{0};
};

}  // namespace detail
}  // namespace weir
