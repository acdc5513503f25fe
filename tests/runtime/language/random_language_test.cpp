#include "tests/runtime/language/a_network_of_the_language.hpp"

namespace weir {
namespace {

using namespace testing::language;

constexpr int parts = 10, in_each = 30;

// In parts, so that each part ends within the time limit of a test.
class part_of_the_random_networks : public a_network_of_the_language, public ::testing::WithParamInterface<int> {};

TEST_P(part_of_the_random_networks, give_what_the_rules_of_the_language_say) {
  language_statistics statistics;
  const std::uint64_t first = 1 + in_each * static_cast<std::uint64_t>(GetParam());
  const std::uint64_t count = testing::slow ? in_each / 3 : in_each;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed)
    expect_what_the_rules_say(seed, statistics, testing::slow ? 2 : 4);
}
INSTANTIATE_TEST_SUITE_P(all, part_of_the_random_networks, ::testing::Range(0, parts));

}  // namespace
}  // namespace weir
