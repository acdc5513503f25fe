#pragma once

namespace weir {

constexpr double squared(double value) { return value * value; }

}  // namespace weir
