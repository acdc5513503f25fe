#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "bench/corpus/common/child_process.hpp"

namespace weir::testing {
namespace {

// A parent may ignore these signals; a program that it starts expects to be ended by them.
TEST(a_child_process, is_ended_by_signals_that_its_parent_ignores) {
  for (const int number : {SIGINT, SIGPIPE, SIGXFSZ}) {
    const auto before = ::signal(number, SIG_IGN);
    corpus::child_process child({"sh", "-c", "kill -" + std::to_string(number) + " $$"});
    ::signal(number, before);
    EXPECT_EQ(child.wait(), 128 + number);
  }
}

}  // namespace
}  // namespace weir::testing
