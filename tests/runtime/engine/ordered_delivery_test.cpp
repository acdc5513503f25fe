#include "runtime/engine/ordered_delivery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <weir/record/record.hpp>
#include <weir/threads/primitives.hpp>

namespace weir::detail {
namespace {

using outputs = ordered_delivery::outputs;

// Counts as a stream without room, and as one with room.
class a_channel final : public channel {
 public:
  explicit a_channel(bool room) : room_(room) {}
  std::size_t push(record_body* const*, std::size_t) override { return 0; }
  bool has_room() const override { return room_; }

 private:
  const bool room_;
};

class an_ordered_delivery : public ::testing::Test {
 protected:
  std::optional<ordered_delivery::ticket> begin(std::size_t count = 1) {
    return of.begin([&] { return count; });
  }
  ordered_delivery::ending finish(std::uint64_t ticket) {
    outputs out = one(full);
    return of.finish(ticket, out);
  }
  outputs one(a_channel& to) { return {{&to, &body}}; }
  outputs take_stuck() { return of.take_stuck({}); }
  ordered_delivery::task task() const { return of.possible_task(); }

  a_channel full{false}, with_room{true};
  record_body body{};
  threads::atomic<int> lanes{1};
  ordered_delivery of{lanes};
};

// Batches end in any order, outputs meet full streams at any time, and the region is held now and then. The results are
// those that a single thread would put out, batch by batch.
TEST_F(an_ordered_delivery, puts_out_what_a_sequence_would_whatever_ends_first) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](std::size_t most) { return random() % (most + 1); };
    threads::atomic<int> width{static_cast<int>(1 + up_to(5))};
    ordered_delivery mine(width);
    std::vector<record_body> bodies(400);
    std::vector<record_body*> expected, left;
    std::vector<std::pair<std::uint64_t, outputs>> running;
    outputs going;
    bool is_delivering = false, is_stuck = false, is_held = false;
    std::size_t begun = 0, records = 0, made = 0;
    const auto next_begins = [&] {
      if (is_held || made + 4 > bodies.size()) return;
      const std::size_t count = 1 + up_to(3);
      if (const auto t = mine.begin([&] { return count; })) {
        ASSERT_FALSE(is_stuck);
        ASSERT_EQ(t->number, begun++);
        ASSERT_EQ(t->first_record, std::exchange(records, records + count));
        running.emplace_back(t->number, outputs());
        for (std::size_t outs = up_to(4); outs > 0; --outs) {
          expected.push_back(&bodies[made++]);
          running.back().second.push_back({&full, expected.back()});
        }
        ASSERT_LE(running.size(), static_cast<std::size_t>(width.load()));
      }
    };
    const auto any_ends = [&] {
      if (running.empty()) return;
      const auto at = running.begin() + static_cast<std::ptrdiff_t>(up_to(running.size() - 1));
      const auto ended = mine.finish(at->first, at->second);
      ASSERT_EQ(ended == ordered_delivery::ending::delivers, mine.has_turn(at->first));
      if (ended == ordered_delivery::ending::delivers) {
        ASSERT_FALSE(std::exchange(is_delivering, true)) << "two deliver";
        going.swap(at->second);
      }
      running.erase(at);
    };
    const auto one_leaves = [&] {
      if (!is_delivering) return;
      if (going.empty()) {
        is_delivering = mine.pass_turn(going);
      } else if (up_to(3) == 0) {
        mine.keep_stuck(going);
        is_delivering = false;
        is_stuck = true;
        ASSERT_EQ(mine.possible_task(), ordered_delivery::task::none) << "there is no room";
      } else {
        left.push_back(going.front().what);
        going.erase(going.begin());
      }
    };
    const auto stuck_go_on = [&] {
      ASSERT_EQ(mine.is_stuck(), is_stuck);
      if (!is_stuck) return;
      going = mine.take_stuck(std::move(going));
      is_delivering = true;
      is_stuck = false;
    };
    const auto is_quiet = [&] {
      const std::size_t kept = mine.pending([] { return std::size_t{0}; });
      return running.empty() && !is_delivering && kept == 0;
    };
    while (made + 4 <= bodies.size() || !is_quiet()) {
      switch (up_to(9)) {
        case 0:
          stuck_go_on();
          break;
        case 1:
          is_held ? mine.release() : mine.hold();
          is_held = !is_held;
          break;
        case 2:
          ASSERT_EQ(mine.is_quiet(), is_quiet());
          break;
        case 3:
          if (running.empty()) width.store(static_cast<int>(1 + up_to(5)));
          break;
        case 4:
        case 5:
          any_ends();
          break;
        case 6:
        case 7:
          next_begins();
          break;
        default:
          one_leaves();
      }
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
    ASSERT_EQ(left, expected) << "seed " << seed;
  }
}

