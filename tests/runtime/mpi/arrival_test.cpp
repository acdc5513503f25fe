#include "runtime/mpi/arrival.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include "tests/support/refusal.hpp"

namespace weir::detail::mpi {
namespace {

using namespace std::chrono_literals;

introduction with(std::string_view version, std::chrono::nanoseconds silence) {
  introduction own;
  std::copy(version.begin(), version.end(), own.version.begin());
  own.silence_ns = silence.count();
  return own;
}

TEST(ranks_that_come_to_a_session, keep_to_the_longest_silence_of_all) {
  EXPECT_EQ(agreed_silence({with("1.0", 2s), with("1.0", 10s), with("1.0", 300ms)}), 10s);
}

TEST(ranks_that_come_to_a_session, have_one_version) {
  EXPECT_EQ(weir::testing::refusal<std::runtime_error>([] {
              agreed_silence({with("1.0", 2s), with("1.0", 2s), with("1.1", 2s)});
            }),
            "weir::mpi::session: rank 0 and rank 2 run different versions of weir: 1.0 and 1.1");
}

}  // namespace
}  // namespace weir::detail::mpi
