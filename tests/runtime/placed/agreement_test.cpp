#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/placed/a_placed_network.hpp"
#include "tests/runtime/support/moved_time.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/gate.hpp"

// Ranks with options of their own: the ends of a cut agree on their common options at the start, or it is refused. A
// run names the ranks that wait for each other.
namespace weir::placed_test {
namespace {

class ranks_with_options_of_their_own : public a_placed_network {
 protected:
  // The number of a thousand records that pass through a part at rank 1.
  static int passed(const std::function<options(int rank)>& how) {
    constexpr int count = 1000;  // more than two windows
    several_ranks all(
        2, [](int) { return at(doubling(), 1); }, how);
    execution& run = all.run();
    testing::sender_thread sender(run, count, [](std::int64_t i) { return record{number = i}; });
    int got = 0;
    for (const record& r : run) got += static_cast<int>(r.contains(number));
    sender.join();
    all.finish();
    EXPECT_EQ(all.error_of(1), "");
    return got;
  }
};

// A receiver returns credit by a quarter of its window: more than the sender had, if each uses a window of its own.
TEST_F(ranks_with_options_of_their_own, pass_all_records_under_any_two_capacities) {
  for (const auto& [first, second] : {std::pair{0, 1}, {1, 0}, {100, 0}, {0, 100}, {4000, 1}, {1, 4000}, {3, 100}}) {
    SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(second));
    EXPECT_EQ(passed([&, capacities = std::vector{first, second}](int rank) {
                options o = two_cores(rank);
                o.capacity = static_cast<std::size_t>(capacities[static_cast<std::size_t>(rank)]);
                return o;
              }),
              1000);
  }
}

TEST_F(ranks_with_options_of_their_own, may_spread_keys_at_one_of_them) {
  for (int spreads = 0; spreads < 2; ++spreads) {
    several_ranks all(
        2, [](int) { return at(split(doubling(), key), key); },
        [&](int rank) {
          options o = two_cores(rank);
          o.spread_keys = rank == spreads;
          return o;
        });
    execution& run = all.run();
    for (const record& r : numbers(500)) run.send(r);
    run.close();
    int got = 0;
    for (const record& r : run) got += static_cast<int>(r.contains(number));
    EXPECT_EQ(got, 500);
  }
}

TEST_F(ranks_with_options_of_their_own, are_refused_where_a_loss_would_do_two_things) {
  several_ranks all(
      3, [](int) { return at(split(doubling(), key), key); },
      [](int rank) {
        options o = two_cores(rank);
        if (rank == 0) o.on_failure = on_failure::reassign;
        return o;
      });
  EXPECT_THROW(all.run(), std::invalid_argument);
  all.finish();
  for (int rank : {0, 1, 2})
    EXPECT_NE(all.error_of(rank).find("option on_failure is reassign at rank 0 and stop at rank"), std::string::npos)
        << all.error_of(rank);
}

// Ranks see the same text, and one keeps a state for each branch, which the other would not tell of.
TEST_F(ranks_with_options_of_their_own, are_refused_where_their_cuts_differ_under_the_same_text) {
  const auto states = [](int rank) {
    const network plain = box("sum", takes(number), gives(sum), doubled);
    const network keeps = fold(
        "sum", takes(number), gives(sum), std::int64_t{0}, [](std::int64_t& all, std::int64_t v) { all += v; },
        [](std::int64_t& all, emitter& emit) { emit(sum = all); });
    return at(rank == 0 ? plain : keeps, 1);
  };
  several_ranks all(2, states, two_cores);
  EXPECT_THROW(all.run(), type_error);
  all.finish();
  EXPECT_TRUE(all.has_type_error(1));
}

// A full link names itself, and with it the activity of the rank at its other end.
TEST_F(ranks_with_options_of_their_own, say_which_link_is_full_and_what_its_other_end_waits_for) {
  testing::gate gate;
  const auto times = std::vector{std::make_shared<testing::moved_time>(), std::make_shared<testing::moved_time>()};
  const network net = at(box("slow", takes(number), gives(number),
                             [&](std::int64_t v) {
                               if (v == 1) gate.pass();
                               return v;
                             })
                             .serial(),
                         1);
  several_ranks all(
      2, [&](int) { return net; },
      [&](int rank) {
        options o;
        o.machine = machine(std::make_shared<detail::machine_state>(times[static_cast<std::size_t>(rank)]));
        o.capacity = 4;
        o.watchdog.at_least = std::numeric_limits<double>::infinity();
        return o;
      });
  execution& run = all.run();
  run.send(number = 1);
  ASSERT_TRUE(testing::eventually([&] { return gate.arrived() > 0; }));
  testing::sender_thread sender(run, 500, [](std::int64_t) { return record{number = 2}; });
  const auto has = [](const run_report& r, const std::string& text) {
    return std::any_of(r.waits_for.begin(), r.waits_for.end(),
                       [&](const std::string& s) { return s.find(text) != std::string::npos; });
  };
  for (const auto& one : times) one->freeze();
  EXPECT_TRUE(testing::eventually([&] {
    for (const auto& one : times) one->wait_for_checks(), one->advance(6);
    return has(run.report(), "at 1 waits for credit of rank 1: as many records as allowed are on their way");
  })) << run.report().full();
  EXPECT_TRUE(has(run.report(), "rank 1: slow")) << run.report().full();
  gate.open();
  int got = 0;
  for (const record& r : run) got += static_cast<int>(r.contains(number));
  sender.join();
  EXPECT_EQ(got, 501);
}

// Credit that never comes back ends the run, by an error of the rank at the other end, once the run made no progress.
TEST_F(ranks_with_options_of_their_own, end_the_run_by_an_error_when_credit_is_lost) {
  using detail::remote::topic;
  const std::array lost{topic::calls_credit, topic::gives_credit, topic::forwards_credit};
  const std::array asked{topic::asks_calls_credit, topic::asks_gives_credit, topic::asks_forwards_credit};
  for (std::size_t which = 0; which < lost.size(); ++which) {
    SCOPED_TRACE(which);
    const std::vector<std::shared_ptr<testing::moved_time>> times{std::make_shared<testing::moved_time>(),
                                                                  std::make_shared<testing::moved_time>(),
                                                                  std::make_shared<testing::moved_time>()};
    std::atomic<int> messages_lost{0};
    std::atomic<bool> was_asked{false};
    several_ranks all(
        3, [&](int) { return at(doubling(), 1) >> at(doubling(), 2); },
        [&](int rank) {
          options o;
          o.machine = machine(std::make_shared<detail::machine_state>(times[static_cast<std::size_t>(rank)]));
          o.capacity = 8;
          return o;
        },
        {},
        [&](int, int, topic what) {
          if (what == asked[which]) was_asked = true;
          if (was_asked || what != lost[which]) return;
          ++messages_lost;
          throw testing::message_lost{};
        });
    execution& run = all.run();
    std::string error;
    std::thread user([&] {
      try {
        for (int i = 0; i < 1000; ++i) run.send(number = i);
        run.close();
        for (const record& r : run) (void)r;
      } catch (const run_error& thrown) {
        error = thrown.what();
      }
    });
    EXPECT_TRUE(testing::eventually([&] { return messages_lost > 0; }));
    for (const auto& one : times) one->freeze();
    EXPECT_TRUE(testing::eventually([&] {
      for (const auto& one : times) one->advance(6);
      return was_asked.load();
    }));
    user.join();
    EXPECT_NE(error.find("the link to it hangs: credit for "), std::string::npos) << error;
    EXPECT_NE(error.find("rank " + std::to_string(std::array{1, 0, 2}[which])), std::string::npos) << error;
    all.finish();
  }
}

}  // namespace
}  // namespace weir::placed_test
