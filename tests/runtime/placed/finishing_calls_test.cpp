#include "runtime/placed/finishing_calls.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/remote/rank_message.hpp"

namespace weir::detail {
namespace {

TEST(finishing_calls, open_positions_of_their_own) {
  finishing_calls calls;
  owned_body body(make_body(shape::empty()));
  bool has_begun = false;
  const std::uint64_t position = remote::opened_there | 5;
  EXPECT_THROW(calls.outer_of(1, 2, position), std::runtime_error) << "the call lets nothing finish";
  calls.begin(1, has_begun, 3);
  EXPECT_EQ(calls.outer_of(1, 2, position), 3u);
  EXPECT_THROW(calls.outer_of(1, 2, 5), std::runtime_error) << "this is no number of a position";
  calls.open(2, position, body.get());
  EXPECT_THROW(calls.outer_of(1, 2, position), std::runtime_error) << "it is open already";
  EXPECT_EQ(calls.outer_of(1, 4, position), 3u) << "another rank has numbers of its own";
  EXPECT_EQ(calls.kept_of(2, position), body.get());
  EXPECT_EQ(calls.close(2, position), body.get());
  EXPECT_THROW(calls.close(2, position), std::runtime_error);
}

TEST(finishing_calls, say_when_another_instance_may_have_to_finish) {
  finishing_calls calls;
  bool has_begun = false;
  calls.begin(1, has_begun, 0);
  calls.end(1, false);
  EXPECT_FALSE(has_begun);
  calls.begin(2, has_begun, 0);
  calls.end(7, true);
  EXPECT_FALSE(has_begun) << "another call is over";
  calls.end(2, true);
  EXPECT_TRUE(has_begun);
}

}  // namespace
}  // namespace weir::detail
