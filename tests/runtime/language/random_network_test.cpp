#include "tests/runtime/language/a_random_network.hpp"

namespace weir {
namespace {

using testing::a_random_network;

TEST_F(a_random_network, gives_what_a_sequential_account_of_it_gives) {
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) expect_what_the_oracle_gives(seed);
}

TEST_F(a_random_network, gives_the_same_on_a_machine_without_threads) {
  for (std::uint64_t seed = 1001; seed <= 1100 && !HasFailure(); ++seed) expect_what_the_oracle_gives(seed, false);
}

}  // namespace
}  // namespace weir
