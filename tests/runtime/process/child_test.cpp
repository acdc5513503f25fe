#include "runtime/process/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/runtime/process/open_descriptors.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

int signals_to_all_processes = 0;

}  // namespace

// In place of the C library's: a signal to number -1 is for all processes of the user.
extern "C" int kill(pid_t to, int signal) noexcept {
  if (to == -1) return ++signals_to_all_processes, 0;
  return static_cast<int>(syscall(SYS_kill, to, signal));
}

namespace weir::detail::processes {
namespace {

using namespace std::chrono_literals;
using weir::testing::scratch_folder;

struct pipe_pair {
  pipe_pair() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    out = descriptor(ends[0]);
    in = descriptor(ends[1]);
  }
  // All that was written, once there is no writer any more.
  std::string text() {
    in.close();
    std::string all;
    char some[4096];
    for (ssize_t n; (n = read(out.get(), some, sizeof(some))) > 0;) all.append(some, static_cast<std::size_t>(n));
    return all;
  }
  descriptor out, in;
};

launch shell(const std::string& script) { return {.arguments = {"sh", "-c", script}}; }

std::string printed_by(launch how) {
  pipe_pair p;
  how.output = p.in.get();
  child c = child::start(how);
  std::string text = p.text();
  EXPECT_EQ(c.wait()->code, 0) << text;
  return text;
}

// A pipe that the child has as descriptor 9, and hands on to its own children: it ends when all of them have ended.
struct watched : pipe_pair {
  launch with(launch how) const {
    how.passed.emplace_back(in.get(), 9);
    return how;
  }
  bool all_have_ended() { return text().empty(); }
};

std::string refusal(const launch& how) {
  return weir::testing::refusal<std::system_error>([&] { child::start(how); });
}

TEST(a_child, ends_with_its_exit_code_or_its_signal) {
  EXPECT_EQ(child::start(shell("exit 7")).wait()->code, 7);
  const ending e = *child::start(shell("kill -SEGV $$")).wait();
  EXPECT_EQ(e.signal, SIGSEGV);
  EXPECT_EQ(e.code, 0);
}

// By this process's steady clock, whenever the thread that started it goes on.
TEST(a_child, knows_when_its_program_began) {
  const auto before = child::clock::now();
  child running = child::start(shell("true"));
  EXPECT_GT(running.started(), before);
  EXPECT_LT(running.started(), child::clock::now());
  running.wait();
}

TEST(a_child, has_used_the_time_of_a_core_and_memory_as_the_system_counts_them) {
  const ending e =
      *child::start(shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; dd if=/dev/zero of=/dev/null "
                          "bs=512M count=1 2>/dev/null"))
           .wait();
  EXPECT_GT(e.cpu_seconds, 0.01);
  EXPECT_GT(e.peak_bytes, 512u << 20);
  EXPECT_LT(e.peak_bytes, 600u << 20);
}

TEST(a_child, is_not_counted_with_the_memory_of_its_parent) {
  std::vector<char> large(256u << 20, 1);
  const ending e = *child::start(shell("exit 0")).wait();
  EXPECT_LT(e.peak_bytes, 64u << 20);
  EXPECT_EQ(large.back(), 1);
}

