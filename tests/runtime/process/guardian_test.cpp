#include "runtime/process/guardian.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "tests/runtime/process/watched_processes.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::detail::processes {
namespace {

using testing::scratch_folder;
using testing::watched_processes;

// A child that has ended, and left a process in a session of its own.
void leave_a_daemon(guardian& guard, watched_processes& watched) {
  launch how{.arguments = {"sh", "-c", "setsid sh -c 'echo started > $0; exec cat $1' $0 $1 &", watched.told(),
                           watched.path()}};
  guard.mark(how);
  child c = child::start(how);
  watched.wait_for_one();
  EXPECT_EQ(c.wait()->code, 0);
}

TEST(a_guardian, kills_what_left_the_group_of_its_child_and_removes_its_files) {
  watched_processes watched;
  std::filesystem::path folder;
  {
    const auto guard = guardian::of_process();
    EXPECT_EQ(guardian::of_process(), guard);
    folder = guard->new_folder();
    std::ofstream(folder / "file") << "content";
    leave_a_daemon(*guard, watched);
  }
  EXPECT_TRUE(watched.all_have_ended());
  EXPECT_FALSE(std::filesystem::exists(folder.parent_path()));
}

TEST(a_guardian, ends_while_a_copy_of_its_program_lives) {
  auto guard = guardian::of_process();
  const pid_t copy = fork();
  if (copy == 0)
    for (;;) pause();
  watched_processes watched;
  leave_a_daemon(*guard, watched);
  guard.reset();
  EXPECT_TRUE(watched.all_have_ended());
  kill(copy, SIGKILL);
  waitpid(copy, nullptr, 0);
}

// The programs of the system are found also where PATH has none of them.
TEST(a_guardian, kills_what_is_left_in_a_program_without_a_usable_path) {
  const char* const set = std::getenv("PATH");
  const std::string before = set ? set : "/usr/bin:/bin";
  watched_processes watched;
  setenv("PATH", "/no/such/folder", 1);
  auto guard = guardian::of_process();
  setenv("PATH", before.c_str(), 1);
  leave_a_daemon(*guard, watched);
  guard.reset();
  EXPECT_TRUE(watched.all_have_ended());
}

// A program that says what this script says in place of the one of its name that the guardian calls.
void put_program(const scratch_folder& into, const std::string& name, const std::string& script) {
  std::ofstream(into.at(name)) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(into.at(name), std::filesystem::perms::owner_all);
}

// While a process loads its program the system gives neither its variables nor its arguments, and a busy machine may
// leave it there for long. Here this test stands for that process until the guardian waits for it.
TEST(a_guardian, kills_a_process_that_loads_its_program_while_it_looks) {
  const scratch_folder programs;
  const std::string is_loaded = programs.at("is_loaded"), find = "PATH=/usr/bin:/bin exec grep \"$@\"\n";
  put_program(programs, "grep",
              "[ -e " + is_loaded + " ] && " + find + "case $1 in -L*) echo /proc/" + std::to_string(getpid()) +
                  "/cmdline;; esac\n");
  put_program(programs, "sleep", ": > " + is_loaded + "\n");
  const std::string before = std::getenv("PATH");
  watched_processes watched;
  setenv("PATH", (programs.path().string() + ':' + before).c_str(), 1);
  auto guard = guardian::of_process();
  setenv("PATH", before.c_str(), 1);
  leave_a_daemon(*guard, watched);
  guard.reset();
  EXPECT_TRUE(std::filesystem::exists(is_loaded));
  EXPECT_TRUE(watched.all_have_ended());
}

// The number of its socket is that of the next file that the program opens.
TEST(a_guardian, that_cannot_be_started_leaves_the_files_of_copies_alone) {
  setenv("WEIR_TEST_LARGE", std::string(std::size_t{1} << 20, 'x').c_str(), 1);  // more than the system takes
  EXPECT_THROW(guardian::of_process(), std::system_error);
  unsetenv("WEIR_TEST_LARGE");
  std::array<int, 2> ends;
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t copy = fork();
  if (copy == 0) _exit(static_cast<int>(write(ends[1], "x", 1)));
  close(ends[1]);
  char told = 0;
  EXPECT_EQ(read(ends[0], &told, 1), 1) << "what the copy wrote went elsewhere";
  close(ends[0]);
  waitpid(copy, nullptr, 0);
}

// A cleaner removes old temporary files, while a program runs for weeks.
TEST(a_guardian, makes_its_folder_again_where_that_was_removed) {
  const auto guard = guardian::of_process();
  const std::filesystem::path whole = guard->new_folder().parent_path();
  std::filesystem::remove_all(whole);
  EXPECT_TRUE(std::filesystem::is_directory(guard->new_folder()));
  std::filesystem::remove_all(whole);
  std::ofstream(guard->new_file(".txt")) << "content";
  EXPECT_FALSE(std::filesystem::is_empty(whole));
  EXPECT_EQ(std::filesystem::status(whole).permissions(), std::filesystem::perms::owner_all);
}

TEST(a_guardian, takes_no_link_or_file_in_place_of_its_folder) {
  const scratch_folder others;
  const auto guard = guardian::of_process();
  const std::filesystem::path whole = guard->new_folder().parent_path();
  std::filesystem::remove_all(whole);
  std::filesystem::create_directory_symlink(others.path(), whole);
  const std::string why = testing::refusal<std::system_error>([&] { guard->new_file(""); });
  EXPECT_NE(why.find("the folder " + whole.string() + " cannot be made: File exists"), std::string::npos) << why;
  std::filesystem::remove(whole);
}

TEST(a_guardian, gives_folders_and_files_that_no_other_has) {
  const auto guard = guardian::of_process();
  const auto one = guard->new_folder(), another = guard->new_folder();
  EXPECT_NE(one, another);
  EXPECT_EQ(std::filesystem::status(one).permissions(), std::filesystem::perms::owner_all);
  EXPECT_EQ(guard->new_file(".png").extension(), ".png");
}

TEST(a_program, that_is_killed_leaves_no_process_and_no_file_of_its_commands) {
  watched_processes watched;
  const scratch_folder folder;
  launch how{.arguments = {WEIR_PROCESS_PARENT, watched.path(), watched.told()}};
  how.environment = {{"TMPDIR", folder.path()}};
  child program = child::start(how);
  watched.wait_for_one();
  EXPECT_FALSE(folder.is_empty());
  kill(program.pid(), SIGKILL);  // not its group: the processes of its commands are in others
  EXPECT_EQ(program.wait()->signal, SIGKILL);
  EXPECT_TRUE(watched.all_have_ended());
  EXPECT_TRUE(testing::eventually([&] { return folder.is_empty(); }));
}

TEST(a_program, that_is_killed_leaves_no_process_while_a_copy_of_it_lives) {
  watched_processes watched;
  std::array<int, 2> copies;
  ASSERT_EQ(pipe2(copies.data(), O_CLOEXEC), 0);
  const pid_t program = fork();
  if (program == 0) {
    constexpr int told = 3;
    dup2(copies[1], told);
    close_range(told + 1, ~0u, 0);  // of this test
    const auto guard = guardian::of_process();
    launch how{.arguments = {"sh", "-c", "setsid sh -c 'echo started > $0; exec cat $1' $0 $1 &", watched.told(),
                             watched.path()}};
    guard->mark(how);
    child c = child::start(how);
    const pid_t copy = fork();
    if (copy != 0 && write(told, &copy, sizeof(copy)) != sizeof(copy)) _exit(1);
    for (;;) pause();
  }
  pid_t copy = 0;
  ASSERT_EQ(read(copies[0], &copy, sizeof(copy)), static_cast<ssize_t>(sizeof(copy)));
  watched.wait_for_one();
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(watched.all_have_ended());
  EXPECT_EQ(kill(copy, SIGKILL), 0) << "the copy lives until here";
  for (const int end : copies) close(end);
}

TEST(a_program, that_ends_by_a_signal_leaves_no_process_of_its_commands) {
  watched_processes watched;
  launch how{.arguments = {WEIR_PROCESS_PARENT, watched.path(), watched.told()}};
  child program = child::start(how);
  watched.wait_for_one();
  kill(program.pid(), SIGTERM);
  EXPECT_EQ(program.wait()->signal, SIGTERM);
  EXPECT_TRUE(watched.all_have_ended());
}

}  // namespace
}  // namespace weir::detail::processes
