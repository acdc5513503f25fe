#include <cstddef>
#include <string>

#include "tests/runtime/run/a_failure.hpp"
#include "tests/support/gate.hpp"

// Errors by the limits of options: max_depth, max_held and max_branches.
namespace weir::failures_test {
namespace {

TEST_F(a_failure, of_a_star_deeper_than_max_depth) {
  both({.net = bypass() >> star(counting_down(), pattern{n}.where(n <= 0)),
        .inputs = {record{n = 3}, record{n = 9}, record{n = 1}},
        .results = {"{<n>=0}", "{<n>=0}"},
        .failures = {{kind::too_deep, ":S2:R3", "star", "{<n>=6}",
                      "the star would be 4 stages deep, option max_depth is 3"}},
        .with = [](options& o) { o.max_depth = 3; }});
}

TEST_F(a_failure, of_a_chain_of_synchrocells_deeper_than_max_depth_names_the_deepest_stage) {
  both({.net = bypass() >> star(joining(), pattern{a, b}),
        .inputs = {record{a = 1}, record{a = 2}, record{a = 3}, record{b = 4}},
        .results = {"{a=1, b=4}"},
        .failures = {{kind::too_deep, ":S2:R2", "star", "{a=3}",
                      "the star would be 3 stages deep, option max_depth is 2"}},
        .made = -1,
        .held = 1,
        .with = [](options& o) { o.max_depth = 2; }});
}

// The only stage was removed when its cell fired, so the record counts as before the star.
TEST_F(a_failure, of_a_star_whose_stages_are_gone_is_at_the_star) {
  both({.net = split(star(joining(), pattern{a, b}), k),
        .inputs = {record{a = 1, k = 7}, record{b = 2, k = 7}, record{a = 3, k = 7}},
        .results = {"{a=1, b=2, <k>=7}"},
        .failures = {{kind::too_deep, ":I7", "star", "{a=3, <k>=7}",
                      "the star would be 2 stages deep, option max_depth is 1"}},
        .made = -1,
        .with = [](options& o) { o.max_depth = 1; }});
}

TEST_F(a_failure, of_a_synchrocell_where_max_held_are_kept) {
  both({.net = bypass() >> split(joining(), k),
        .inputs = {record{a = 1, k = 1}, record{a = 2, k = 2}, record{a = 3, k = 3}, record{b = 4, k = 1}},
        .results = {"{a=1, b=4, <k>=1}"},
        .failures = {{kind::too_many_held, ":S2:I3", "synchrocell", "{a=3, <k>=3}",
                      "synchrocells here hold 2 records, option max_held"}},
        .made = -1,
        .held = 1,
        .with = [](options& o) { o.max_held = 2; }});
}

TEST_F(a_failure, of_a_split_where_max_branches_are_in_use) {
  both({.net = bypass() >> split(joining(), k),
        .inputs = {record{a = 1, k = 1}, record{a = 2, k = 2}, record{a = 3, k = 3}, record{b = 4, k = 1}},
        .results = {"{a=1, b=4, <k>=1}"},
        .failures = {{kind::too_many_branches, ":S2", "split <k>", "{a=3, <k>=3}",
                      "a branch for <k> = 3 would be one more than 2, option max_branches, all of which hold or "
                      "remember records"}},
        .made = -1,
        .held = 1,
        .with = [](options& o) { o.max_branches = 2; }});
}

// A network that returns two records for each one, to a depth: far more than may wait.
void expect_way_back_is_bounded(const network& net, const std::string& entity) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.on_error = on_error::collect;
  o.max_held = 4;
  execution run = start(net, o);
  run.send(n = 12);
  run.close();
  const std::size_t results = all_of(run).size();
  EXPECT_LT(results, 4096u) << "more than max_held records waited on the way back";
  ASSERT_FALSE(run.errors().empty());
  for (const failure& f : run.errors()) {
    EXPECT_EQ(f.kind, kind::too_many_held) << words(f);
    EXPECT_EQ(f.entity, entity) << words(f);
    EXPECT_EQ(f.path.find('*'), std::string::npos) << words(f);
  }
  EXPECT_EQ(run.report().results, results);
}

TEST_F(a_failure, of_a_feedback_where_max_held_wait_on_the_way_back) {
  expect_way_back_is_bounded(
      feedback(filter(takes(n)).when(n > 0).emit(n = n - 1).emit(n = n - 1).otherwise().emit(k = 1), pattern{n}),
      "feedback");
}

TEST_F(a_failure, of_a_star_where_max_held_wait_on_the_way_back) {
  expect_way_back_is_bounded(star(filter(takes(n)).emit(n = n - 1).emit(n = n - 1), pattern{n}.where(n == 0)), "star");
}

TEST_F(a_failure, of_an_ordered_network_where_max_held_wait_for_their_turn) {
  gate held;
  const network slow = box("slow", takes(n), gives(n), [&](std::int64_t v) {
    held.pass();
    return v;
  });
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.policy = fixed_shares{{"slow", 1}};
  o.capacity = 64;
  o.max_held = 2;
  o.on_error = on_error::collect;
  execution run = start(bypass() >> ordered(slow | filter(takes(k)).emit(k)), o);
  run.send(n = 1);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  for (int i = 0; i < 5; ++i) run.send(k = i);
  EXPECT_TRUE(eventually([&] { return run.errors().size() == 3; }));
  held.open();
  run.close();
  texts got;
  for (const record& r : run) got.push_back(to_string(r));
  EXPECT_EQ(got, (texts{"{<n>=1}", "{<k>=0}", "{<k>=1}"}));
  texts errors;
  for (const failure& f : run.errors()) errors.push_back(words(f));
  const std::string why = " | 2 records wait here for their turn already, option max_held";
  EXPECT_EQ(errors,
            (texts{"too many held | ordered | :S2 | {<k>=2}" + why, "too many held | ordered | :S2 | {<k>=3}" + why,
                   "too many held | ordered | :S2 | {<k>=4}" + why}));
}

}  // namespace
}  // namespace weir::failures_test
