#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/process.hpp>
#include <weir/weir.hpp>
#include "tests/runtime/process/marked_processes.hpp"
#include "tests/runtime/process/open_descriptors.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/scratch_folder.hpp"

// Programs that do what no author intends: each costs its record, with one error that says why, and leaves nothing.
namespace weir::testing {
namespace {

using namespace std::chrono_literals;

constexpr tag n{"n"};
constexpr field<std::string> text{"text"}, back{"back"};
constexpr field<scratch_file> file{"file"};
constexpr auto bound = sanitized ? 1000ms : 300ms;

class odd_programs : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    descriptors_ = open_descriptors();
  }
  void TearDown() override {
    EXPECT_TRUE(are_no_more_open(descriptors_)) << open_descriptors() << " in place of " << descriptors_;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_TRUE(eventually([] { return marked_by(getpid()).empty(); })) << "a process is left";
    gives_all_back::TearDown();
  }

 private:
  int descriptors_ = 0;
};

// The errors and results of a run of the network.
std::vector<std::string> outcomes(const network& net, const record& input = record{n = 1}, int records = 1) {
  std::vector<std::string> all;
  try {
    execution run = start(net, {.on_error = on_error::collect});
    for (int i = 0; i < records; ++i) run.send(input);
    run.close();
    for (const record& r : run) all.push_back(to_string(r));
    for (const failure& f : run.errors()) all.push_back(to_string(f.kind) + ": " + f.cause);
  } catch (const std::exception& e) {
    all.push_back(e.what());
  }
  return all;
}
void expect_only(const std::vector<std::string>& outcomes, const std::string& part) {
  ASSERT_EQ(outcomes.size(), 1u) << ::testing::PrintToString(outcomes);
  EXPECT_NE(outcomes[0].find(part), std::string::npos) << outcomes[0];
}

const std::string took_too_long =
    sanitized ? "timed out: the process was ended after 1 s" : "timed out: the process was ended after 300 ms";

TEST_F(odd_programs, as_commands_end_in_time_however_they_hang) {
  for (const char* script :
       {"kill -STOP $$; echo 1",                                         // stops itself
        "trap '' TERM HUP INT; while :; do sleep 5; done",               // is stubborn
        "setsid sleep 1000 & setsid -w sleep 1000",                      // in other sessions
        "exec 0<&- 1>&- 2>&-; sleep 1000",                               // without streams
        "yes",                                                           // its output has no end
        "yes >&2",                                                       // nor have its errors
        "while :; do (sleep 1000 &) ; sleep 0.01; done",                 // starts others all the time
        "sleep 1000 | sleep 1000",                                       // a pipe
        "trap 'sleep 1000' TERM; sleep 1000 & wait; sleep 1000; wait"})  // hangs once more when it is asked to end
    expect_only(outcomes(command("odd", takes(n), gives(back), {"sh", "-c", script}).output(back).within(bound)),
                took_too_long);
  expect_only(outcomes(command("odd", takes(n), gives_none, {"yes"}).within(bound)), took_too_long);
}

TEST_F(odd_programs, as_commands_may_leave_their_streams_alone) {
  const auto gives_done = [](const network& net, const record& input) { expect_only(outcomes(net, input), "done"); };
  gives_done(command("odd", takes(text), gives(back), {"sh", "-c", "exec 0<&-; echo done"}).input(text).output(back),
             record{text = std::string(64u << 20, 'x')});
  gives_done(
      command("odd", takes(n), gives(back), {"sh", "-c", "(setsid sleep 1000; echo late) & echo done"}).output(back),
      record{n = 1});
  gives_done(command("odd", takes(n), gives(back), {"sh", "-c", "cat; echo done"}).output(back), record{n = 1});
  expect_only(outcomes(command("odd", takes(n), gives(back), {"sh", "-c", "exec 0<&- 1>&- 2>&-"}).output(back)),
              "{back=}");
  expect_only(outcomes(command("odd", takes(n), gives(back), {"sh", "-c", "kill -KILL 0"}).output(back)), "SIGKILL");
  expect_only(
      outcomes(
          command("odd", takes(n), gives(back), {"sh", "-c", "head -c 50000000 /dev/zero >&2; exit 3"}).output(back)),
      "exit code 3");
}

