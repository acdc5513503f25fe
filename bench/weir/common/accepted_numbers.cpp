#include "bench/weir/common/accepted_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace weir::program {
namespace {

constexpr double smallest = 1e-30;

}  // namespace

bool accepted_numbers::have(double value) const {
  return value >= least && value <= most && (value == 0 || std::abs(value) >= smallest);
}

std::string accepted_numbers::instead_of(double value) const {
  if (value >= least && value <= most) return fmt::format("0 or a number of at least {:g} in size", smallest);
  return fmt::format("a number in {:g}..{:g}", least, most);
}

}  // namespace weir::program
