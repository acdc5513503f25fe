#pragma once

#include <cstdint>
#include <string>

#include <weir/weir.hpp>

template <>
inline constexpr bool weir::is_view<const std::string*> = false;  // of a constant

namespace weir::overhead {

// The contents of every record: two tags and three fields. All are plain numbers and a pointer. So the rivals, which
// copy records from stage to stage, pay for copying 40 bytes and no more.
inline constexpr tag value{"value"}, number{"number"};
inline constexpr field<std::int64_t> first{"first"};
inline constexpr field<double> second{"second"};
inline constexpr field<const std::string*> third{"third"};

inline const std::string carried = "carried along";

// The same five values, for the rivals.
struct item {
  std::int64_t value = 0, number = 0;
  std::int64_t first = 0;
  double second = 0;
  const std::string* third = nullptr;
};

inline item item_of(std::int64_t v, std::int64_t n, std::int64_t made = 0) { return {v, n, made, 0.5, &carried}; }

}  // namespace weir::overhead