TEST_F(odd_programs, as_commands_fail_where_they_leave_no_file) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {":", "wrote no file for out("},
      {"mkdir $1", "is no file"},
      {"mkdir $1; touch $1/x", "is no file"},
      {"mkfifo $1", "is no file"},
      {"ln -s /nowhere $1", "file"},
      {"ln -s $1 $1", "file"},
      {"rm -rf $(dirname $1)", "wrote no file for out("},
      {"d=$(dirname $1); rm -rf $d; echo > $d", "the file of out("},
      {"d=$(dirname $1); rm -rf $d; ln -s / $d", "wrote no file for out("}};
  for (const auto& [script, error] : cases) {
    SCOPED_TRACE(script);
    expect_only(outcomes(command("odd", takes(n), gives(back), {"sh", "-c", script, "sh", out(back)})), error);
    expect_only(outcomes(command("odd", takes(n), gives(file), {"sh", "-c", script, "sh", out(file)})), error);
  }
  // A file of a terabyte, all of it a hole.
  const auto errors = outcomes(command("odd", takes(n), gives(back), {"truncate", "-s", "1T", out(back)}));
  expect_only(errors, "out of memory: ");
  expect_only(errors, "the file of out(back), /");
  expect_only(errors, "/out-back, has 1099511627776 bytes, and ");
  expect_only(errors, " MiB of memory are left");
}

TEST_F(odd_programs, get_arguments_of_any_bytes_but_zero_and_of_a_length_that_the_system_allows) {
  const auto printed = [](const std::string& value) {
    return outcomes(command("odd", takes(text), gives(back), {"printf", "%s", text}).output(back),
                    record{text = value});
  };
  const std::string odd = "\xff\xfe\n\t'\"$(x)`y`\x01 -e %s \\";
  expect_only(printed(odd), "{back=" + odd + "}");
  expect_only(printed(""), "{back=}");
  expect_only(printed(std::string("a\0b", 3)), "the value of text has a zero byte");
  expect_only(printed(std::string(200000, 'x')), "cannot start \"printf\"");
  expect_only(printed(std::string(200000, 'x')), "Argument list too long");
  expect_only(outcomes(command("odd", takes(text), gives(back), std::vector<command_argument>(40, "true")).output(back),
                       record{text = ""}),
              "{back=}");
}

std::string a_file(const scratch_folder& in, const std::string& name, const std::string& content, mode_t mode = 0755) {
  std::ofstream(in.at(name), std::ios::binary) << content;
  chmod(in.at(name).c_str(), mode);
  return in.at(name);
}

TEST_F(odd_programs, that_do_not_run_are_one_error_with_their_name_and_the_reason) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder.at("folder"));
  std::filesystem::create_symlink("nowhere", folder.at("dangling"));
  std::filesystem::create_symlink("self", folder.at("self"));
  mkfifo(folder.at("fifo").c_str(), 0755);
  const std::vector<std::pair<std::string, std::string>> cases{
      {folder.at("folder"), "Is a directory"},
      {folder.at("dangling"), "No such file"},
      {folder.at("self"), "Too many levels"},
      {folder.at("fifo"), "Permission denied"},
      {folder.at("nowhere"), "No such file"},
      {a_file(folder, "plain", "echo 1\n"), "begins with #!"},
      {a_file(folder, "empty", ""), "begins with #!"},
      {a_file(folder, "elf", "\177ELF"), "begins with #!"},
      {a_file(folder, "lost", "#!/no/such/interpreter\n"), "#!"},
      {a_file(folder, "windows", "#!/bin/sh\r\necho 1\r\n"), "#!"},
      {a_file(folder, "interpreted by a folder", "#!/tmp\n"), "Permission denied"},
      {a_file(folder, "loop", "#!" + folder.at("loop") + "\n"), "Too many levels"},
      {a_file(folder, "of no one", "#!/bin/sh\n", 0644), "Permission denied"},
      {folder.at("plain") + "/x", "Not a directory"},
      {std::string(5000, 'x'), "does not run"},
      {"\xff\n", "there is no program"},
      {" ", "there is no program"}};
  for (const auto& [program, reason] : cases)
    for (const network& net : {network(command("odd", takes(n), gives(back), {program}).output(back)),
                               network(worker("odd", takes(n), gives(n), {program}))}) {
      expect_only(outcomes(net), reason);
      expect_only(outcomes(net), program);
    }
  EXPECT_THROW(command("odd", takes(n), gives(back), {""}), type_error);
  EXPECT_THROW(worker("odd", takes(n), gives(n), {""}), type_error);
}

