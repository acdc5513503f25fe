#include <algorithm>
#include <cstdio>

#include "tests/runtime/language/a_network_of_the_language.hpp"

// The random networks of random_language_test.cpp have all of the language.
namespace weir {
namespace {

using namespace testing::language;

// The oracle takes the input types of a choice's branches from the runtime. They are checked where they are obvious:
// for a branch that is, or begins with, one box or filter.
void expect_input_types_of_branches(const plan& p) {
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    const plan& branch = *p.parts[i];
    const bool is_chain = branch.what == plan::serial;
    const plan& first = is_chain ? *branch.parts[0] : branch;
    const std::vector<input_variant>& types = p.inputs[i];
    if (first.what != plan::box && first.what != plan::filter && branch.what != plan::bypass) continue;
    const label_set takes = first.what == plan::box ? taken(first.basis) : first.pattern;
    EXPECT_FALSE(types.empty()) << to_string(branch);
    for (const input_variant& t : types) {
      EXPECT_EQ(t.open, branch.what == plan::bypass) << to_string(branch);
      EXPECT_TRUE(std::includes(t.labels.begin(), t.labels.end(), takes.begin(), takes.end(), label_order{}))
          << to_string(t.labels) << " of " << to_string(branch);
      if (!is_chain) {
        EXPECT_EQ(t.labels, takes) << to_string(branch);
      }
    }
  }
  for (const plan_ptr& q : p.parts) expect_input_types_of_branches(*q);
}

TEST(the_random_networks, meet_all_of_the_language_and_are_deep) {
  if (testing::sanitized)
    GTEST_SKIP() << "it would draw the same networks as without a sanitizer, and take ten times as long";
  language_statistics all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    expect_input_types_of_branches(*language_maker(seed).draw(all).what);
  std::printf("%s\n", all.text().c_str());
  EXPECT_GE(all.median_depth(), 4);
  EXPECT_GE(all.depths[6], 10);
  for (const char* what : {"box",
                           "filter",
                           "sync",
                           "bypass",
                           "source",
                           "serial",
                           "choice",
                           "star",
                           "split",
                           "feedback",
                           "observed",
                           "ordered serial",
                           "ordered choice",
                           "ordered star",
                           "ordered split",
                           "ordered feedback",
                           "named group",
                           "placed",
                           "indexed placement",
                           "ordered indexed placement",
                           "serial() box",
                           "width() box",
                           "guard of a sync",
                           "box copying",
                           "box picky",
                           "box half_way",
                           "box straying",
                           "box moving",
                           "box marking",
                           "box unmarking",
                           "idiom: pairs",
                           "idiom: state",
                           "idiom: join",
                           "fold summing",
                           "fold least",
                           "fold picky",
                           "fold weary",
                           "fold gathering",
                           "fold chaining",
                           "fold running",
                           "fold telling",
                           "fold recalling",
                           "fold weighing",
                           "fold lasting",
                           "fold in a split",
                           "fold in a star",
                           "fold in a feedback",
                           "fold in ordered",
                           "fold behind a source",
                           "fold in a branch that ends",
                           "fold in two places",
                           "until",
                           "until in a split",
                           "until in a star",
                           "until in a branch that ends"})
    EXPECT_GE(all.met[what], 2) << what;
  for (const order o : {order::sequence, order::groups, order::none}) EXPECT_GE(all.orders[static_cast<int>(o)], 30);
  EXPECT_GE(all.failed, 100);
  EXPECT_GE(all.held, 100);
  EXPECT_GE(all.folded, 1000);
  EXPECT_GE(all.finished, 500);
  EXPECT_GE(all.anew, 10);
  EXPECT_GE(all.ended, 500);
}

}  // namespace
}  // namespace weir
