#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/refusal.hpp"
#include "weir/weir.hpp"

// Objects that were moved from: each use but destruction and assignment is refused by one std::logic_error.
namespace weir::moved_from_test {
namespace {

constexpr tag n{"n"};

network plus_one() {
  return box("plus_one", takes(n), gives(n), [](std::int64_t k) { return k + 1; });
}

std::vector<std::int64_t> results_of(execution& run) {
  run.send(n = 1);
  run.close();
  std::vector<std::int64_t> all;
  for (const record& r : run) all.push_back(r[n]);
  return all;
}

template <class Call>
std::string refusal(Call&& call) {
  return testing::refusal<std::logic_error>(call);
}

TEST(a_network_that_was_moved_from, is_refused_by_each_use) {
  const std::string expected =
      "this network was moved from and holds nothing; copy a network that is used again, which is cheap";
  network gone = plus_one();
  const network kept = std::move(gone);
  EXPECT_TRUE(gone.is_moved_from());
  EXPECT_FALSE(kept.is_moved_from());
  EXPECT_EQ(refusal([&] { start(gone); }), expected);
  EXPECT_EQ(refusal([&] { gone >> kept; }), expected);
  EXPECT_EQ(refusal([&] { kept >> gone; }), expected);
  EXPECT_EQ(refusal([&] { kept | gone; }), expected);
  EXPECT_EQ(refusal([&] { choice({kept, gone, kept}); }), expected);
  EXPECT_EQ(refusal([&] { star(gone, pattern{n}); }), expected);
  EXPECT_EQ(refusal([&] { split(gone, n); }), expected);
  EXPECT_EQ(refusal([&] { feedback(gone, pattern{n}); }), expected);
  EXPECT_EQ(refusal([&] { ordered(gone); }), expected);
  EXPECT_EQ(refusal([&] { at(gone, 1); }), expected);
  EXPECT_EQ(refusal([&] { observe(gone, [](const record&, std::string_view) {}); }), expected);
  EXPECT_EQ(refusal([&] { gone.as("group"); }), expected);
  EXPECT_EQ(refusal([&] { gone.as("group", takes(n), gives(n)); }), expected);
  EXPECT_EQ(refusal([&] { gone.signature(); }), expected);
  EXPECT_EQ(refusal([&] { gone.dot(); }), expected);
  EXPECT_EQ(refusal([&] { to_string(gone); }), expected);
  EXPECT_EQ(refusal([&] { registry{}.add(gone); }), expected);
  EXPECT_EQ(refusal([&] { registry{}.add("name", gone); }), expected);
}

TEST(a_network_that_was_moved_from, can_be_assigned_and_then_runs) {
  network gone = plus_one();
  const network kept = std::move(gone);
  gone = kept;
  execution run = start(gone);
  EXPECT_EQ(results_of(run), std::vector<std::int64_t>{2});
}

TEST(an_execution_that_was_moved_from, is_refused_by_each_use) {
  const std::string expected = "this execution was moved from and has no run; use the one that it was moved to";
  execution gone = start(plus_one());
  execution kept = std::move(gone);
  EXPECT_EQ(refusal([&] { gone.send(n = 1); }), expected);
  EXPECT_EQ(refusal([&] { gone.try_send(n = 1); }), expected);
  EXPECT_EQ(refusal([&] { gone.close(); }), expected);
  EXPECT_EQ(refusal([&] { gone.begin(); }), expected);
  EXPECT_EQ(refusal([&] { gone.results(); }), expected);
  EXPECT_EQ(refusal([&] { gone.wait(); }), expected);
  EXPECT_EQ(refusal([&] { gone.stop(); }), expected);
  EXPECT_EQ(refusal([&] { gone.errors(); }), expected);
  EXPECT_EQ(refusal([&] { gone.take_errors(); }), expected);
  EXPECT_EQ(refusal([&] { gone.report(); }), expected);
  EXPECT_EQ(refusal([&] { gone.view(); }), expected);
  EXPECT_EQ(refusal([&] { gone.predict("plus_one", 1, cores{1}); }), expected);
  EXPECT_EQ(refusal([&] { gone.models(); }), expected);
  EXPECT_EQ(results_of(kept), std::vector<std::int64_t>{2});
}

TEST(an_execution_that_was_moved_from, can_be_assigned_and_then_is_that_run) {
  execution gone = start(plus_one());
  execution kept = std::move(gone);
  gone = std::move(kept);
  EXPECT_EQ(results_of(gone), std::vector<std::int64_t>{2});
}

TEST(an_execution, is_the_same_run_after_it_was_moved_to_itself) {
  execution run = start(plus_one());
  execution& same = run;
  run = std::move(same);
  EXPECT_EQ(results_of(run), std::vector<std::int64_t>{2});
}

TEST(a_view_of_a_run, shows_it_also_after_it_was_moved_from) {
  execution run = start(plus_one());
  run_view first = run.view();
  const run_view second = std::move(first);
  results_of(run);
  EXPECT_EQ(first.report().results, 1u);
  EXPECT_EQ(second.report().results, 1u);
  EXPECT_TRUE(first.is_over());
}

}  // namespace
}  // namespace weir::moved_from_test
