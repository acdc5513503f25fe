#include "runtime/mpi/deliveries.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/mpi/frame.hpp"
#include "runtime/mpi/outbox.hpp"

namespace weir::detail::mpi {
namespace {

// Notes the messages, and the thread that brings each; a message of kind 0 waits for the test.
class noting_listener final : public remote::peer_listener {
 public:
  bool is_quick(std::size_t bytes) const override { return bytes <= quick; }
  std::vector<std::span<std::byte>> place(int, std::uint32_t kind, std::span<const std::byte>,
                                          std::span<const std::size_t> sizes) override {
    note(kind);
    std::vector<std::span<std::byte>> places;
    for (const std::size_t size : sizes) places.emplace_back(room.data(), size);
    return places;
  }
  void received(int, std::uint32_t kind, std::span<const std::byte>) override {
    note(kind);
    if (kind == 0) goes_on.wait();
  }
  void lost(int rank, std::string) override { note(1000 + static_cast<std::uint32_t>(rank)); }

  std::size_t quick = 0;
  std::latch goes_on{1};
  std::vector<std::byte> room = std::vector<std::byte>(100);
  std::vector<std::uint32_t> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  std::vector<std::thread::id> by() const {
    const std::lock_guard lock(mutex_);
    return by_;
  }

 private:
  void note(std::uint32_t what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(what);
    by_.push_back(std::this_thread::get_id());
  }
  mutable std::mutex mutex_;
  std::vector<std::uint32_t> told_;
  std::vector<std::thread::id> by_;
};

const std::vector<std::byte> bytes(10);

TEST(deliveries_of_messages, are_made_by_the_caller_where_they_are_quick) {
  outbox o(2, 0);
  noting_listener to;
  to.quick = 1000;
  deliveries d(o);
  d.received(to, 1, 5, bytes);
  EXPECT_TRUE(d.place(to, 1, 6, 0, bytes, {10, 20}));
  d.lost(to, 1, "");
  EXPECT_EQ(to.told(), (std::vector<std::uint32_t>{5, 6, 1001}));
  for (const std::thread::id by : to.by()) EXPECT_EQ(by, std::this_thread::get_id());
}

// While one of them takes long, the caller continues, and later messages wait, also quick ones.
TEST(deliveries_of_messages, keep_their_order_behind_one_that_takes_long) {
  outbox o(3, 0);
  noting_listener to;
  to.quick = 5;
  deliveries d(o);
  d.received(to, 1, 0, bytes);
  d.received(to, 2, 1, {});
  EXPECT_FALSE(d.place(to, 2, 2, 17, bytes, {10, 20}));
  d.lost(to, 1, "");
  EXPECT_FALSE(d.is_idle());
  to.goes_on.count_down();
  d.wait_until_idle();
  EXPECT_EQ(to.told(), (std::vector<std::uint32_t>{0, 1, 2, 1001}));
  for (const std::thread::id by : to.by()) EXPECT_NE(by, std::this_thread::get_id());
  EXPECT_TRUE(d.has_answers());
  const std::vector<deliveries::answer> answers = d.answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].from, 2);
  EXPECT_EQ(answers[0].message, 17u);
  ASSERT_EQ(answers[0].where.size(), 2u);
  EXPECT_EQ(answers[0].where[1].size(), 20u);
  EXPECT_FALSE(d.has_answers());
  d.received(to, 2, 3, {});  // nothing is in front of it any more
  EXPECT_EQ(to.by().back(), std::this_thread::get_id());
}

// The destructor of the program's value runs on the other thread, once it is the last holder.
TEST(deliveries_of_messages, end_values_elsewhere) {
  outbox o(2, 0);
  noting_listener to;
  std::thread::id by;
  std::shared_ptr<const void> value(&bytes, [&](const void*) { by = std::this_thread::get_id(); });
  deliveries d(o);
  d.let_go(&to, value, 10);
  d.wait_until_idle();
  EXPECT_EQ(by, std::thread::id());
  d.let_go(&to, std::move(value), 10);
  d.wait_until_idle();
  EXPECT_NE(by, std::thread::id());
  EXPECT_NE(by, std::this_thread::get_id());
}

std::span<const std::byte> bytes_of(const auto& of) { return std::as_bytes(std::span(&of, 1)); }

TEST(a_batch, is_refused_where_it_says_more_than_it_has) {
  EXPECT_THROW(head_of({}), std::runtime_error);
  for (const std::uint64_t piece : {std::uint64_t{0}, std::uint64_t{least_piece_bytes} - 1, ~std::uint64_t{0}})
    EXPECT_THROW(head_of(bytes_of(batch_head{piece})), std::runtime_error);
  EXPECT_EQ(head_of(bytes_of(batch_head{most_piece_bytes})).piece_bytes, most_piece_bytes);
  const auto refuses = [](const frame& f) { EXPECT_THROW(frame_at(bytes_of(f)), std::runtime_error); };
  refuses({frame_kind::message, 0, 0, 1});
  refuses({frame_kind::message, 0, 0, ~std::uint64_t{0}});
  refuses({frame_kind::large_message, 0, 2, 15});
  refuses({frame_kind::large_message, 0, ~std::uint64_t{0} / 8 + 2, ~std::uint64_t{0}});
  refuses({static_cast<frame_kind>(5), 0, 0, 0});
  EXPECT_THROW(frame_at(bytes_of(frame{frame_kind::left, 0, 0, 0}).first(23)), std::runtime_error);
  EXPECT_EQ(frame_at(bytes_of(frame{frame_kind::large_message, 3, 2, 16})).kind, 3u);
}

}  // namespace
}  // namespace weir::detail::mpi
