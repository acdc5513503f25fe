#include "bench/weir/common/policy_outcome.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weir::program {
namespace {

const std::vector<std::string> names{"generate", "multiply"};

// Cores of generate and multiply; a component without cores is in the shared group.
allotment cores_of(int generate, int multiply) {
  allotment a;
  a.components.resize(2);
  a.components[0].cores = core_set::range(0, generate);
  a.components[1].cores = core_set::range(generate, multiply);
  a.shared = core_set{0};
  return a;
}

// The start, and each move: its time and its outcome.
std::vector<decision> course(const allotment& start, const std::vector<std::pair<double, allotment>>& moves = {}) {
  std::vector<decision> all(1);
  all[0].to = start;
  for (const auto& [time, to] : moves) {
    decision d;
    d.time = time;
    d.from = all.back().to;
    d.to = to;
    all.push_back(d);
  }
  return all;
}

std::string said(const std::vector<policy_outcome>& all, int cores = 2, const std::string& base = "equal") {
  return outcome_text(all, base, names, cores);
}

TEST(an_outcome, says_what_was_moved_when_and_what_it_brought) {
  const auto moved = [](double at) { return course(cores_of(1, 1), {{at, cores_of(0, 2)}}); };
  EXPECT_EQ(said({{"equal", {}, {course(cores_of(1, 1))}},
                  {"adaptive", {1.51, 1.58, 1.62}, {moved(1.9), moved(1.9), moved(1.9)}, true}}),
            "adaptive gave multiply both cores after 1.9 s: 1.58 times equal, rounds 1.51 to 1.62.\n");
  EXPECT_EQ(said({{"adaptive", {1.6, 1.5}, {moved(0.4), moved(1.9)}, true}}),
            "adaptive gave multiply both cores after 400 ms to 1.9 s: 1.55 times equal, rounds 1.50 to 1.60.\n");
  EXPECT_EQ(said({{"adaptive", {1.5}, {moved(2)}, true}}),
            "adaptive gave multiply both cores after 2 s: 1.50 times equal, one round.\n");
}

TEST(an_outcome, says_that_nothing_was_moved_or_that_it_was_taken_back) {
  const allotment start = cores_of(1, 1);
  EXPECT_EQ(said({{"adaptive", {}, {course(start)}, true}}), "adaptive moved no cores.\n");
  EXPECT_EQ(said({{"adaptive", {0.9, 0.95}, {course(start), course(start)}, true}}),
            "adaptive moved no cores: 0.93 times equal, rounds 0.90 to 0.95.\n");
  EXPECT_EQ(said({{"adaptive", {}, {course(start, {{1, cores_of(0, 2)}, {2, start}})}, true}}),
            "adaptive moved cores and took that back.\n");
  EXPECT_EQ(said({{"adaptive", {}, {course(start, {{1, cores_of(0, 2)}, {2, start}, {3, cores_of(0, 2)}})}, true}}),
            "adaptive gave multiply both cores after 3 s.\n")
      << "the second try held";
}

TEST(an_outcome, says_that_rounds_show_no_difference) {
  EXPECT_EQ(said({{"equal", {0.97, 1.02, 1.01}, {}}}, 2, "fixed:multiply=1"),
            "equal: 1.01 times fixed:multiply=1, rounds 0.97 to 1.02, which shows no difference.\n");
  EXPECT_EQ(said({{"equal", {1.0, 1.1}, {}}}, 2, "x"),
            "equal: 1.05 times x, rounds 1.00 to 1.10, which shows no difference.\n");
  EXPECT_EQ(said({{"equal", {1.05, 1.1}, {}}}, 2, "x"), "equal: 1.08 times x, rounds 1.05 to 1.10.\n");
}

// Other processes on the cores would explain any ratio, so no sentence praises one then.
TEST(an_outcome, beside_other_processes_says_that_it_shows_nothing) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<policy_outcome> two{{"adaptive", {1.51, 1.62}, {}, false}};
  EXPECT_EQ(outcome_text(two, "equal", names, 2, {0.05, unknown, 0.7, 0.2}),
            "adaptive: 1.56 times equal, rounds 1.51 to 1.62, while other processes had up to 70 % of the cores: this "
            "shows nothing.\n");
  EXPECT_EQ(outcome_text({{"adaptive", {1.5}, {}, false}}, "equal", names, 2, {0.1}),
            "adaptive: 1.50 times equal, one round, while other processes had up to 10 % of the cores: this shows "
            "nothing.\n");
  EXPECT_EQ(outcome_text(two, "equal", names, 2, {0.05, unknown}), said(two));
}

TEST(an_outcome, has_a_line_for_each_policy_that_is_compared) {
  EXPECT_EQ(said({{"fixed:multiply=1", {}, {course(cores_of(0, 1))}}, {"equal", {2}, {}}, {"free-for-all", {3}, {}}}, 2,
                 "fixed:multiply=1"),
            "equal: 2.00 times fixed:multiply=1, one round.\nfree-for-all: 3.00 times fixed:multiply=1, one round.\n");
  EXPECT_EQ(said({{"equal", {}, {course(cores_of(1, 1))}}}), "") << "one policy that moves nothing";
}

TEST(an_outcome, names_the_cores_that_components_have) {
  const auto ended = [](const allotment& with, int cores) {
    return said({{"adaptive", {}, {course(cores_of(1, 1), {{1, with}})}, true}}, cores);
  };
  EXPECT_EQ(ended(cores_of(0, 4), 4), "adaptive gave multiply all 4 cores after 1 s.\n");
  EXPECT_EQ(ended(cores_of(0, 3), 4), "adaptive gave multiply 3 of 4 cores after 1 s.\n");
  EXPECT_EQ(ended(cores_of(1, 7), 8), "adaptive gave generate 1 and multiply 7 of 8 cores after 1 s.\n");
  EXPECT_EQ(ended(cores_of(0, 0), 2), "adaptive gave no component cores of its own after 1 s.\n");
}

TEST(an_outcome, of_rounds_that_ended_differently_is_the_most_frequent) {
  const auto with = [](int multiply, double at) { return course(cores_of(1, 1), {{at, cores_of(0, multiply)}}); };
  EXPECT_EQ(
      said({{"adaptive", {2, 2, 2}, {with(2, 1), with(1, 5), with(2, 3)}, true}}),
      "adaptive gave multiply both cores after 1 s to 3 s in 2 of 3 rounds: 2.00 times equal, rounds 2.00 to 2.00.\n");
}

TEST(foreign_load_of_runs, is_said_where_it_is_notable) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(foreign_load_text({0.05, unknown, 0.09}), "");
  EXPECT_EQ(foreign_load_text({unknown}), "");
  EXPECT_EQ(foreign_load_text({0.05, 0.7, 0.2, unknown}),
            "other processes had up to 70 % of the cores in 2 of 4 runs: ratios mean nothing\n");
  EXPECT_EQ(foreign_load_text({0.1}), "other processes had 10 % of the cores: times mislead\n");
}

}  // namespace
}  // namespace weir::program
