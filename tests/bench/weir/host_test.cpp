#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <weir/process.hpp>
#include <weir/weir.hpp>
#include "runtime/snet/box_library.hpp"
#include "tests/bench/weir/command.hpp"
#include "tests/support/refusal.hpp"

// `weir host`: boxes of libraries in processes of the command, for programs that cannot host them.
namespace weir::testing {
namespace {

inline constexpr tag n{"n"}, half{"half"};

const std::string library = WEIR_SNET_LIBRARIES "/snet_crashing.so";

// The command is in PATH, or it is not.
class with_path {
 public:
  explicit with_path(const std::filesystem::path& folder) {
    setenv("PATH", (folder.string() + ":" + before_).c_str(), 1);
  }
  ~with_path() { setenv("PATH", before_.c_str(), 1); }
  with_path(const with_path&) = delete;

 private:
  const std::string before_ = std::getenv("PATH");
};

const std::filesystem::path folder_of_command = std::filesystem::path(WEIR_COMMAND).parent_path();

auto halve() {
  return box("halve", takes(n), gives(half), [](std::int64_t value) { return value / 2; });
}

// The halves of 8, 0 and 6, of which a library's box crashes at 0; and what failed.
std::string halves_by(const network& net) {
  execution run = start(ordered(net), {.on_error = on_error::collect});
  for (const int value : {8, 0, 6}) run.send(n = value);
  run.close();
  std::string all;
  for (const record& r : run) all += to_string(r);
  for (const failure& f : run.take_errors()) all += "; " + f.cause;
  return all;
}

TEST(a_host, runs_a_box_of_a_library_for_a_program_whose_main_calls_nothing) {
  const with_path path(folder_of_command);
  EXPECT_EQ(halves_by(isolated(halve(), library).serial()),
            "{<half>=4}{<half>=3}; the box threw \"the worker was ended by SIGABRT\"");
  registry boxes;
  detail::snet::add_library(boxes, library);
  EXPECT_EQ(halves_by(isolated(*boxes.find("halve"), library).serial()),
            "{<half>=4}{<half>=3}; the box threw \"the worker was ended by SIGABRT\"");
}

TEST(a_host, refuses_a_library_that_has_no_such_box_and_names_those_that_it_has) {
  const with_path path(folder_of_command);
  const auto other = box("other", takes(n), gives(half), [](std::int64_t value) { return value; });
  const std::string why = refusal<run_error>([&] { halves_by(isolated(other, library)); });
  EXPECT_NE(why.find("it has no box \"other\", but halve"), std::string::npos) << why;
}

TEST(a_host, says_why_it_cannot_load_its_library) {
  const with_path path(folder_of_command);
  const std::string why = refusal<run_error>([] { halves_by(isolated(halve(), "no.so")); });
  EXPECT_NE(why.find("ended with exit code 2; it said: \"weir: "), std::string::npos) << why;
  EXPECT_NE(why.find("no.so: cannot open shared object file"), std::string::npos) << why;
}

TEST(a_host, that_is_not_in_path_is_an_error_when_the_run_starts) {
  const scratch_folder empty;
  const std::string before = std::getenv("PATH");
  setenv("PATH", empty.path().c_str(), 1);
  std::optional<std::string> said;
  try {
    start(isolated(halve(), library));
  } catch (const std::system_error& e) {
    said = e.what();
  }
  setenv("PATH", before.c_str(), 1);
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("there is no program \"weir\" in PATH=" + empty.path().string()), said->npos) << *said;
}

TEST(a_host, is_of_one_box_and_of_a_library_with_a_name) {
  EXPECT_EQ(refusal<type_error>([] { isolated(halve(), ""); }),
            "box halve: isolated() with a library without a name, expected its path");
  EXPECT_EQ(refusal<type_error>([] { isolated(halve() | bypass(), library); }),
            "isolated() of the network halve | [], expected a box");
}

TEST(the_command_host, is_no_use_by_itself_and_says_what_it_is_for_and_what_starts_it) {
  const outcome o = run_weir("host " + library);
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.err.find("weir: weir host runs boxes of libraries in a process of another program's"), 0u) << o.err;
  for (const char* const start : {"isolated(box, \"LIBRARY\")", "worker(name, ", "\"isolated\": true"})
    EXPECT_NE(o.err.find(start), std::string::npos) << o.err;
  EXPECT_EQ(run_weir("host").code, 2);
}

}  // namespace
}  // namespace weir::testing
