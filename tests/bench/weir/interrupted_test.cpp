#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/weir/running_weir.hpp"

// After Ctrl-C the run drains and reports its results; a second one ends it immediately; the code is 130 in both cases.
namespace weir::testing {
namespace {

namespace fs = std::filesystem;

// The caller's thread, the controller, the thread that reports observations, a sender and a worker: with these a record
// has been sent.
constexpr int threads_of_a_run = 5;

TEST(an_interrupted, matmul_reports_the_records_that_came_and_keeps_its_files) {
  const scratch_folder folder;
  const std::string out = folder.at("observations.csv");
  running_weir weir({"matmul", "--json", "--kernel", "emulated", "--repeat", "100000", "--out", out});
  ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
  weir.interrupt();
  const outcome o = weir.end();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_NE(o.err.find("ending with what there is"), std::string::npos) << o.err;
  const auto run = o.json();
  EXPECT_EQ(run.at("interrupted"), true);
  EXPECT_GE(run.at("records"), 1);
  EXPECT_LT(run.at("records"), 100000);
  EXPECT_GE(lines_of(contents(out)).size(), 2u);
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(out).parent_path()), {}), 1) << "nothing half-written";
}

// The signals of a batch system and of a closed terminal end a run like Ctrl-C.
TEST(an_interrupted, command_ends_by_any_signal_that_asks_for_it_with_what_there_is) {
  for (const auto& [signal, code] : {std::pair(SIGTERM, 143), std::pair(SIGHUP, 129)}) {
    const scratch_folder folder;
    const std::string out = folder.at("observations.csv");
    running_weir weir({"matmul", "--json", "--kernel", "emulated", "--repeat", "100000", "--out", out});
    ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
    weir.interrupt(signal);
    const outcome o = weir.end();
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_EQ(o.json().at("interrupted"), true);
    EXPECT_GE(lines_of(contents(out)).size(), 2u);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing half-written";

    running_weir again({"compare", "--workload", "emulated", "--scale", "100", "--policies", "equal", "--json"});
    ASSERT_TRUE(again.wait_for_threads(threads_of_a_run));
    again.interrupt(signal);
    ASSERT_TRUE(again.wait_for_error_text("ending with what there is"));
    again.interrupt(signal);
    EXPECT_EQ(again.end().code, code);
  }
}

// As SIGHUP under nohup, and SIGINT in a background job of a shell. If it were heeded, the next signal would end the
// command with nothing written.
TEST(an_interrupted, command_goes_on_where_the_signal_is_ignored) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    SCOPED_TRACE(signal);
    running_weir weir({"matmul", "--json", "--kernel", "emulated", "--repeat", "100000"}, signal);
    ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
    weir.interrupt(signal);
    const int other = signal == SIGTERM ? SIGINT : SIGTERM;
    weir.interrupt(other);
    const outcome o = weir.end();
    EXPECT_EQ(o.code, 128 + other);
    EXPECT_NE(o.out, "") << o.err;
  }
}

TEST(an_interrupted, compare_reports_what_ran) {
  running_weir weir({"compare", "--workload", "emulated", "--scale", "0.01", "--records", "10000", "--policies",
                     "adaptive,equal", "--repeat", "3", "--json"});
  ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
  weir.interrupt();
  const outcome o = weir.end();
  EXPECT_EQ(o.code, 130) << o.err;
  const auto all = o.json();
  EXPECT_EQ(all.at("interrupted"), true);
  EXPECT_EQ(all.at("rounds"), 1);
  ASSERT_EQ(all.at("policies").size(), 1u) << "the first was cut short, the others had not begun";
  EXPECT_LT(all.at("runs")[0].at("records"), 10000);
}

// Also where a source in the network sends, and where there is no network.
TEST(an_interrupted, compare_of_short_records_takes_no_more_of_them) {
  for (const std::string policy : {"equal", "free-for-all"}) {
    SCOPED_TRACE(policy);
    running_weir weir(
        {"compare", "--workload", "mixed", "--records", "1000000", "--repeat", "1", "--policies", policy, "--json"});
    ASSERT_TRUE(weir.wait_for_work());
    weir.interrupt();
    const outcome o = weir.end();
    EXPECT_EQ(o.code, 130) << o.err;
    const auto all = o.json();
    EXPECT_EQ(all.at("interrupted"), true);
    const auto& run = all.at("runs")[0];
    EXPECT_GE(run.at("records"), 1);
    EXPECT_LT(run.at("records"), 1000000);
    EXPECT_EQ(all.at("policies")[0].at("checks").at("results"), run.at("records")) << "what was taken came out";
    EXPECT_EQ(all.at("policies")[0].at("checks").at("wrong"), 0);
  }
}

TEST(an_interrupted, command_leaves_at_once_when_it_is_asked_again) {
  running_weir weir({"compare", "--workload", "emulated", "--scale", "100", "--policies", "equal", "--json"});
  ASSERT_TRUE(weir.wait_for_threads(threads_of_a_run));
  weir.interrupt();
  ASSERT_TRUE(weir.wait_for_error_text("Ctrl-C again leaves at once"));
  weir.interrupt();
  const outcome o = weir.end();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_EQ(o.out, "");
}

}  // namespace
}  // namespace weir::testing
