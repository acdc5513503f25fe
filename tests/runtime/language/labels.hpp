#pragma once

#include <functional>
#include <string>

#include <weir/weir.hpp>

// The labels that the tests of the runtime share, and what they all do with networks.
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

// A box of these labels that is never run.
template <class... L, class Gives>
network typed(std::string name, const detail::takes_list<L...>& in, const Gives& out) {
  return box(std::move(name), in, out, [](const typename L::type&..., emitter&) {});
}

// What a construction is refused with; says so when it is not.
inline std::string refusal(const std::function<void()>& build) {
  try {
    build();
  } catch (const type_error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("no type_error: ") + error.what();
  } catch (...) {
    return "thrown was something that is no std::exception";
  }
  return "nothing was refused";
}

}  // namespace weir::testing
