#include "runtime/threads/cpu_mask.hpp"

#include <gtest/gtest.h>

namespace weir::detail {
namespace {

TEST(a_cpu_mask, has_the_units_of_its_numbers_and_no_others) {
  for (const std::vector<int>& units :
       {std::vector<int>{0}, {5, 0, 63, 64}, {CPU_SETSIZE - 1}, {CPU_SETSIZE}, {3, 7 * CPU_SETSIZE + 1, 3}}) {
    const std::vector<cpu_set_t> mask = cpu_mask(units);
    const int largest = *std::max_element(units.begin(), units.end());
    EXPECT_EQ(mask.size(), static_cast<std::size_t>(largest) / CPU_SETSIZE + 1);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    for (std::size_t unit = 0; unit < mask.size() * CPU_SETSIZE; ++unit)
      EXPECT_EQ(CPU_ISSET_S(unit, bytes, mask.data()) != 0,
                std::find(units.begin(), units.end(), static_cast<int>(unit)) != units.end())
          << unit;
  }
}

}  // namespace
}  // namespace weir::detail
