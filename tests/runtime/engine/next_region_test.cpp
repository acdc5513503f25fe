#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir::next_region_test {
namespace {

using namespace testing;

constexpr tag n{"n"}, m{"m"}, left{"left"}, once{"once"}, twice{"twice"}, done{"done"};

// ---- which region a worker turns to ----

// On one core, on a clock that only the boxes advance.
class a_worker : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");
  std::vector<std::string> order;  // the invocations of boxes that take(), by their names
  int rounds = 0;                  // of looping records

  options fixed() const {
    options o = on(time);
    o.policy = fixed_shares{};
    return o;
  }

  // A box that takes `seconds`, in a region of its own: a star is one, and a record leaves this star after one round.
  network taking(double seconds, const char* name, const tag& label, const tag& end = done) {
    return star(box(name, takes(label), gives(label, end),
                    [this, seconds, name](std::int64_t v) {
                      time->advance(seconds);
                      order.push_back(name);
                      return std::pair(v, v);
                    }),
                pattern{end});
  }

  // A star with a box that takes `seconds` a round. A record leaves it when `left` is 0.
  network looping(double seconds) {
    return star(box("loop", takes(left), gives(left),
                    [this, seconds](std::int64_t v) {
                      time->advance(seconds);
                      ++rounds;
                      return v - 1;
                    }),
                pattern{left}.where(left == 0));
  }

  auto count(const char* name) const { return std::count(order.begin(), order.end(), name); }
};

TEST_F(a_worker, takes_what_is_nearest_to_the_output_first_so_that_little_waits_inside) {
  detail::run_state run(taking(2e-4, "a", n, once) >> taking(2e-4, "b", n, twice) >> taking(2e-4, "c", n, done),
                        fixed());
  for (std::int64_t i = 1; i <= 4; ++i) run.send(record(n = i));
  run.close();
  record r;
  for (std::int64_t i = 1; i <= 4; ++i) {
    ASSERT_TRUE(run.next(r));
    EXPECT_EQ(r[n], i);
  }
  run.wait();
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"}));
}

// Parallel branches share a core by time. A record of the branch that needs less of it than its share waits for one
// invocation of the other branch, however many of that wait.
TEST_F(a_worker, serves_a_short_branch_before_the_next_invocation_of_a_long_one) {
  detail::run_state run(taking(5e-4, "short", m) | taking(5e-3, "long", n), fixed());
  record r;
  for (std::int64_t i = 0; i < 4; ++i) run.send(record(n = i));
  for (int i = 0; i < 50; ++i) {
    if (i % 12 == 0) run.send(record(n = i));
    run.send(record(m = i));
    const auto before = count("long");
    do ASSERT_TRUE(run.next(r));
    while (!r.contains(m));
    EXPECT_LE(count("long") - before, 2) << i;  // the one that the records before it had earned, and one under way
  }
  run.stop();
  EXPECT_LT(count("long"), 10);
}

TEST_F(a_worker, gives_branches_that_are_never_idle_the_same_time) {
  options o = fixed();
  o.capacity = 1000;
  detail::run_state run(taking(1e-3, "short", m) | taking(5e-3, "long", n), o);
  record r;
  for (std::int64_t i = 0; i < 300; ++i) run.send(record(n = i)), run.send(record(m = i));
  for (int i = 0; i < 120; ++i) ASSERT_TRUE(run.next(r));
  run.stop();
  EXPECT_NEAR(static_cast<double>(count("short")) / static_cast<double>(count("long")), 5, 0.5);
}

TEST_F(a_worker, serves_others_between_two_rounds_of_a_loop) {
  detail::run_state run(taking(5e-4, "short", m) | looping(2e-3), fixed());
  run.send(record(left = 1'000'000));
  record r;
  for (int i = 0; i < 200; ++i) {
    run.send(record(m = i));
    const int before = rounds;
    ASSERT_TRUE(run.next(r));
    EXPECT_TRUE(r.contains(m));
    EXPECT_LE(rounds - before, 1) << i;
  }
  run.stop();
  EXPECT_GT(rounds, 20) << "its own share";
}

// A record that never leaves a star does not keep new ones out of it, be its rounds long or short. It goes on where it
// is 1024 times if these are short, and is queued 64 times before a new one is taken.
TEST_F(a_worker, lets_new_records_into_a_star_in_which_one_loops_for_ever) {
  const auto rounds_until_others_were_through = [this](double seconds, int others) {
    detail::run_state run(looping(seconds), fixed());
    constexpr int so_long = 10'000'000;  // then it leaves after all, and this is too many
    run.send(record(left = so_long));
    rounds = 0;
    record r;
    for (int i = 0; i < others; ++i) {
      run.send(record(left = 3));
      EXPECT_TRUE(run.next(r));
    }
    run.stop();
    return rounds;
  };
  EXPECT_LT(rounds_until_others_were_through(2e-3, 20), 20 * 70);
  EXPECT_LT(rounds_until_others_were_through(1e-9, 20), 20 * 65 * 1025);
}

// Equal branches, each with a source of its own, on one core: whichever gets the more turns, the other gets some, too.
TEST(a_workers_turns, are_shared_by_branches_beside_each_other) {
  constexpr int enough = 4000;  // 0.2 s for each: a thread that the machine stops for some ms pays for them
  std::atomic<int> first{0}, second{0};
  std::atomic<bool> over{false};
  int fewer = 0;  // the invocations of the slower branch when the other has enough
  const auto endless = [&](const char* name, const tag& label) {
    return source(name, gives(label), [&over, &label](emitter& emit) {
      for (std::int64_t i = 0; !over; ++i) emit(label = i);
    });
  };
  const auto counted = [&](const char* name, const tag& label, std::atomic<int>& mine, std::atomic<int>& other) {
    return box(name, takes(label), gives(n), [&](std::int64_t v) {
      busy(std::chrono::microseconds(50));
      if (++mine == enough && !over.exchange(true)) fewer = other;
      return v;
    });
  };
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  execution run = start((endless("s1", once) >> counted("a", once, first, second)) |
                            (endless("s2", twice) >> counted("b", twice, second, first)),
                        o);
  for (const record& r : run) EXPECT_GE(r[n], 0);
  EXPECT_GT(fewer, enough / 8);
}

}  // namespace
}  // namespace weir::next_region_test
