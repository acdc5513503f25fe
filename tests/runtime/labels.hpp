#pragma once

#include <string>

#include <weir/weir.hpp>

// The labels that the tests of the runtime share.
namespace weir::testing {

inline constexpr field<int> a{"a"}, b{"b"}, c{"c"}, d{"d"};
inline constexpr field<std::string> s{"s"}, s2{"s2"};
inline constexpr tag n{"n"}, k{"k"}, t{"t"}, x{"x"}, y{"y"}, e{"e"};
inline constexpr btag bk{"k"};

inline std::int64_t plus_one(std::int64_t value) { return value + 1; }

// A string that no small-string buffer holds.
inline std::string long_text(std::int64_t i) {
  return "a text that is longer than any buffer within it: " + std::to_string(i);
}

// Everything a closed run gives.
inline std::vector<record> all_of(execution& run) {
  std::vector<record> got;
  for (const record& r : run) got.push_back(r);
  return got;
}

}  // namespace weir::testing
