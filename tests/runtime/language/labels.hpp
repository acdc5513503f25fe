#pragma once

#include <functional>
#include <string>

#include <weir/weir.hpp>
#include "tests/support/refusal.hpp"

// Labels and helpers that the tests of the runtime share.
namespace weir::testing {

inline constexpr field<int> a{"a"}, b{"b"}, c{"c"}, d{"d"};
inline constexpr field<std::string> s{"s"}, s2{"s2"};
inline constexpr tag n{"n"}, k{"k"}, t{"t"}, x{"x"}, y{"y"}, e{"e"};
inline constexpr btag bk{"k"};

inline std::int64_t plus_one(std::int64_t value) { return value + 1; }

// A string that is too long for any small-string buffer.
inline std::string long_text(std::int64_t i) {
  return "a text that is longer than any buffer within it: " + std::to_string(i);
}

// All results of a closed run.
inline std::vector<record> all_of(execution& run) {
  std::vector<record> got;
  for (const record& r : run) got.push_back(r);
  return got;
}

// A box with these labels that never runs.
template <class... L, class Gives>
network typed(std::string name, const detail::takes_list<L...>& in, const Gives& out) {
  return box(std::move(name), in, out, [](const typename L::type&..., emitter&) {});
}

// The message of the type_error that refuses a construction.
inline std::string refusal(const std::function<void()>& build) { return refusal<type_error>(build); }

}  // namespace weir::testing
