#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <weir/weir.hpp>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

// The fixture of tests of order, and work by which invocations overtake each other if they can.
namespace weir::order_test {

using namespace testing;

class order : public gives_all_back {};

// Work whose duration depends on the value: 0 to 7 units. So invocations overtake each other if they can.
inline std::int64_t work_on(std::int64_t value, int unit) {
  std::uint64_t hash = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ull;
  const int rounds = static_cast<int>(hash >> 61) * unit;
  for (int i = 0; i < rounds; ++i) hash = hash * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<std::int64_t>(hash & 0xffff);
}

inline options with(const std::string& cores, std::size_t capacity, policy p) {
  options o;
  o.machine = machine::synthetic(cores);
  o.capacity = capacity;
  o.policy = std::move(p);
  return o;
}

}  // namespace weir::order_test
