#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Unusual ends of threads and processes. endings_program.cpp does each in a process of its own. It must end with the
// requested code, not by a signal, and within its time.
namespace weir::testing {
namespace {

struct ending {
  std::string said;  // on stdout and stderr
  int status = 0;
};

ending of(const std::string& which) {
  std::FILE* const pipe = ::popen((std::string(WEIR_ENDINGS_PROGRAM) + " '" + which + "' 2>&1").c_str(), "r");
  ending e;
  char part[4096];
  for (std::size_t got; (got = std::fread(part, 1, sizeof part, pipe)) > 0;) e.said.append(part, got);
  e.status = ::pclose(pipe);
  return e;
}

void expect(const std::string& which, int code, const std::string& said) {
  const ending e = of(which);
  EXPECT_TRUE(WIFEXITED(e.status)) << which << ": signal " << WTERMSIG(e.status) << "\n" << e.said;
  if (WIFEXITED(e.status)) {
    EXPECT_EQ(WEXITSTATUS(e.status), code) << which << "\n" << e.said;
  }
  EXPECT_EQ(e.said, said) << which;
}

std::string times(int count, const std::string& line) {
  std::string all;
  for (int i = 0; i < count; ++i) all += line;
  return all;
}

TEST(endings, of_the_process_in_user_code_keep_their_exit_code) {
  for (const char* where :
       {"exit in a box", "exit in a box of a global run", "exit in a box that emits, beside a global run",
        "exit in an observer", "exit in a predictor", "exit in a predictor that the sender calls",
        "exit in a box that the sender runs", "exit in a callback"})
    expect(where, 7, "");
}

TEST(endings, of_the_process_while_runs_go_on_keep_their_exit_code) {
  for (const char* where : {"exit in main, threads use the run", "exit in main, with a global run"})
    expect(where, 7, "");
}

// After three seconds each, in which most processes have ended.
TEST(endings, of_the_process_wait_for_no_thread_that_waits_for_a_run) {
  const std::array<std::pair<const char*, const char*>, 4> cases{
      {{"a thread that sends", "it threw, and ended\n"},
       {"a thread that reads", "ended\n"},
       {"a thread that starts runs", "ended\n"},
       {"a run whose thread is kept", ""}}};  // what would start a run at that thread's end is left as it is
  std::vector<std::jthread> all;              // they only wait
  for (const auto& [joins, said] : cases)
    all.emplace_back([joins, said] { expect(std::string("exit in main, which joins ") + joins, 7, said); });
}

TEST(endings, of_a_thread_in_user_code_end_the_record) {
  const std::string left = " called pthread_exit, or was cancelled; the thread is the run's, and goes on\n";
  expect("pthread_exit in a box", 0, "9 results\nbox threw: the box" + left);
  expect("pthread_exit in one of several boxes", 0, "9 results\nbox threw: the box" + left);
  expect("pthread_exit in a box that emits", 0, "9 results\nbox threw: the box" + left);
  expect("pthread_exit in an observer", 0, "9 results\nbox threw: the observer" + left);
  expect("pthread_exit in a predictor", 0, "9 results\nbox threw: its predictor" + left);
  expect("pthread_exit each time", 0, "0 results\n" + times(10, "box threw: the box" + left));
}

TEST(endings, of_a_thread_that_is_cancelled_do_not_come) {
  expect("pthread_cancel in a box", 0, "10 results\n");
  expect("pthread_cancel in a box, and a second run", 0, times(2, "10 results\n"));
}

TEST(endings, of_a_thread_in_a_size_function_are_noted) {
  const ending e = of("pthread_exit in a size function");
  EXPECT_EQ(e.status, 0) << e.said;
  EXPECT_NE(e.said.find("10 results\noptions.record_bytes called pthread_exit"), std::string::npos) << e.said;
}

TEST(endings, of_records_by_exceptions_whose_what_is_null_have_a_cause) {
  const std::string null = "an exception whose what() is null\n";
  expect("what is null", 0, "0 results\n" + times(10, "box threw: the box threw " + null));
  expect("what is null, of a type_error", 0, "0 results\n" + times(10, "undeclared emit: " + null));
  expect("what is null, of a bad_alloc", 0, "0 results\n" + times(10, "out of memory: the box threw " + null));
  expect("what is null, in an observer", 0, "0 results\n" + times(10, "box threw: the observer threw " + null));
  const ending e = of("what is null, in a size function");
  EXPECT_EQ(e.status, 0) << e.said;
  EXPECT_NE(e.said.find("10 results\noptions.record_bytes threw an exception whose what() is null: "),
            std::string::npos)
      << e.said;
}

TEST(endings, of_main_and_of_threads_leave_weir_in_working_order) {
  const std::string used = ": {text=xxx, <n>=2}, 10 results\n";
  expect("used by the destructor of a static", 0, "main" + used + "static" + used);
  expect("used in an exit handler", 0, "main" + used + "exit handler" + used);
  expect("used by destructors of thread_local objects", 0,
         "in it" + used + "thread" + used + "main" + used + "main thread" + used);
  expect("used by the destructor of a key", 0, "in it" + used + times(4, "key" + used));
  expect("used by the destructor of a static, by a thread that has ended", 0, "main" + used + "static" + used);
}

TEST(endings, of_main_take_the_logger_along_and_no_caller_of_it) {
  const ending e = of("logged by the destructor of a static");
  EXPECT_EQ(e.status, 0) << e.said;
}

TEST(endings, of_a_child_process_are_clear) {
  const std::string refused =
      "start: this process was made by fork() from one that had runs, whose threads are not here; start the first run "
      "after fork(), or call exec\nchild: code 0\n";
  expect("fork while a run goes on", 0, refused + "child: code 3\nchild: code 0\nchild: code 0\n500 results\n");
  expect("fork after the last run", 0, "10 results\n" + refused);
  expect("fork before the first run", 0, "10 results\nchild: code 0\n");
  expect("fork with a global run", 7, "child: code 3\n");
  std::string in_child = refused;
  for (const char* call : {"send", "wait", "iteration"}) {
    in_child.replace(0, in_child.find(':'), call);
    expect(std::string("fork, and ") + call + " in the child", 0, in_child);
  }
}

}  // namespace
}  // namespace weir::testing
