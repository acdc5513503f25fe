#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir::reassign_test {
namespace {

using testing::several_ranks;
using testing::two_cores;

inline constexpr tag number{"number"}, key{"key"};
inline constexpr field<std::string> text{"text"};

network doubling() {
  return box("double", takes(number), gives(number), [](std::int64_t v) { return 2 * v; });
}

class a_network_that_reassigns : public testing::gives_all_back {};

// Ranks are killed before record `at`, one right after the other. All results come all the same, in the order of each
// key.
void expect_all_results(int ranks, const std::vector<int>& killed, int at_record, std::size_t capacity) {
  const network two = box("two", takes(number), gives(number), [](std::int64_t v, emitter& emit) {
    emit(number = 2 * v);
    if (v % 3 == 0) emit(number = 2 * v + 1);
  });
  several_ranks all(
      ranks, [&](int) { return at(split(two, key), key) >> doubling(); },
      [&](int rank) {
        options o = two_cores(rank);
        o.on_failure = on_failure::reassign;
        o.capacity = capacity;
        return o;
      });
  execution& run = all.run();
  std::map<std::int64_t, std::vector<std::int64_t>> got, expected;
  std::jthread reader([&] {  // which ends, too, where send() throws
    for (const record& r : run) got[r[key]].push_back(r[number]);
  });
  constexpr int count = 2000;
  for (int i = 0; i < count; ++i) {
    if (i == at_record)
      for (const int rank : killed) all.ranks().kill(rank);
    run.send(number = i, key = i % 7, text = "kept");
    expected[i % 7].push_back(4 * i);
    if (i % 3 == 0) expected[i % 7].push_back(4 * i + 2);
  }
  run.close();
  reader.join();
  EXPECT_EQ(got, expected);
  EXPECT_FALSE(run.report().notes.empty());
  for (const int rank : killed) all.ranks().end_killed(rank);
  all.finish();
}

// The first are killed while other ranks still start.
TEST_F(a_network_that_reassigns, goes_on_without_a_rank_whose_branches_may_move) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const int ranks = 2 + seed % 3, dies = 1 + seed % (ranks - 1);
    expect_all_results(ranks, {dies}, 40 * seed, seed % 2 ? 0 : 8);
  }
}

// The second is lost while calls of the first are sent again, to it as well.
TEST_F(a_network_that_reassigns, goes_on_without_two_ranks_that_are_lost_together) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const int first = 1 + seed % 3, second = 1 + (seed + 1 + seed / 3 % 2) % 3;
    expect_all_results(4, {first, second}, 40 + 40 * seed, seed % 2 ? 0 : 8);
  }
}

}  // namespace
}  // namespace weir::reassign_test
