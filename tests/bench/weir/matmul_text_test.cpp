#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

void expect_says(const outcome& o, const std::string& what) {
  EXPECT_NE(o.out.find(what), std::string::npos) << "\"" << what << "\" is not in\n" << o.out;
}

TEST(weir_command, help_lists_the_subcommands) {
  const outcome o = run_weir("--help");
  EXPECT_EQ(o.code, 0);
  expect_says(o, "matmul");
  expect_says(o, "fit");
  expect_says(o, "predict");
  expect_says(o, "topology");
}

TEST(weir_matmul, help_lists_every_option) {
  const outcome o = run_weir("matmul --help");
  EXPECT_EQ(o.code, 0);
  for (const char* option :
       {"--kernel", "--sizes", "--sizes-list", "--order", "--repeat", "--policy", "--rounds", "--width", "--cores",
        "--machine", "--estimator", "--seed", "--out", "--save-model", "--json"})
    expect_says(o, option);
}

// Without a terminal it prints only the result: no progress bar.
TEST(weir_matmul, says_what_ran_what_was_learnt_and_what_was_checked) {
  const outcome o = run_weir("matmul --sizes-list 100,200 --repeat 3 --kernel blocked32 --seed 7");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  for (const char* what :
       {"generate >> multiply", "blocked32", "N = 100, 200; 3 of each, shuffled, seed 7", "6 records in", "p99",
        "observed", "predicted", "alpha", "N^3", "to start with", "6 products, 0 wrong",
        "one of N = 100 in each run bit for bit", "through a full queue: mean", "policies adaptive, one run, about ",
        "\nalpha: the part", "\nobserved: the median", "shared: the cores", "width: the lanes"})
    expect_says(o, what);
  EXPECT_EQ(o.out.rfind("generate >> multiply\n", 0), 0u) << "first what is run";
  EXPECT_EQ(lines_of(o.out).back().rfind("adaptive ", 0), 0u) << "last what came out: " << o.out;
}

// In C a leading 0 makes a number octal.
TEST(weir_matmul, takes_numbers_with_leading_zeros_as_decimal) {
  const outcome o = run_weir("matmul --sizes-list 30 --repeat 1 --width 010");
  ASSERT_EQ(o.code, 0) << o.err;
  expect_says(o, "at most 10 invocations");
}

// The one record is the first of its boxes, from which nothing is learnt yet.
TEST(weir_matmul, of_one_record_has_no_spread) {
  const outcome o = run_weir("matmul --sizes-list 30 --repeat 1");
  ASSERT_EQ(o.code, 0) << o.err;
  expect_says(o, "error: median -, 95 % within -");
  EXPECT_EQ(o.out.find("nan"), std::string::npos) << o.out;
}

TEST(weir_matmul, compares_policies_in_a_row_each) {
  const outcome o =
      run_weir("matmul --sizes-list 100,200 --repeat 3 --policy fixed:multiply=1 --policy adaptive --rounds 2");
  ASSERT_EQ(o.code, 0) << o.err;
  expect_says(o, "\nfixed:multiply=1  ");
  expect_says(o, "\nadaptive  ");
  expect_says(o, "0 of 12");
  expect_says(o, "adaptive, round 2 of 2");
  expect_says(o, "policies fixed:multiply=1, adaptive; 2 rounds of a run each, in turn, about ");
  expect_says(o, "\nfull queue: median time");
  const std::string last = lines_of(o.out).back();
  EXPECT_EQ(last.rfind("adaptive ", 0), 0u) << last;
  EXPECT_NE(last.find(" times fixed:multiply=1, rounds "), std::string::npos) << last;
}

}  // namespace
}  // namespace weir::testing
