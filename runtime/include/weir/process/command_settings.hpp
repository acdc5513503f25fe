#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <ratio>
#include <string>
#include <vector>

#include <weir/process/command_argument.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

inline constexpr int most_retries = 100;  // of one record, by a command or a worker

// Every duration converts to it, exactly where it is one of nanoseconds.
using any_time = std::chrono::duration<long double, std::nano>;

// A bound as nanoseconds, one at least and some 292 years at most. Throws type_error, which begins with `of`, unless it
// is more than 0.
std::chrono::nanoseconds bounded_time(const std::string& of, any_time bound);

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
