#include "runtime/process/ending.hpp"

#include <string.h>

#include <algorithm>
#include <array>
#include <utility>

#include <weir/process/field_bytes.hpp>

namespace weir::detail::processes {
namespace {

// "512 MB", "64 MiB": in the largest unit of which it is a multiple.
std::string in_units(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> decimal{" bytes", " kB", " MB", " GB", " TB"},
      binary{" bytes", " KiB", " MiB", " GiB", " TiB"};
  const auto in = [&](std::uint64_t base, const auto& units) {
    std::size_t unit = 0;
    std::uint64_t count = bytes;
    for (; count % base == 0 && unit + 1 < units.size(); ++unit) count /= base;
    return std::pair(count, std::to_string(count) + units[unit]);
  };
  return std::min(in(1024, binary), in(1000, decimal)).second;
}

}  // namespace

std::string words_of_time(std::chrono::nanoseconds time) {
  const auto nanoseconds = static_cast<double>(time.count());
  return time >= std::chrono::seconds(1) ? text_of(nanoseconds / 1e9) + " s" : text_of(nanoseconds / 1e6) + " ms";
}

std::string name_of_signal(int number) {
  const char* const name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : "signal " + std::to_string(number);
}

std::string words_of_bound(std::uint64_t memory, const ending& e) {
  if (memory > 0 && e.out_of_memory) return "; it needed more memory than its bound, " + in_units(memory);
  constexpr int not_loaded = 127;  // of the loader, where there is no memory for its libraries
  return e.signal != 0 || e.code == not_loaded ? words_of_bound(memory) : "";
}

std::string words_of_bound(std::uint64_t memory) {
  return memory > 0 ? "; its memory is bounded to " + in_units(memory) : "";
}

}  // namespace weir::detail::processes
