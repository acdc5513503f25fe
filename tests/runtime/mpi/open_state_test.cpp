#include "runtime/mpi/open_state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace weir::detail::mpi {
namespace {

// A thread that has closed may free what the listener uses.
TEST(an_open_state, has_a_second_thread_that_closes_wait_for_the_first) {
  open_state state;
  state.begin(0);
  ASSERT_TRUE(state.begin_to_close());
  std::atomic<bool> comes{false}, is_closed{false};
  std::thread second([&] {
    comes = true;
    EXPECT_FALSE(state.begin_to_close());
    EXPECT_TRUE(is_closed);
  });
  while (!comes) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();  // a second one that does not wait goes on meanwhile
  is_closed = true;
  state.end();
  second.join();
  EXPECT_FALSE(state.begin_to_close()) << "it is closed";
  state.begin(0);
  EXPECT_THROW(state.begin(0), std::logic_error);
}

}  // namespace
}  // namespace weir::detail::mpi
