#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/remote/several_ranks.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir {
namespace {

using testing::several_ranks;
using testing::two_cores;

class a_placed_network : public testing::gives_all_back {
 protected:
  static std::vector<std::string> results_of(int ranks, const network& net, const std::vector<record>& inputs) {
    several_ranks all(
        ranks, [&](int) { return net; }, two_cores);
    execution& run = all.run();
    for (const record& r : inputs) run.send(r);
    run.close();
    std::vector<std::string> got;
    for (const record& r : run) got.push_back(to_string(r));
    all.finish();
    for (int r = 1; r < ranks; ++r) EXPECT_EQ(all.error_of(r), "");
    return got;
  }
};

inline constexpr tag number{"number"}, other{"other"};
inline constexpr field<std::string> text{"text"};

TEST_F(a_placed_network, gives_in_order_what_it_would_give_at_home) {
  const network net = at(box("double", takes(number), gives(number), [](std::int64_t v) { return 2 * v; }), 1);
  std::vector<record> inputs;
  std::vector<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    inputs.push_back(record(number = i, text = std::to_string(i)));
    expected.push_back("{text=" + std::to_string(i) + ", <number>=" + std::to_string(2 * i) + "}");
  }
  EXPECT_EQ(results_of(2, net, inputs), expected);
}

}  // namespace
}  // namespace weir
