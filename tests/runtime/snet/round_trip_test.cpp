#include <string>
#include <vector>

#include <weir/snet.hpp>

#include "runtime/network/nodes.hpp"
#include "tests/runtime/language/a_network_of_the_language.hpp"

// The printed form of a network is read back to the same network.
namespace weir {
namespace {

using namespace testing::language;

// All boxes of a network.
void add_boxes_of(const network& net, registry& to) {
  if (detail::as<detail::box_node>(net)) to.add(net);
  for (const network& part : net.root()->children()) add_boxes_of(part, to);
}

// The number of observers in a network: they have no notation.
std::size_t observers_in(const network& net) {
  std::size_t count = detail::as<detail::observed_node>(net) ? 1 : 0;
  for (const network& part : net.root()->children()) count += observers_in(part);
  return count;
}

class part_of_the_printed_networks : public a_network_of_the_language, public ::testing::WithParamInterface<int> {
 protected:
  void expect_the_same_when_read(std::uint64_t seed, language_statistics& statistics) {
    specimen s = language_maker(seed).draw(statistics);
    registry known;
    add_boxes_of(s.net, known);
    const std::string text = weir::to_string(s.net);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const network read = read_snet(text, known);
    EXPECT_EQ(weir::to_string(read), text);
    if (observers_in(s.net)) s.observed = 0, s.seen->store(0);
    s.net = read;
    for (const way& w : ways_for(seed, 1)) ASSERT_EQ(difference(s, run_in_a_way(s, w)), "") << w.text();
  }
};

TEST_P(part_of_the_printed_networks, reads_back_to_one_that_gives_what_the_rules_say) {
  constexpr std::uint64_t in_each = 30;  // so that each part ends within the time limit of a test
  language_statistics statistics;
  const std::uint64_t first = 1 + in_each * static_cast<std::uint64_t>(GetParam());
  for (std::uint64_t seed = first; seed < first + (testing::slow ? 5 : in_each) && !HasFailure(); ++seed)
    expect_the_same_when_read(seed, statistics);
}
INSTANTIATE_TEST_SUITE_P(all, part_of_the_printed_networks, WEIR_PRINTED_NETWORKS);

}  // namespace
}  // namespace weir
