#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <weir/weir.hpp>
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

class a_fusion : public gives_all_back {};

// A box that two regions lead to is fused while a record of one of them takes until many of the other are through.
TEST_F(a_fusion, behind_a_long_invocation_holds_up_no_short_branch) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "a long invocation has the only core";
  constexpr std::int64_t many = 100'000;
  constexpr auto patience = 60s;
  std::atomic<std::int64_t> through{0};
  std::atomic<bool> is_over{false}, is_held_up{false};
  const auto began = steady_clock::now();
  const network feed = source("feed", gives(n) | gives(n, k), [&](emitter& out) {
    out(n = 0, k = 1);
    while (!is_over) out(n = 1);
  });
  const network slow = box("slow", takes(n, k), gives(n), [&](std::int64_t v, std::int64_t) {
    while (through < many && steady_clock::now() - began < patience) std::this_thread::yield();
    is_held_up = through < many;
    is_over = true;
    return v;
  });
  const network quick = box("quick", takes(n), gives(n), plus_one);
  const network chain = box("first", takes(n), gives(n), plus_one) >> box("second", takes(n), gives(n), plus_one);
  const network sink = box("sink", takes(n), gives_none, [&](std::int64_t) { ++through; });
  execution run = start(feed >> (slow | quick) >> chain >> sink);
  run.close();
  run.wait();
  EXPECT_FALSE(is_held_up) << through << " records of " << many << " went through the short branch";
}

}  // namespace
}  // namespace weir
