#include "tests/runtime/placed/random_placement.hpp"

#include <cstdlib>

#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::random_placement_test {
namespace {

using namespace testing::language;

constexpr int parts = 10, in_each = 20;

class a_network_placed_at_random : public testing::gives_all_back, public ::testing::WithParamInterface<int> {};

TEST_P(a_network_placed_at_random, gives_what_the_rules_of_the_language_say) {
  language_statistics statistics;
  const char* const more = std::getenv("WEIR_MORE_SEEDS");
  const std::uint64_t offset = more ? std::strtoull(more, nullptr, 10) : 0;
  const std::uint64_t first = offset + 1 + in_each * static_cast<std::uint64_t>(GetParam());
  const std::uint64_t count = testing::slow ? in_each / 2 : in_each;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const specimen s = language_maker(seed).draw(statistics);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 3; ++i) {
      const placed_way w = any_way(random);
      realiser realise;
      const plan_ptr placed = placed_at_random(s.what, random, w.ranks);
      const network net = realise.of(placed);
      const std::string about = "seed " + std::to_string(seed) + ", " + w.text() + "\n" + weir::to_string(net);
      SCOPED_TRACE(about);
      if (std::getenv("WEIR_SHOW_SEEDS")) std::fprintf(stderr, "%s\n", about.c_str());
      ASSERT_EQ(difference(s, run_on_ranks(s, net, *realise.observed(), w)), "");
    }
  }
}
INSTANTIATE_TEST_SUITE_P(all, a_network_placed_at_random, ::testing::Range(0, parts));

}  // namespace
}  // namespace weir::random_placement_test