TEST_F(an_ordered_delivery, begins_as_many_batches_as_it_has_lanes_and_a_few_beyond_that_wait) {
  EXPECT_TRUE(begin());
  EXPECT_FALSE(begin());
  EXPECT_EQ(finish(0), ordered_delivery::ending::delivers);
  EXPECT_FALSE(begin()) << "one lane waits until its outputs have left";
  lanes.store(3);
  EXPECT_TRUE(begin());
  for (std::uint64_t t = 2; t <= 7; ++t) {
    ASSERT_TRUE(begin());
    ASSERT_EQ(finish(t), ordered_delivery::ending::waits);
  }
  EXPECT_FALSE(begin());
}

// One slow batch holds up no lane whose batches have no outputs, in whatever order these end.
TEST_F(an_ordered_delivery, begins_any_number_of_batches_without_outputs_behind_a_slow_one) {
  lanes.store(3);
  ASSERT_TRUE(begin());
  outputs none;
  for (std::uint64_t t = 1; t < 101; t += 2) {
    ASSERT_TRUE(begin()) << t;
    ASSERT_TRUE(begin()) << t;
    EXPECT_EQ(of.finish(t + 1, none), ordered_delivery::ending::waits);
    EXPECT_EQ(of.finish(t, none), ordered_delivery::ending::waits);
  }
  for (std::uint64_t t = 101; t <= 107; ++t) {
    ASSERT_TRUE(begin()) << t;
    ASSERT_EQ(finish(t), ordered_delivery::ending::waits);
  }
  EXPECT_FALSE(begin()) << "as many have outputs as may wait";
  outputs out;
  EXPECT_EQ(of.finish(0, out), ordered_delivery::ending::delivers);
  EXPECT_FALSE(of.is_quiet());
  for (std::uint64_t t = 101; t <= 107; ++t) {
    ASSERT_TRUE(of.pass_turn(out));
    EXPECT_EQ(out.size(), 1u);
    EXPECT_TRUE(of.has_turn(t)) << "past all that had none";
  }
  EXPECT_FALSE(of.pass_turn(out));
  EXPECT_TRUE(of.is_quiet());
}

TEST_F(an_ordered_delivery, begins_none_without_a_record_or_while_held) {
  EXPECT_FALSE(begin(0));
  of.hold();
  EXPECT_EQ(task(), ordered_delivery::task::none);
  EXPECT_FALSE(begin());
  of.release();
  EXPECT_EQ(task(), ordered_delivery::task::begin);
  EXPECT_EQ(begin()->number, 0u);
}

TEST_F(an_ordered_delivery, has_its_stuck_outputs_delivered_first_as_soon_as_there_is_room) {
  lanes.store(2);
  begin();
  finish(0);
  outputs out = one(with_room);
  of.keep_stuck(out);
  EXPECT_EQ(of.pending([] { return std::size_t{2}; }), 3u);
  EXPECT_EQ(task(), ordered_delivery::task::deliver);
  EXPECT_FALSE(begin());
  EXPECT_EQ(take_stuck().size(), 1u);
  EXPECT_TRUE(take_stuck().empty());
  EXPECT_TRUE(begin());
}

TEST_F(an_ordered_delivery, is_quiet_while_its_one_batch_rests) {
  begin();
  EXPECT_FALSE(of.rest_if_held());
  of.hold();
  EXPECT_FALSE(of.is_quiet());
  EXPECT_TRUE(of.rest_if_held());
  EXPECT_TRUE(of.is_quiet());
  of.release();
  of.end_rest();
  EXPECT_FALSE(of.is_quiet());
}

TEST_F(an_ordered_delivery, leaves_a_turn_with_what_a_stop_cut_short) {
  lanes.store(2);
  begin();
  begin();
  finish(1);
  finish(0);
  of.stop_delivering();
  EXPECT_TRUE(of.has_turn(0));
  EXPECT_EQ(of.pending([] { return std::size_t{0}; }), 1u);
}

}  // namespace
}  // namespace weir::detail