TEST_F(odd_programs, that_are_removed_while_a_run_uses_them_cost_the_records_behind) {
  const scratch_folder folder;
  const std::string own = a_file(folder, "own", "#!/bin/sh\nrm \"$0\"\necho done\n");
  const auto came =
      outcomes(ordered(command("odd", takes(n), gives(back), {own}).output(back).serial()), record{n = 1}, 3);
  ASSERT_EQ(came.size(), 3u);
  EXPECT_NE(came[0].find("done"), std::string::npos) << came[0];
  for (const std::size_t i : {1u, 2u}) EXPECT_NE(came[i].find("No such file"), std::string::npos) << came[i];
}

// The current folder of this process, as it was before at the end.
class in_folder {
 public:
  explicit in_folder(const std::string& folder) { std::filesystem::current_path(folder); }
  ~in_folder() { std::filesystem::current_path(before_); }
  in_folder(const in_folder&) = delete;

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(odd_programs, are_paths_from_the_folder_on_where_their_boxes_were_made) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder.at("sub"));
  a_file(folder, "tool", "#!/bin/sh\ntest $1 != 0 || echo done; exit $1\n");
  for (const char* name : {"./tool", ".//tool", "../tool", "sub/../tool"}) {
    const bool is_above = name[1] == '.';
    std::vector<network> nets;
    {
      const in_folder where(folder.at(is_above ? "sub" : "."));
      nets = {command("odd", takes(n), gives(back), {name, 0}).output(back),
              worker("odd", takes(n), gives(n), {name, "7"})};
    }
    const in_folder elsewhere("/");
    expect_only(outcomes(nets[0]), "{back=done\n}");
    const auto came = outcomes(nets[1]);
    EXPECT_NE(came.at(0).find("exit code 7"), std::string::npos) << came[0];
  }
}

// A variable of this process, as it was before at the end.
class set_variable {
 public:
  set_variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const now = getenv(name)) before_ = now, was_set_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~set_variable() {
    if (was_set_)
      setenv(name_, before_.c_str(), 1);
    else
      unsetenv(name_);
  }
  set_variable(const set_variable&) = delete;

 private:
  const char* const name_;
  std::string before_;
  bool was_set_ = false;
};

TEST_F(odd_programs, run_where_variables_and_folders_are_odd) {
  const auto says = [](const std::string& script) {
    return outcomes(command("odd", takes(n), gives(back), {"/bin/sh", "-c", script, "sh", out(back)}));
  };
  {
    const set_variable threads("OMP_NUM_THREADS", "x y"), large("WEIR_TEST_LARGE", std::string(100000, 'a')),
        mark("WEIR_CHILD_OF", "1-x"), socket("WEIR_SOCKET", "77");
    expect_only(says("echo $OMP_NUM_THREADS ${#WEIR_TEST_LARGE} > $1"), "{back=1 100000\n}");
  }
  {
    const set_variable none("PATH", "");
    expect_only(outcomes(command("odd", takes(n), gives(back), {"sh", "-c", ":"}).output(back)),
                "there is no program \"sh\" in PATH=");
  }
  const scratch_folder folder;
  {
    const set_variable missing("TMPDIR", folder.at("nowhere"));
    expect_only(says("echo done > $1"), "done");
  }
  {
    std::filesystem::create_directory(folder.at("a 'b\n"));
    const set_variable odd("TMPDIR", folder.at("a 'b\n"));
    expect_only(says("echo done > \"$1\""), "done");
    EXPECT_TRUE(std::filesystem::is_empty(folder.at("a 'b\n")));
  }
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(folder.at("gone"));
  std::filesystem::current_path(folder.at("gone"));
  std::filesystem::remove(folder.at("gone"));
  expect_only(says("echo done > $1"), "done");
  expect_only(outcomes(command("odd", takes(n), gives(back), {"./x"}).output(back)),
              "the program \"./x\" does not run");
  std::filesystem::current_path(before);
}

constexpr int socket_to_the_program = 3;

[[noreturn]] void hang() {
  for (;;) pause();
}

std::int64_t overflow(std::int64_t v) {
  volatile char some[1 << 16];
  some[v % 7] = 1;
  return v > 1 << 30 ? v : overflow(v + 1) + some[3];
}

