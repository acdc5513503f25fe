#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include <weir/weir.hpp>
#include "runtime/process/descriptor.hpp"
#include "runtime/process/guardian.hpp"
#include "runtime/process/launch.hpp"
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/support/scratch_folder.hpp"

// A program may close its standard streams, and its file may be removed or replaced while it runs.
namespace weir::testing {
namespace {

// Old daemons close all three. The system then gives their numbers to the next files, and the box prints there.
TEST(a_program_without_standard_streams, gets_each_result_of_a_box_that_prints) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
        constexpr int records = 40;
        const network one = isolated(print());
        execution run = start(one >> one);
        for (int i = 0; i < records; ++i) run.send(n = i);
        run.close();
        int got = 0;
        for (const record& r : run) got += r[n] == got;
        ::_exit(got == records ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// A socket would have such a number until it is moved up, and a print of another thread would go to the worker behind
// it.
TEST(a_program_without_standard_streams, has_nothing_under_their_numbers_once_it_has_processes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
        const auto guard = detail::processes::guardian::of_process();
        ::_exit(::open("/dev/zero", O_RDONLY) > STDERR_FILENO ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(a_descriptor_of_weir, has_no_number_of_a_standard_stream) {
  const int before = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  const detail::processes::descriptor file(::dup(before));
  EXPECT_GT(file.get(), STDERR_FILENO);
  EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), -1) << "its first number is free again";
  ::dup2(before, STDIN_FILENO);
  ::close(before);
}

// An isolated box is one of the program that runs, also where another version has been installed over it.
TEST(the_running_program, has_a_link_for_a_name_once_its_name_stands_for_another_file_or_none) {
  const scratch_folder folder;
  const std::filesystem::path program = folder.path() / "program", link = folder.path() / "link";
  std::ofstream(program) << "one";
  std::filesystem::create_symlink(program, link);
  const detail::processes::own_program here(link);
  EXPECT_EQ(here.path(), program);
  std::ofstream(folder.at("other")) << "another";
  std::filesystem::rename(folder.at("other"), program);
  EXPECT_EQ(here.path(), link);
  std::filesystem::remove(program);
  EXPECT_EQ(here.path(), link);
}

}  // namespace
}  // namespace weir::testing
