#include "tests/runtime/language/a_random_network.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

// In parts, so that each part ends within the time limit of a test.
class part_of_many_random_networks : public a_random_network, public ::testing::WithParamInterface<int> {};

TEST_P(part_of_many_random_networks, give_what_a_sequential_account_of_them_gives) {
  const std::uint64_t count = slow ? 100 : 400;
  const std::uint64_t first = 10000 + 1000 * static_cast<std::uint64_t>(GetParam());
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) expect_what_the_oracle_gives(seed);
}
INSTANTIATE_TEST_SUITE_P(all, part_of_many_random_networks, ::testing::Range(0, 10));

}  // namespace
}  // namespace weir