enum act : std::int64_t {
  closes_its_socket,
  shuts_its_socket,
  closes_all,
  becomes_another,
  stops_itself,
  is_stubborn,
  changes_its_group,
  leaves_its_group_to_another,
  passes_its_socket_on,
  ends_in_a_thread,
  kills_its_group,
  has_no_stack,
  has_no_memory,
  ends_by_a_number
};
std::int64_t act_as(std::int64_t v) {
  switch (v) {
    case closes_its_socket:
      close(socket_to_the_program);
      hang();
    case shuts_its_socket:
      shutdown(socket_to_the_program, SHUT_WR);
      hang();
    case closes_all:
      for (int i = 0; i < 100; ++i) close(i);
      hang();
    case becomes_another:
      execlp("sleep", "sleep", "1000", nullptr);
      break;
    case stops_itself:
      raise(SIGSTOP);
      break;
    case is_stubborn:
      signal(SIGTERM, SIG_IGN);
      hang();
    case changes_its_group:
      if (fork() == 0) {
        setsid();
        hang();
      }
      setpgid(0, getpgid(getppid()));
      hang();
    case leaves_its_group_to_another:
      signal(SIGTERM, SIG_IGN);
      if (fork() != 0) setpgid(0, getpgid(getppid()));
      hang();
    case passes_its_socket_on:
      fcntl(socket_to_the_program, F_SETFD, 0);
      execlp("sleep", "sleep", "1000", nullptr);
      break;
    case ends_in_a_thread:
      std::thread([] { _exit(9); }).detach();
      hang();
    case kills_its_group:
      kill(0, SIGKILL);
      hang();
    case has_no_stack:
      signal(SIGSEGV, SIG_DFL);
      return overflow(v);
    case has_no_memory:
      for (std::vector<std::string> all;;) all.emplace_back(1 << 20, 'x');
    case ends_by_a_number:
      raise(40);
      break;
    default:
      break;
  }
  return v;
}
auto odd_box() { return box("odd", takes(n), gives(n), &act_as); }

using cases_of_workers = std::vector<std::pair<act, std::string>>;

// One worker after the other: each act costs its record, with this error. `good` is sent between them.
void expect_errors(const network& net, const cases_of_workers& cases, std::vector<std::int64_t> good) {
  execution run = start(net, {.on_error = on_error::collect});
  for (const auto& [act, error] : cases) {
    run.send(n = std::int64_t{act});
    for (const std::int64_t v : good) run.send(n = v);
  }
  run.close();
  std::size_t results = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[n], good.empty() ? -1 : good[results % good.size()]);
    ++results;
  }
  EXPECT_EQ(results, cases.size() * good.size());
  const std::vector<failure> errors = run.errors();
  ASSERT_EQ(errors.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string said = to_string(errors[i].kind) + ": " + errors[i].cause;
    EXPECT_EQ((*errors[i].as_record)[n], cases[i].first);
    EXPECT_NE(said.find(cases[i].second), std::string::npos) << said;
  }
}

TEST_F(odd_programs, as_workers_cost_their_record_and_another_takes_their_place) {
  expect_errors(isolated(odd_box()).serial(),
                {{closes_its_socket, "the worker closed its connection"},
                 {shuts_its_socket, "the worker closed its connection"},
                 {closes_all, "the worker closed its connection"},
                 {becomes_another, "the worker closed its connection"},
                 {ends_in_a_thread, "exit code 9"},
                 {kills_its_group, "SIGKILL"},
                 {has_no_stack, sanitized ? "the worker" : "SIGSEGV"},
                 {ends_by_a_number, "signal 40"}},
                {1000, 1001});
}

TEST_F(odd_programs, as_workers_end_in_time_however_they_hang) {
  expect_errors(isolated(odd_box()).within(bound).serial(),
                {{stops_itself, "timed out"},
                 {is_stubborn, "timed out"},
                 {changes_its_group, "timed out"},
                 {leaves_its_group_to_another, "timed out"},
                 {passes_its_socket_on, "timed out"}},
                {});
}

TEST_F(odd_programs, that_need_more_memory_than_they_may_have_cost_their_record) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs more memory than any bound";
  expect_only(outcomes(isolated(odd_box()).memory(200u << 20), record{n = std::int64_t{has_no_memory}}),
              "out of memory");
  expect_only(outcomes(command("odd", takes(n), gives(back), {"sh", "-c", "a=x; while :; do a=$a$a; done"})
                           .output(back)
                           .memory(50u << 20)),
              "the process");
}

}  // namespace
}  // namespace weir::testing

int main(int argc, char** argv) {
  weir::host(weir::testing::odd_box());
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
