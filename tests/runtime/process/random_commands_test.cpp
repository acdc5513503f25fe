#include <gtest/gtest.h>
#include <sys/wait.h>

#include <map>
#include <random>
#include <string>

#include <weir/process.hpp>
#include <weir/weir.hpp>
#include "tests/runtime/process/open_descriptors.hpp"
#include "tests/runtime/process/watched_processes.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::watched_processes;

constexpr tag sent{"sent"};

enum kind { good, crashes, fails, hangs, writes_garbage };

// By the last digits of its number: one in fifty does not do its work.
kind kind_of(std::int64_t number) {
  switch (number % 200) {
    case 50:
      return crashes;
    case 100:
      return fails;
    case 150:
      return hangs;
    case 199:
      return writes_garbage;
    default:
      return good;
  }
}

command_network<tag> work(const std::string& name, const watched_processes& watched) {
  return command(name, takes(sent), gives(sent),
                 {"sh", "-c",
                  "case $(($1 % 200)) in 50) kill -SEGV $$ ;; 100) exit 3 ;; 150) cat $2 ;; 199) echo garbage ;; *) "
                  "echo $1 ;; esac",
                  "sh", sent, watched.path()})
      .output(sent)
      .within(100ms);
}

class commands_at_random : public testing::gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    descriptors_ = testing::open_descriptors();
  }
  void TearDown() override {
    EXPECT_TRUE(testing::are_no_more_open(descriptors_)) << testing::open_descriptors();
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    gives_all_back::TearDown();
  }

 private:
  int descriptors_ = 0;
};

TEST_F(commands_at_random, give_a_result_or_one_error_for_each_record) {
  watched_processes watched;
  const int count = testing::sanitized ? 400 : 2000;
  std::map<std::int64_t, int> seen;
  {
    execution run =
        start(work("work", watched).blocking(4), {.on_error = on_error::collect, .max_failed_records_kept = 1000});
    for (int i = 0; i < count; ++i) run.send(sent = i);
    run.close();
    for (const record& r : run) {
      // A process that is to be good may still be slower than its bound, on a machine that does much else.
      EXPECT_EQ(kind_of(r[sent]), good);
      ++seen[r[sent]];
    }
    for (const failure& f : run.errors()) {
      const std::int64_t number = (*f.as_record)[sent];
      ++seen[number];
      if (f.kind == failure_kind::timed_out) continue;
      const std::map<kind, std::string> words{
          {crashes, "SIGSEGV"}, {fails, "exit code 3"}, {writes_garbage, "garbage"}};
      const auto expected = words.find(kind_of(number));
      ASSERT_NE(expected, words.end()) << f.cause;
      EXPECT_NE(f.cause.find(expected->second), std::string::npos) << f.cause;
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
  for (const auto& [number, times] : seen) EXPECT_EQ(times, 1) << number;
  EXPECT_TRUE(watched.all_have_ended());
}

TEST_F(commands_at_random, leave_nothing_when_the_run_is_stopped_at_any_moment) {
  std::mt19937 random(1);
  watched_processes watched;
  for (int round = 0; round < (testing::sanitized ? 10 : 60); ++round) {
    const auto net = work("first", watched).blocking(1 + static_cast<int>(random() % 6)) >>
                     work("second", watched).within(10s).retries(static_cast<int>(random() % 2));
    execution run = start(net, {.on_error = on_error::collect});
    const int records = 1 + static_cast<int>(random() % 60), first = static_cast<int>(random() % 200);
    const int read = static_cast<int>(random() % 20);
    for (int i = 0; i < records; ++i) run.send(sent = first + i);
    if (random() % 2) run.close();
    int got = 0;
    if (read < records / 2)
      for (const record& r : run) {
        EXPECT_EQ(kind_of(r[sent]), good);
        if (++got >= read) break;
      }
    run.stop();
    try {
      run.wait();
    } catch (const run_error&) {
    }
    const run_report r = run.report();
    EXPECT_EQ(r.sent, r.results + r.failed + r.dropped) << round;
  }
  EXPECT_TRUE(watched.all_have_ended());
}

}  // namespace
}  // namespace weir