TEST(a_child, is_refused_with_the_path_that_was_searched) {
  const std::string text = refusal({.arguments = {"no-such-program"}});
  EXPECT_NE(text.find("there is no program \"no-such-program\" in PATH=" + std::string(getenv("PATH"))), text.npos)
      << text;
  const scratch_folder folder;
  const descriptor plain(open(folder.at("plain").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  EXPECT_EQ(refusal({.arguments = {folder.at("plain")}}),
            "the program \"" + folder.at("plain") + "\" does not run: Permission denied");
  EXPECT_EQ(refusal({.arguments = {folder.path()}}),
            "the program \"" + folder.path().string() + "\" does not run: Is a directory");
  EXPECT_EQ(refusal({.arguments = {""}}), "the name of the program is empty: No such file or directory");
}

TEST(a_child, is_refused_with_the_step_that_failed) {
  launch how = shell("exit 0");
  how.folder = "/nowhere";
  const std::string text = refusal(how);
  EXPECT_NE(text.find("cannot start \"sh\" ("), text.npos) << text;
  EXPECT_NE(text.find("for its folder: No such file or directory"), text.npos) << text;
  const scratch_folder folder;
  {
    const descriptor odd(open(folder.at("odd").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0700));
    ASSERT_EQ(write(odd.get(), "odd\n", 4), 4);
  }
  EXPECT_EQ(refusal({.arguments = {folder.at("odd")}}),
            "cannot start \"" + folder.at("odd") +
                "\": it is no program, nor a script that begins with #!: Exec format error");
  std::ofstream(folder.at("odd")) << "#!/no/such/interpreter\n";
  EXPECT_NE(refusal({.arguments = {folder.at("odd")}}).find("the program of its first line, #!, or the loader"),
            std::string::npos);
}

TEST(a_child, that_gets_no_descriptor_is_one_error) {
  const launch how = {.arguments = {"sh", "-c", "exit 0"}, .program = find_program("sh")};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string text = refusal(how);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NE(text.find("as many files are open as `ulimit -n` or the system allows"), text.npos) << text;
}

// In a copy of this process, of a user without privileges, whom the limit holds for.
TEST(a_child, that_is_one_process_too_many_is_one_error) {
  const launch how = {.arguments = {"sh", "-c", "exit 0"}, .program = find_program("sh")};
  pipe_pair p;
  const pid_t copy = fork();
  ASSERT_GE(copy, 0);
  if (copy == 0) {
    const rlimit none{0, 0};
    std::string text = "the copy has no other user or no limit";
    if ((geteuid() != 0 || setuid(65534) == 0) && setrlimit(RLIMIT_NPROC, &none) == 0) text = refusal(how);
    _exit(write(p.in.get(), text.data(), text.size()) < 0);
  }
  const std::string text = p.text();
  ASSERT_EQ(waitpid(copy, nullptr, 0), copy);
  EXPECT_NE(text.find("as many processes exist as `ulimit -u` or the control group allows"), text.npos) << text;
}

TEST(a_child, has_its_streams_and_no_other_descriptor) {
  const descriptor open_here(open("/dev/null", O_RDONLY));  // would be inherited
  EXPECT_EQ(printed_by(shell("ls /proc/$$/fd; :")), "0\n1\n2\n");
  EXPECT_EQ(printed_by(shell("readlink /proc/$$/fd/0 /proc/$$/fd/2")), "/dev/null\n/dev/null\n");
}

TEST(a_child, has_the_descriptors_that_are_passed_under_their_numbers) {
  const scratch_folder folder;
  const auto file = [&](const char* text) {
    descriptor d(open(folder.at(text).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    EXPECT_GT(write(d.get(), text, strlen(text)), 0);
    EXPECT_EQ(lseek(d.get(), 0, SEEK_SET), 0);
    return d;
  };
  const descriptor one = file("one"), two = file("two");
  launch how = shell("cat <&" + std::to_string(two.get()) + "; cat <&" + std::to_string(one.get()));
  how.passed = {{one.get(), two.get()}, {two.get(), one.get()}};  // each under the other's number
  EXPECT_EQ(printed_by(how), "onetwo");
  how = shell("cat; cat <&3");
  how.input = one.get();
  how.passed = {{two.get(), 3}};
  lseek(one.get(), 0, SEEK_SET);
  lseek(two.get(), 0, SEEK_SET);
  EXPECT_EQ(printed_by(how), "onetwo");
}

TEST(a_child, gets_variables_over_those_of_its_parent) {
  setenv("WEIR_TEST_KEPT", "kept", 1);
  setenv("WEIR_TEST_SET", "before", 1);
  launch how = shell("echo $WEIR_TEST_KEPT $WEIR_TEST_SET $OMP_NUM_THREADS $WEIR_CORES; env | grep -c WEIR_TEST_SET");
  how.environment = variables_for(grant(3, {}));
  how.environment.emplace_back("WEIR_TEST_SET", "a=b");
  EXPECT_EQ(printed_by(how), "kept a=b 3 3\n1\n");
}

TEST(a_child, is_bound_to_its_cores_before_it_runs) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof(own), &own), 0);
  int last = 0;
  for (int c = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &own)) last = c;
  launch how = shell("grep Cpus_allowed_list /proc/self/status");
  how.cpus = {last};
  EXPECT_EQ(printed_by(how), "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
}

TEST(a_child, works_in_its_folder) {
  const scratch_folder folder;
  launch how = shell("pwd -P");
  how.folder = folder.path();
  EXPECT_EQ(printed_by(how), std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(a_child, does_not_inherit_what_its_parent_does_with_signals) {
  sigset_t terminate, before;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &terminate, &before);
  const auto ignored = signal(SIGPIPE, SIG_IGN), too_large = signal(SIGXFSZ, SIG_IGN);
  EXPECT_EQ(child::start(shell("kill -TERM $$; exit 1")).wait()->signal, SIGTERM);
  EXPECT_EQ(child::start(shell("kill -PIPE $$; exit 1")).wait()->signal, SIGPIPE);
  EXPECT_EQ(child::start(shell("kill -XFSZ $$; exit 1")).wait()->signal, SIGXFSZ);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &before, &now);
  EXPECT_EQ(sigismember(&now, SIGTERM), 1);  // of this thread they are as before
  signal(SIGPIPE, ignored);
  signal(SIGXFSZ, too_large);
}

TEST(a_child, cannot_map_more_memory_than_its_bound) {
  launch how = {.arguments = {"dd", "if=/dev/zero", "of=/dev/null", "bs=512M", "count=1"}};
  how.memory = 64u << 20;
  EXPECT_EQ(child::start(how).wait()->code, 1);
  how.memory = std::uint64_t{1} << 30;
  EXPECT_EQ(child::start(how).wait()->code, 0);
}

// Waits for a writer of a pipe that has none but this test.
struct blocked_child {
  pipe_pair never_written;
  watched group;
  child running;
  explicit blocked_child(const std::string& script) : running(child::start(how(script))) { group.in.close(); }
  launch how(const std::string& script) const {
    launch l = group.with(shell(script));
    l.input = never_written.out.get();
    return l;
  }
};

TEST(a_child, is_waited_for_until_the_deadline_or_a_stop_and_runs_on) {
  blocked_child b("cat; exit 3");
  EXPECT_FALSE(b.running.wait(child::clock::now()).has_value());
  EXPECT_FALSE(b.running.wait(child::clock::now() + 20ms).has_value());
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_FALSE(b.running.wait(child::never, source.get_token()).has_value());
  b.never_written.in.close();
  EXPECT_EQ(b.running.wait()->code, 3);
  EXPECT_EQ(b.running.wait()->code, 3);  // and says so again
}

TEST(a_child, that_is_ended_gets_a_signal_that_it_can_act_on) {
  pipe_pair ready;
  watched group;
  launch how = group.with(shell("trap 'exit 5' TERM; echo ready; while :; do :; done"));
  how.output = ready.in.get();
  child c = child::start(how);
  char first;
  ASSERT_EQ(read(ready.out.get(), &first, 1), 1);
  EXPECT_EQ(c.end().code, 5);
  EXPECT_TRUE(group.all_have_ended());
}

TEST(a_child, that_does_not_act_on_a_signal_is_killed) {
  pipe_pair ready;
  watched group;
  launch how = group.with(shell("trap '' TERM; echo ready; cat; cat <&9"));
  pipe_pair never_written;
  how.input = never_written.out.get();
  how.output = ready.in.get();
  child c = child::start(how);
  char first;
  ASSERT_EQ(read(ready.out.get(), &first, 1), 1);
  EXPECT_EQ(c.end().signal, SIGKILL);
  EXPECT_TRUE(group.all_have_ended());
}

TEST(a_child, that_is_destroyed_ends_with_its_own_children) {
  watched group;
  pipe_pair never_written;
  launch how = group.with(shell("cat <&0 & cat <&0 & wait"));
  how.input = never_written.out.get();
  { const child c = child::start(how); }
  EXPECT_TRUE(group.all_have_ended());
}

TEST(a_child, that_ends_leaves_none_of_its_own_children) {
  watched group;
  pipe_pair never_written;
  launch how = group.with(shell("cat <&0 & exit 0"));
  how.input = never_written.out.get();
  child c = child::start(how);
  EXPECT_EQ(c.wait()->code, 0);
  EXPECT_TRUE(group.all_have_ended());
}

TEST(a_child, ends_with_the_thread_that_started_it) {
  watched group;
  pipe_pair never_written;
  launch how = group.with(shell("exec cat"));
  how.input = never_written.out.get();
  std::optional<child> c;
  std::thread([&] { c.emplace(child::start(how)); }).join();
  EXPECT_EQ(c->wait()->signal, SIGKILL);
  EXPECT_TRUE(group.all_have_ended());
}

TEST(a_child, whose_end_the_system_does_not_keep_is_an_error_with_the_remedy) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  child c = child::start(shell("exit 0"));
  const std::string why = weir::testing::refusal<std::system_error>([&] { c.wait(); });
  EXPECT_NE(why.find("ignores SIGCHLD"), std::string::npos) << why;
  EXPECT_THROW(c.end(), std::system_error);
  EXPECT_EQ(signals_to_all_processes, 0);
  signal(SIGCHLD, before);
}

TEST(children, leave_neither_descriptors_nor_processes) {
  const int descriptors = testing::open_descriptors();
  const int times = weir::testing::sanitized ? 200 : 2000;
  const launch how = {.arguments = {"true"}, .program = find_program("true")};
  for (int i = 0; i < times; ++i) {
    child c = child::start(how);
    if (i % 3 == 0) continue;  // it is destroyed while it runs
    EXPECT_EQ(c.wait()->code, 0);
  }
  EXPECT_EQ(testing::open_descriptors(), descriptors);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // this process has no child
}

TEST(children, are_started_by_several_threads_with_no_descriptor_of_each_other) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(printed_by(shell("ls /proc/$$/fd; :")), "0\n1\n2\n");
    });
}

}  // namespace
}  // namespace weir::detail::processes
