#include "runtime/entities/component_state.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include <weir/patterns/pattern.hpp>

namespace weir::detail {

std::array<char, longest_thread_name + 1> component_state::thread_name() const {
  std::array<char, longest_thread_name + 1> text{};
  char *at = text.data(), *const end = at + longest_thread_name;  // enough for both numbers
  at = std::to_chars(at, end, run).ptr;
  *at++ = '.';
  at = std::to_chars(at, end, index).ptr;
  if (at < end) *at++ = ':';
  std::copy_n(spec->name.begin(), std::min(static_cast<std::size_t>(end - at), spec->name.size()), at);
  return text;
}

std::string component_state::mismatch(const shape& s) const { return detail::mismatch(spec->takes, s); }

}  // namespace weir::detail
