#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "runtime/patterns/program.hpp"
#include "tests/runtime/language/labels.hpp"

namespace weir::testing {

inline constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();

// The value for <n>, <k> and <#k>; none: a division by zero.
inline std::optional<std::int64_t> value(const expression& of, std::int64_t for_n = 0, std::int64_t for_k = 0,
                                         std::int64_t for_bk = 0) {
  const std::array variables{n.info(), k.info(), bk.info()};
  const std::array values{for_n, for_k, for_bk};
  try {
    return detail::compile(of, variables)(values.data());
  } catch (const detail::division_by_zero&) {
    return std::nullopt;
  }
}

}  // namespace weir::testing
