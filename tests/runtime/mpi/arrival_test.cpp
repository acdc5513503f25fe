#include "runtime/mpi/arrival.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string_view>

#include <weir/mpi.hpp>
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

// A session is not made with them, so MPI is not needed.
TEST(options_of_a_session, are_any_durations_of_more_than_0) {
  using weir::mpi::session;
  const auto refused = [](const weir::mpi::session_options& o) {
    return weir::testing::refusal<std::invalid_argument>([&] { session s(o); });
  };
  EXPECT_EQ(refused({.silence = -0.5s}), "weir::mpi::session_options: silence is -0.5 s, expected more than 0");
  EXPECT_EQ(refused({.finalize_within = 0ms}),
            "weir::mpi::session_options: finalize_within is 0 s, expected more than 0");
  EXPECT_EQ(refused({.begin_within = std::chrono::duration<float>(std::numeric_limits<float>::quiet_NaN())}),
            "weir::mpi::session_options: begin_within is nan s, expected more than 0");
  EXPECT_EQ(words_of_time(90.25s), "90.25 s");
}

}  // namespace
}  // namespace weir::detail::mpi
