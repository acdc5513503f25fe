#include "tests/runtime/language/a_network_of_the_language.hpp"

namespace weir {
namespace {

using namespace testing::language;

constexpr int parts = 40;

class part_of_many_random_networks_of_the_language : public a_network_of_the_language,
                                                     public ::testing::WithParamInterface<int> {};

TEST_P(part_of_many_random_networks_of_the_language, give_what_the_rules_of_the_language_say) {
  language_statistics statistics;
  const std::uint64_t count = testing::slow ? 25 : 50;
  const std::uint64_t first = 100001 + 1000 * static_cast<std::uint64_t>(GetParam());
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed)
    expect_what_the_rules_say(seed, statistics, testing::slow ? 2 : 9);
}
INSTANTIATE_TEST_SUITE_P(all, part_of_many_random_networks_of_the_language, ::testing::Range(0, parts));

}  // namespace
}  // namespace weir
