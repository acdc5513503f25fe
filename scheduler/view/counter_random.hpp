#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace weir {

// Random numbers that depend only on their purpose, not on earlier draws. So every policy meets the same records,
// whatever it does with them. Pure functions.

// A number with no visible relation to `key` (the finaliser of splitmix64: Steele, Lea & Flood, OOPSLA'14).
inline std::uint64_t mix(std::uint64_t key) {
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

// The number for purpose `what` of `key`.
inline std::uint64_t mix(std::uint64_t key, std::uint64_t what) { return mix(key + 0x9e3779b97f4a7c15u * (what + 1)); }

// Uniform in (0, 1), both ends excluded.
inline double uniform(std::uint64_t random) { return (static_cast<double>(random >> 11) + 0.5) * 0x1p-53; }

// Standard normal (Box & Muller).
inline double normal(std::uint64_t random) {
  return std::sqrt(-2 * std::log(uniform(random))) * std::cos(2 * std::numbers::pi * uniform(mix(random, 1)));
}

}  // namespace weir
