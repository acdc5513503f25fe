#include "runtime/mpi/outbox.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace weir::detail::mpi {
namespace {

using namespace std::chrono_literals;

remote::message message_of(std::uint32_t kind, std::size_t bytes) {
  return {kind, std::vector<std::byte>(bytes, std::byte{7}), {}};
}

// The frames of a batch. The head of a message follows each but a large one.
std::vector<frame> frames_of(const batch& b) {
  std::vector<frame> found;
  for (std::size_t at = sizeof(batch_head); at < b.frames.size();) {
    frame f;
    std::memcpy(&f, b.frames.data() + at, sizeof f);
    at += sizeof f + (f.what == frame_kind::message ? f.body : 0);
    found.push_back(f);
  }
  return found;
}

TEST(an_outbox, gathers_small_messages_of_each_rank_in_their_order) {
  outbox o(3, 0);
  o.unshut();
  for (std::uint32_t i = 0; i < 100; ++i) o.put(1 + static_cast<int>(i % 2), message_of(i, 64));
  for (const int to : {1, 2}) {
    ASSERT_EQ(o.batches(to), 1u);
    const batch b = o.take(to);
    EXPECT_EQ(b.count, 50u);
    std::uint32_t next = static_cast<std::uint32_t>(to) - 1;
    for (const frame& f : frames_of(b)) {
      EXPECT_EQ(f.kind, next);
      next += 2;
    }
    EXPECT_EQ(o.batches(to), 0u);
  }
}

TEST(an_outbox, makes_no_batch_larger_than_the_memory_that_receives_it) {
  outbox o(2, 0);
  o.unshut();
  std::size_t put = 1;
  for (std::size_t bytes = 1; bytes < 3 * batch_bytes; bytes = bytes * 3 / 2 + 1, ++put) o.put(1, message_of(1, bytes));
  o.put(1, {2, {}, std::vector<remote::blob>(10'000)});
  std::size_t large = 0, messages = 0;
  while (o.batches(1)) {
    const batch b = o.take(1);
    EXPECT_LE(b.frames.size(), batch_bytes);
    for (const frame& f : frames_of(b)) {
      ++messages;
      if (f.what == frame_kind::large_message) ++large;
    }
  }
  EXPECT_EQ(messages, put);
  EXPECT_GE(large, 2u);
}

TEST(an_outbox, drops_what_is_for_a_lost_rank_and_what_is_put_in_while_it_is_shut) {
  outbox o(3, 0);
  o.put(1, message_of(1, 8));
  EXPECT_EQ(o.batches(1), 0u);
  o.unshut();
  o.put(1, message_of(2, 8));
  o.put(2, message_of(3, 8));
  o.lose(2);
  o.put(2, message_of(4, 8));
  o.shut();
  o.put(1, message_of(5, 8));
  EXPECT_EQ(o.batches(2), 0u);
  const auto frames = frames_of(o.take(1));
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].kind, 2u);
  EXPECT_EQ(frames[1].what, frame_kind::closed);
}

TEST(an_outbox, frees_what_a_dropped_message_keeps) {
  outbox o(2, 0);
  o.unshut();
  const auto kept = std::make_shared<std::vector<std::byte>>(100);
  o.put(1, {1, {}, {{*kept, kept}}});
  EXPECT_EQ(kept.use_count(), 2);
  o.lose(1);
  EXPECT_EQ(kept.use_count(), 1);
}

// A hang shows as a test that takes an hour.
TEST(an_outbox, wakes_who_sleeps_there) {
  outbox o(2, 0);
  o.unshut();
  for (int i = 0; i < 100; ++i) {
    std::thread sender([&] { o.put(1, message_of(1, 8)); });
    while (!o.batches(1)) o.sleep(1h);
    sender.join();
    o.take(1);
  }
  o.wake();
  o.sleep(1h);
}

}  // namespace
}  // namespace weir::detail::mpi
