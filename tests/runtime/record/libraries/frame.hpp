#pragma once

#include <string>

#include <weir/weir.hpp>

// The type that the program and its libraries share in libraries_test, each with a copy of its own.
struct frame {
  std::string pixels;
};
inline std::ostream& operator<<(std::ostream& to, const frame& f) { return to << "frame " << f.pixels; }

// A library's own, whose size depends on how it was compiled: POINT_COORDINATES.
struct point;

inline constexpr weir::tag n{"n"};
inline constexpr weir::field<frame> image{"image"};
