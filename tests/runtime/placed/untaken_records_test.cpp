#include "runtime/placed/untaken_records.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weir::detail {
namespace {

TEST(untaken_records, are_owed_for_in_their_order_as_the_inlet_empties) {
  std::mt19937 random(1);
  std::vector<remote::owed_credit> owed(3, remote::owed_credit{remote::window_limits{}});
  std::vector<std::size_t> expected(owed.size());
  std::vector<std::pair<std::size_t, std::size_t>> arrived;  // who sent it, its bytes
  untaken_records untaken;
  std::size_t taken = 0;
  for (int i = 0; i < 2000; ++i) {
    if (random() % 2 == 0) {
      arrived.emplace_back(random() % owed.size(), random() % 100);
      untaken.arrived(owed[arrived.back().first], arrived.back().second);
      continue;
    }
    for (std::size_t n = random() % 4; n > 0 && taken < arrived.size(); --n, ++taken)
      expected[arrived[taken].first] += arrived[taken].second;
    untaken.taken(taken);
    for (std::size_t k = 0; k < owed.size(); ++k) ASSERT_EQ(owed[k].bytes(), expected[k]) << "step " << i;
  }
}

}  // namespace
}  // namespace weir::detail
