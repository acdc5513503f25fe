#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "tests/support/busy.hpp"

namespace weir::next_region_test {
namespace {

constexpr tag n{"n"}, begun{"begun"}, once{"once"}, twice{"twice"};

// ---- which region a worker turns to ----

TEST(a_worker, takes_what_is_nearest_to_the_output_first_so_that_little_waits_inside) {
  constexpr std::int64_t count = 4;
  std::latch all_sent(1);
  std::mutex mutex;
  std::vector<std::string> order;
  const auto note = [&](const char* box, std::int64_t number) {
    testing::busy(std::chrono::microseconds(200));  // long enough to be a region of its own in a worker's eyes
    const std::lock_guard lock(mutex);
    order.push_back(box + std::to_string(number));
  };
  // Each star heads a region, so there are three.
  const network first = star(box("a", takes(n), gives(n, begun),
                                 [&](std::int64_t v) {
                                   all_sent.wait();
                                   note("a", v);
                                   return std::pair(v, v);
                                 }),
                             pattern{begun});
  const network second = star(box("b", takes(n), gives(n, once),
                                  [&](std::int64_t v) {
                                    note("b", v);
                                    return std::pair(v, v);
                                  }),
                              pattern{once});
  const network third = star(box("c", takes(n, once), gives(n, twice),
                                 [&](std::int64_t v, std::int64_t) {
                                   note("c", v);
                                   return std::pair(v, v);
                                 }),
                             pattern{twice});
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  execution run = start(first >> second >> third, o);
  for (std::int64_t i = 1; i <= count; ++i) run.send(n = i);
  run.close();
  all_sent.count_down();
  std::int64_t came = 0;
  for (const record& r : run) EXPECT_EQ(r[n], ++came);
  EXPECT_EQ(came, count);
  EXPECT_EQ(order, (std::vector<std::string>{"a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3", "a4", "b4", "c4"}));
}

// Equal branches, each with a source of its own, on one core: whichever gets the more turns, the other gets some, too.
TEST(a_worker, serves_branches_beside_each_other_alike) {
  constexpr int enough = 200;
  std::atomic<int> left{0}, right{0};
  std::atomic<bool> over{false};
  int fewer = 0;  // the invocations of the slower branch when the other has enough
  const auto endless = [&](const char* name, const tag& label) {
    return source(name, gives(label), [&over, &label](emitter& emit) {
      for (std::int64_t i = 0; !over; ++i) emit(label = i);
    });
  };
  const auto counted = [&](const char* name, const tag& label, std::atomic<int>& mine, std::atomic<int>& other) {
    return box(name, takes(label), gives(n), [&](std::int64_t v) {
      testing::busy(std::chrono::microseconds(50));
      if (++mine == enough && !over.exchange(true)) fewer = other;
      return v;
    });
  };
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  execution run = start((endless("s1", once) >> counted("a", once, left, right)) |
                            (endless("s2", twice) >> counted("b", twice, right, left)),
                        o);
  for (const record& r : run) EXPECT_GE(r[n], 0);
  EXPECT_GT(fewer, enough / 8);
}

}  // namespace
}  // namespace weir::next_region_test
