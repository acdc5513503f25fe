#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/engine/priority_window.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Priorities of boxes, and of records by a tag.
namespace weir {
namespace {

using namespace testing;

constexpr tag urgency{"urgency"}, done{"done"};

class a_priority : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");
  std::map<std::string, int> invocations;

  // A box that takes `seconds` of virtual time, in a region of its own: a star is one.
  network taking(double seconds, const std::string& name, const tag& label, int weight) {
    return star(box(name, takes(label), gives(label, done),
                    [this, seconds, name](std::int64_t v) {
                      time->advance(seconds);
                      ++invocations[name];
                      return std::pair(v, v);
                    })
                    .priority(weight),
                pattern{done});
  }

  // Branches by k of a box that serves the most urgent record first, once the gate is open.
  gate g;
  std::vector<std::int64_t> order;
  network serving() {
    return split(box("serves", takes(n), gives(n),
                     [this](std::int64_t v) {
                       g.pass();
                       order.push_back(v);
                       return v;
                     })
                     .priority(urgency)
                     .serial(),
                 k);
  }
};

// Two branches that never run out of records share the core by their priorities, whatever their invocations take.
TEST_F(a_priority, of_a_box_is_its_part_of_the_time) {
  for (const int weight : {1, 4}) {
    invocations.clear();
    options o = on(time);
    o.policy = fixed_shares{};
    o.capacity = 1000;
    detail::run_state run(taking(1e-3, "high", n, weight) | taking(2e-3, "low", k, 1), o);
    for (std::int64_t i = 1; i <= 400; ++i) run.send(record(n = i)), run.send(record(k = i));
    record r;
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(run.next(r));
    run.stop();
    EXPECT_NEAR(invocations["high"] / (2.0 * invocations["low"]), weight, 0.15 * weight);
  }
}

// The most urgent of the waiting records is taken first, and those of one branch keep their order.
TEST_F(a_priority, of_a_record_lets_it_overtake_those_of_other_branches) {
  execution run = start(serving(), on("1", 256));
  for (std::int64_t i = 0; i < 40; ++i) run.send(n = i, k = i, urgency = 0);
  for (std::int64_t i = 100; i < 103; ++i) run.send(n = i, k = 100, urgency = i == 102 ? 9 : 5);
  run.close();
  g.open();
  for (const record& r : run) (void)r;
  ASSERT_EQ(order.size(), 43u);
  const auto at = [&](std::int64_t v) { return std::find(order.begin(), order.end(), v) - order.begin(); };
  EXPECT_LT(at(100), 8);
  EXPECT_LT(at(100), at(101));
  EXPECT_LT(at(101), at(102)) << "of one branch, though more urgent";
  for (std::int64_t i = 1; i < 40; ++i) EXPECT_LT(at(i - 1), at(i)) << "of one urgency";
}

// A record with 20 others before it waits for at most 8 times as many and its own eight, however many more urgent ones
// come behind it.
TEST_F(a_priority, of_records_starves_none) {
  execution run = start(serving(), on("1", 512));
  for (std::int64_t i = 0; i < 400; ++i) run.send(n = i, k = i, urgency = i == 20 ? 0 : 1);
  run.close();
  g.open();
  for (const record& r : run) (void)r;
  ASSERT_EQ(order.size(), 400u);
  const auto at = std::find(order.begin(), order.end(), 20) - order.begin();
  EXPECT_GT(at, 20);
  EXPECT_LE(at, 8 * 21);
}

TEST_F(a_priority, is_refused_where_records_keep_their_order) {
  const network b = box("serves", takes(n), gives(n), plus_one).priority(urgency);
  EXPECT_EQ(
      refusal([&] { start(b >> counting("next"), on("1")); }),
      "box serves at :S1: priority(<urgency>) in a place where records keep their order, expected one in a split or "
      "a star");
  EXPECT_EQ(refusal([&] { box("b", takes(n), gives(n), plus_one).priority(0); }),
            "box b: priority(0), expected 1 to 1000");
}

// Results of an ordered network keep their order, and no record is lost, whatever the urgencies and the cores.
TEST_F(a_priority, of_records_leaves_ordered_networks_ordered) {
  const std::int64_t count = slow ? 400 : 4000;
  for (const int cores : {1, 2, 3, 16, 64}) {
    const auto b = box("serves", takes(n), gives(n), [](std::int64_t v) {
                     spend(v % 7 * 100);
                     return v;
                   }).priority(urgency);
    for (const bool is_ordered : {true, false}) {
      const network net = split(b, k);
      execution run = start(is_ordered ? ordered(net) : net, on(std::to_string(cores)));
      std::thread sender([&] {
        std::mt19937 random(5);
        for (std::int64_t i = 0; i < count; ++i)
          run.send(n = i, k = static_cast<std::int64_t>(random() % 9),
                   urgency = static_cast<std::int64_t>(random() % 5));
        run.close();
      });
      std::map<std::int64_t, std::int64_t> last;
      std::int64_t seen = 0, sum = 0;
      for (const record& r : run) {
        if (is_ordered) {
          EXPECT_EQ(r[n], seen);
        }
        const auto [at, first] = last.try_emplace(r[k], -1);
        EXPECT_LT(at->second, r[n]) << "records of a branch keep their order";
        at->second = r[n];
        ++seen;
        sum += r[n];
      }
      sender.join();
      EXPECT_EQ(seen, count);
      EXPECT_EQ(sum, count * (count - 1) / 2);
      expect_counts_add_up(run.report());
    }
  }
}

// A stop drops what waits in the window, and counts it.
TEST_F(a_priority, of_records_loses_none_when_the_run_stops) {
  gate g;
  const auto b = box("serves", takes(n), gives(n), [&](std::int64_t v) {
                   g.pass();
                   return v;
                 }).priority(urgency);
  execution run = start(serving(), on("2", 64));
  for (std::int64_t i = 0; i < 50; ++i) run.send(n = i, k = i, urgency = i);
  run.stop();
  g.open();
  for (const record& r : run) (void)r;
  expect_counts_add_up(run.report());
}

}  // namespace
}  // namespace weir
