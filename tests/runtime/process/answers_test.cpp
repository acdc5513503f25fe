#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>
#include "tests/runtime/process/error_pipe.hpp"
#include "tests/runtime/process/python.hpp"
#include "tests/runtime/process/watched_processes.hpp"
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/runtime/process/worker_runs.hpp"

// Answers of workers, and the calls that they are taken for. The worker speaks the protocol by hand.
namespace weir::testing {
namespace {

// This process's error stream, a pipe without room until it is emptied.
class full_error_stream {
 public:
  full_error_stream() {
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    for (const std::array<char, 4096> some{}; ::write(STDERR_FILENO, some.data(), some.size()) > 0;) {
    }
    fcntl(STDERR_FILENO, F_SETFL, 0);
  }

  void empty() const {
    fcntl(pipe_.read_end(), F_SETFL, O_NONBLOCK);
    for (std::array<char, 4096> some; ::read(pipe_.read_end(), some.data(), some.size()) > 0;) {
    }
  }

 private:
  const error_pipe pipe_;
};

class answers : public leaves_no_child {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    if (!has_python()) GTEST_SKIP() << "there is no Python 3.9";
  }

  static worker_network<tag, field<std::string>> add(std::vector<std::string> how) {
    std::vector<std::string> arguments{"python3", WEIR_WORKER_BY_HAND};
    arguments.insert(arguments.end(), how.begin(), how.end());
    return worker("add", takes(n, text), gives(n, text), arguments).serial();
  }

  // The results for these numbers, each with a text of this size.
  static outcome sums(const network& net, const std::vector<std::int64_t>& inputs, std::size_t size = 3) {
    outcome made;
    execution run = start(ordered(net), keeping_on());
    for (const std::int64_t i : inputs) run.send(n = i, text = std::string(size, 'x'));
    run.close();
    for (const record& r : run) made.records.push_back(std::to_string(r[n]));
    made.failures = run.errors();
    return made;
  }
};

TEST_F(answers, a_worker_of_the_protocol_alone_is_a_worker) {
  const outcome made = sums(add({"once"}), {1, 2, 3});
  EXPECT_EQ(made.records, (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_TRUE(made.failures.empty());
}

// The second answer comes with the first, or after it; in either case before that to the next call.
TEST_F(answers, a_second_answer_is_never_that_of_the_next_call_whose_record_fails_and_says_so) {
  for (const char* const how : {"twice", "an error late"}) {
    const outcome made = sums(add({how}), {10, 20, 30, 40, 50});
    EXPECT_EQ(made.records, (std::vector<std::string>{"11", "31", "51"})) << how;
    ASSERT_EQ(made.failures.size(), 2u) << how;
    for (const failure& f : made.failures) {
      EXPECT_EQ(f.entity, "add");
      EXPECT_TRUE(has(f.cause, "it answered call 1 a second time, and was to answer call 2")) << f.cause;
    }
  }
}

TEST_F(answers, a_result_behind_the_end_of_its_call_is_not_one_of_the_next_call) {
  const outcome made = sums(add({"a result late"}), {10, 20});
  EXPECT_TRUE(made.records.empty());
  ASSERT_EQ(made.failures.size(), 1u);
  EXPECT_TRUE(has(made.failures[0].cause, "call 1 a second time")) << made.failures[0].cause;
}

TEST_F(answers, a_second_answer_is_an_error_also_where_records_are_tried_again) {
  const outcome made = sums(add({"twice"}).retries(3), {10, 20, 30, 40});
  EXPECT_EQ(made.records, (std::vector<std::string>{"11", "31"}));
  EXPECT_EQ(made.failures.size(), 2u);
}

TEST_F(answers, an_answer_with_another_number_or_none_ends_the_worker_and_its_record) {
  for (const auto& [how, told] : {std::pair("the next", "it answered call 2, and was to answer call 1"),
                                  std::pair("no number", "\"call\""), std::pair("a text", "call")}) {
    const outcome made = sums(add({how}), {10, 20});
    EXPECT_TRUE(made.records.empty()) << how;
    ASSERT_EQ(made.failures.size(), 2u) << how;
    for (const failure& f : made.failures)
      EXPECT_TRUE(has(f.cause, "does not keep to the protocol") && has(f.cause, told)) << f.cause;
  }
}

// The thread of the lane has read the text, and waits for room in its own error stream.
TEST_F(answers, a_worker_that_answers_and_ends_while_its_text_is_passed_on_has_answered) {
  const fifo_pair told;
  const full_error_stream stream;
  std::jthread emptying([&] {
    pid_t worker = 0;
    std::ifstream(told.path()) >> worker;
    siginfo_t ended;
    waitid(P_PID, static_cast<id_t>(worker), &ended, WEXITED | WNOWAIT);
    stream.empty();
  });
  const outcome made = sums(add({"ends once its text is read", told.path()}), {1});
  EXPECT_EQ(made.records, (std::vector<std::string>{"2"}));
  for (const failure& f : made.failures) ADD_FAILURE() << f.cause;
}

// The other side never waits long for the next bytes, and all together would take minutes.
TEST_F(answers, that_come_drop_by_drop_or_without_end_and_calls_that_are_read_so_end_in_time) {
  for (const auto& [how, size] :
       {std::pair("drop by drop", 3), std::pair("without end", 3), std::pair("reads drop by drop", 8 << 20)}) {
    const outcome made = sums(add({how, "--no-files"}).within(std::chrono::milliseconds(300)), {10}, size);
    ASSERT_EQ(made.failures.size(), 1u) << how;
    EXPECT_EQ(made.failures[0].kind, failure_kind::timed_out) << how << ": " << made.failures[0].cause;
  }
}

TEST_F(answers, that_come_drop_by_drop_end_with_their_run) {
  execution run = start(add({"drop by drop"}), keeping_on());
  run.send(n = 10, text = std::string("xxx"));
  EXPECT_EQ((*run.begin())[n], 11);
  run.stop();
  run.wait();
}

// It waits for room to send its second answer, and this side for room to send the next call.
TEST_F(answers, a_second_answer_that_no_socket_holds_and_a_call_that_none_holds_end_the_worker) {
  constexpr std::size_t more_than_a_socket_holds = 3 << 20;
  const outcome made = sums(add({"twice", "--no-files"}), {10, 20, 30}, more_than_a_socket_holds);
  EXPECT_EQ(made.records, (std::vector<std::string>{"11", "31"}));
  ASSERT_EQ(made.failures.size(), 1u);
  EXPECT_TRUE(has(made.failures[0].cause, "before it had read the call")) << made.failures[0].cause;
}

}  // namespace
}  // namespace weir::testing
