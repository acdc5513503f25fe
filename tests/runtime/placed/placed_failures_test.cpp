#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/placed/a_placed_network.hpp"

// How a network on several ranks ends: by errors, by a stop, without a rank. And the settings that its start refuses.
namespace weir::placed_test {
namespace {

TEST_F(a_placed_network, tells_of_errors_with_rank_path_and_record) {
  const network bad = box("bad", takes(number), gives(number), [](std::int64_t v) {
    if (v % 2) throw std::runtime_error("odd");
    return v;
  });
  const network net = bypass() >> split(at(bad >> doubling(), 1), key);
  several_ranks all(
      2, [&](int) { return net; },
      [](int rank) {
        options o = two_cores(rank);
        o.on_error = on_error::collect;
        return o;
      });
  execution& run = all.run();
  for (int i = 0; i < 4; ++i) run.send(number = i, key = 5, local = handle{}, text = "kept");
  run.close();
  int got = 0;
  for (const record& r : run) got += static_cast<int>(r.contains(number));
  EXPECT_EQ(got, 2);
  const std::vector<failure> failures = run.errors();
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0].rank, 1);
  EXPECT_EQ(failures[0].path, ":S2:I5:S1");
  EXPECT_EQ(failures[0].entity, "bad");
  EXPECT_EQ(failures[0].cause, "the box threw \"odd\"");
  ASSERT_TRUE(failures[0].as_record);
  EXPECT_EQ((*failures[0].as_record)[text], "kept") << "what stayed at home is part of the record";
  ASSERT_TRUE(failures[1].as_record);
  EXPECT_EQ((*failures[0].as_record)[number] + (*failures[1].as_record)[number], 1 + 3) << "in any order";
  EXPECT_EQ(to_string(failures[0]).find("bad at :S2:I5:S1 on rank 1: the box threw \"odd\""), 0u)
      << to_string(failures[0]);
}

TEST_F(a_placed_network, stops_by_an_error_everywhere) {
  const network bad = box("bad", takes(number), gives(number), [](std::int64_t v) {
    if (v == 100) throw std::runtime_error("a hundred");
    return v;
  });
  several_ranks all(
      3, [&](int) { return at(bad, 1) >> at(doubling(), 2); }, two_cores);
  execution& run = all.run();
  try {
    for (int i = 0; i < 10000; ++i) run.send(number = i);
    run.close();
    for (const record& r : run) (void)r;
    ADD_FAILURE() << "the error was not thrown";
  } catch (const run_error& thrown) {
    EXPECT_EQ(thrown.details().rank, 1);
    EXPECT_EQ(thrown.details().entity, "bad");
  }
  all.finish();
  EXPECT_EQ(all.error_of(1) + all.error_of(2), "") << "they end as rank 0 does";
}

TEST_F(a_placed_network, ends_when_it_is_stopped_in_the_middle) {
  for (int after = 0; after < 200; after += 20) {
    several_ranks all(
        2, [&](int) { return at(doubling(), 1) >> adding() >> at(bypass() >> doubling_sum(), 1); }, two_cores);
    execution& run = all.run();
    for (int i = 0; i < after; ++i) run.send(number = i);
    run.stop();
    texts got;
    for (const record& r : run) got.push_back(to_string(r));
    EXPECT_TRUE(got.empty()) << "a fold of a run that is stopped does not finish";
    all.finish();
    EXPECT_EQ(all.error_of(1), "");
  }
}

TEST_F(a_placed_network, ends_on_every_rank_when_one_is_lost) {
  for (int seed = 0; seed < 30; ++seed) {
    several_ranks all(
        3, [&](int) { return at(doubling(), 1) >> at(box("triple", takes(number), gives(number), doubled), 2); },
        two_cores);
    execution& run = all.run();
    const int dies = 1 + seed % 2;
    std::string met;
    std::thread reader([&] {
      try {
        for (const record& r : run) (void)r;
      } catch (const run_error& thrown) {
        EXPECT_EQ(thrown.details().kind, failure_kind::rank_lost);
        met = thrown.what();
      }
    });
    try {
      for (int i = 0; i < 10 * seed; ++i) run.send(number = i);
      all.ranks().kill(dies);
      for (int i = 0;; ++i) run.send(number = i);
    } catch (const run_error& thrown) {
      EXPECT_NE(std::string(thrown.what()).find("rank " + std::to_string(dies)), std::string::npos) << thrown.what();
    }
    reader.join();
    EXPECT_NE(met.find("rank " + std::to_string(dies)), std::string::npos) << met;
    all.ranks().end_killed(dies);
    all.finish();
    EXPECT_NE(all.error_of(3 - dies).find("rank " + std::to_string(dies)), std::string::npos) << all.error_of(3 - dies);
  }
}

// Whatever was under way there comes once, and each branch keeps its order.
TEST_F(a_placed_network, does_not_go_on_without_a_rank_that_held_state) {
  several_ranks all(
      2, [&](int) { return at(split(adding(), key), key); },
      [&](int rank) {
        options o = two_cores(rank);
        o.on_failure = on_failure::reassign;
        return o;
      });
  execution& run = all.run();
  run.send(number = 1, key = 1);
  all.ranks().kill(1);
  EXPECT_THROW(run.wait(), run_error);
  all.ranks().end_killed(1);
}

// ---- refusals ----

TEST_F(a_placed_network, is_refused_on_all_ranks_when_they_differ) {
  several_ranks all(
      3, [](int rank) { return rank == 2 ? doubling() >> doubling() : doubling(); }, two_cores);
  EXPECT_THROW(all.run(), type_error);
  all.finish();
  for (int r = 0; r < 3; ++r) {
    EXPECT_TRUE(all.has_type_error(r)) << r << ": " << all.error_of(r);
    EXPECT_NE(all.error_of(r).find("rank 2"), std::string::npos) << all.error_of(r);
  }
}

TEST_F(a_placed_network, is_refused_when_a_field_that_crosses_has_no_codec) {
  const network net =
      doubling() >> at(box("use", takes(local), gives(number), [](const handle&) { return std::int64_t{1}; }), 1);
  several_ranks all(
      2, [&](int) { return net; }, two_cores);
  EXPECT_THROW(all.run(), type_error);
  all.finish();
  for (const char* const what : {"'local'", "handle", "at 1", ":S2"})
    EXPECT_NE(all.error_of(1).find(what), std::string::npos) << all.error_of(1);
}

TEST_F(a_placed_network, is_refused_everywhere_when_one_rank_cannot_start) {
  several_ranks all(
      2, [](int) { return at(doubling(), 1); },
      [](int rank) {
        options o = two_cores(rank);
        if (rank == 1) o.policy = fixed_shares{{"no such box", 1}};
        return o;
      });
  EXPECT_THROW(all.run(), run_error);
  all.finish();
  EXPECT_NE(all.error_of(1), "");
}

}  // namespace
}  // namespace weir::placed_test
