#include <weir/run/run_view.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <weir/run/execution.hpp>
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir {
namespace {

using namespace testing;

class a_view : public gives_all_back {};

options two_cores() {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  return o;
}

TEST_F(a_view, shows_a_run_while_it_goes_on_and_its_last_report_afterwards) {
  std::optional<execution> run = start(box("f", takes(n), gives(n), plus_one), two_cores());
  const run_view view = run->view();
  const run_view other = run->view();
  EXPECT_FALSE(view.is_over());
  for (int i = 0; i < 100; ++i) run->send(n = i);
  EXPECT_EQ(view.report().sent, 100u);
  run->close();
  run->wait();
  EXPECT_TRUE(view.is_over());
  run.reset();
  EXPECT_TRUE(view.is_over());
  EXPECT_EQ(view.report().results, 100u);
  EXPECT_EQ(other.report().components.at(0).name, "f");
}

TEST_F(a_view, follows_an_execution_that_is_moved) {
  execution first = start(box("f", takes(n), gives(n), plus_one), two_cores());
  const run_view view = first.view();
  execution second = std::move(first);
  second.send(n = 1);
  EXPECT_EQ(view.report().sent, 1u);
  second = start(box("g", takes(n), gives(n), plus_one), two_cores());
  EXPECT_TRUE(view.is_over());
  EXPECT_EQ(view.report().components.at(0).name, "f") << "the run of that view, not the one that took its place";
}

// Views are asked by several threads while runs end at any moment: every report is of the view's own run, and is there.
TEST_F(a_view, may_be_asked_by_several_threads_while_its_run_is_destroyed) {
  for (int round = 0; round < 50; ++round) {
    std::optional<execution> run = start(box("f", takes(n), gives(n), plus_one), two_cores());
    const run_view view = run->view();
    std::atomic<int> asked{0};
    std::atomic<bool> ended{false};
    std::vector<std::thread> askers;
    for (int i = 0; i < 3; ++i)
      askers.emplace_back([&] {
        bool was_over = false;
        do {
          was_over = ended.load();
          EXPECT_EQ(view.report().components.size(), 1u);
          ++asked;
        } while (!was_over);
      });
    run->send(n = round);
    while (asked.load() < 3) std::this_thread::yield();
    run.reset();
    ended = true;
    for (std::thread& t : askers) t.join();
    EXPECT_TRUE(view.is_over());
    EXPECT_EQ(view.report().sent, 1u);
  }
}

}  // namespace
}  // namespace weir
